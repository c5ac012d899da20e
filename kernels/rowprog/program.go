package rowprog

import (
	"fmt"
	"slices"
)

// Value is a value of a program: the index of the instruction that makes it.
type Value int32

// None is the absence of a value.
const None Value = -1

// FaultCode identifies a guard's fault. Codes from 0 on are the caller's.
type FaultCode int32

// MostShort is the most elements of a row that a [Program] notes. MostShortElementwise is the same for a program that
// reduces nothing.
const (
	MostShort            = 384
	MostShortElementwise = 16
)

// DivideByZero is the code of the guards that a [Builder] sets on the divisors of
// integers.
const DivideByZero FaultCode = -1

// Section is a place in the order of execution; see the package's documentation.
type Section int

// CallSection runs once, at the start of a call.
const CallSection Section = 0

// RowSection runs once per row, before the vector part of the stage.
func RowSection(stage int) Section { return Section(2*stage + 1) }

// VecSection runs for each element of a row.
func VecSection(stage int) Section { return Section(2*stage + 2) }

// Stage is the stage that a row or vec section belongs to.
func (s Section) Stage() int { return int(s-1) / 2 }

// Domain is the domain of values computed in the section: Uniform, Row or Vec.
func (s Section) Domain() Domain {
	switch {
	case s == CallSection:
		return Uniform
	case s%2 == 1:
		return Row
	}
	return Vec
}

// String names the section, such as "vec 0".
func (s Section) String() string {
	if s == CallSection {
		return "call"
	}
	return fmt.Sprintf("%v %d", s.Domain(), s.Stage())
}

// Inst is an instruction.
type Inst struct {
	Op      Op
	Type    Type    // of the result; NoType for an effect
	Domain  Domain  // of the result; for an effect, of its section
	Section Section // where it runs

	Args [3]Value // the values it takes, Op.Arity() of them; the others are None

	Bits      uint64    // OpConst: the element's bits, zero-extended
	Operand   int       // OpLoad, OpPick, OpStore, OpAccumulate: which one
	Axis      int       // OpIota: an outer axis, or Program.Outer for the row
	Reduction Reduction // OpReduce, OpAccumulate
	Code      FaultCode // OpGuard
}

// Uses returns the values that the instruction takes.
func (in *Inst) Uses() []Value { return in.Args[:in.Op.Arity()] }

// Program is a row program. A [Builder] makes it; it must not be changed afterwards
// and may be shared between goroutines.
type Program struct {
	Name     string // for text; not part of the meaning
	Outer    int    // the number of outer axes
	Stages   int    // the number of vec sections
	Operands []Operand
	Insts    []Inst // in order of execution
	// Row is the number of elements of a row, if most calls are known to have the same small number; else 0. It does
	// not change the meaning: back ends may have special code for it, next to that for any number.
	Row int

	starts []Value // the first instruction of each section, and the end
}

// Sections is the number of sections: one for the call, two for each stage and
// the last row section.
func (p *Program) Sections() int { return 2*p.Stages + 2 }

// Span returns the instructions of a section as a range [lo, hi) of values. The
// effects of a section come last.
func (p *Program) Span(s Section) (lo, hi Value) { return p.starts[s], p.starts[s+1] }

// index finds the sections' bounds.
func (p *Program) index() {
	p.starts = make([]Value, p.Sections()+1)
	for s, i := Section(0), 0; s <= Section(p.Sections()); s++ {
		for i < len(p.Insts) && p.Insts[i].Section < s {
			i++
		}
		p.starts[s] = Value(i)
	}
}

// Elementwise reports whether every element written depends only on elements at the same position, so that axes may be
// merged, exchanged and split freely: the program has no reduction, no accumulation, no index and no Row result.
func (p *Program) Elementwise() bool {
	return p.Columnwise() && !slices.ContainsFunc(p.Operands, func(o Operand) bool { return o.Access == Acc })
}

// Storing is the program that also stores the loaded elements of an operand to a new operand, the last one. The program
// has one stage.
func (p *Program) Storing(operand int) *Program {
	q := *p
	from := p.Operands[operand]
	q.Operands = append(slices.Clone(p.Operands),
		Operand{Name: from.Name + " stored", Type: from.Type, Access: Out, Domain: Vec})
	_, end := p.Span(VecSection(0))
	loaded := Value(slices.IndexFunc(p.Insts, func(in Inst) bool { return in.Op == OpLoad && in.Operand == operand }))
	store := Inst{Op: OpStore, Domain: Vec, Section: VecSection(0), Args: [3]Value{loaded, None, None},
		Operand: len(p.Operands)}
	q.Insts = slices.Insert(slices.Clone(p.Insts), int(end), store)
	q.index()
	return &q
}

// Reduces reports whether the program reduces rows.
func (p *Program) Reduces() bool {
	return slices.ContainsFunc(p.Insts, func(in Inst) bool { return in.Op == OpReduce })
}

// HasSteps reports whether the program is for calls in which elements of a row of some operand are apart.
func (p *Program) HasSteps() bool {
	return slices.ContainsFunc(p.Operands, func(o Operand) bool { return o.Step != 0 })
}

// Picks reports whether the program reads an operand at computed places.
func (p *Program) Picks(operand int) bool {
	return slices.ContainsFunc(p.Insts, func(in Inst) bool { return in.Op == OpPick && in.Operand == operand })
}

// Columnwise reports whether the values written for an element of a row depend only on elements at the same place in
// their rows: the program is elementwise, but may accumulate over all outer axes.
func (p *Program) Columnwise() bool {
	for i := range p.Insts {
		in := &p.Insts[i]
		switch in.Op {
		case OpReduce, OpIota:
			return false
		case OpStore:
			if p.Operands[in.Operand].Domain != Vec {
				return false
			}
		case OpAccumulate:
			if o := &p.Operands[in.Operand]; o.Domain != Vec || o.Reduced != 1<<p.Outer-1 {
				return false
			}
		}
	}
	return true
}

// Separable reports whether parts of a call along an axis can be computed independently; axis Outer is the row. Parts
// along outer axis 0 that use positions are given their origin.
func (p *Program) Separable(axis int) bool {
	if axis == p.Outer {
		return p.Columnwise() && p.Stages == 1
	}
	for i := range p.Operands {
		if p.Operands[i].Reduced.Has(axis) {
			return false
		}
	}
	return axis == 0 || !slices.ContainsFunc(p.Insts, func(in Inst) bool { return in.Op == OpIota })
}

// ReducesOutermost reports whether some operand accumulates over outer axis 0. The program then runs in chunks of
// [ChunkRows].
func (p *Program) ReducesOutermost() bool {
	for i := range p.Operands {
		if p.Operands[i].Reduced.Has(0) {
			return true
		}
	}
	return false
}
