package rowprog

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/half"
)

// Builder makes a program, instruction by instruction. Its methods check their arguments. The first mistake is kept and
// returned by [Builder.Build]; mistakes that follow from it are not reported. Equal pure instructions are made once.
type Builder struct {
	name     string
	outer    int
	stage    int
	row      int
	operands []Operand
	insts    []Inst
	inRows   bool           // guards are about elements of rows
	known    map[Inst]Value // pure instructions by their content
	divisor  func() FaultCode
	err      error
}

// NewBuilder begins a program with the given number of outer axes.
func NewBuilder(name string, outer int) *Builder { return new(Builder).Reset(name, outer) }

// Reset begins another program as [NewBuilder] does, but reuses memory, and returns the builder.
func (b *Builder) Reset(name string, outer int) *Builder {
	*b = Builder{name: name, outer: outer, insts: b.insts[:0], known: b.known}
	if clear(b.known); b.known == nil {
		b.known = map[Inst]Value{}
	}
	if outer < 0 || outer > MaxOuter {
		b.fail("%d outer axes, not in 0..%d", outer, MaxOuter)
	}
	return b
}

// DivisorCode sets the function that returns the code of each guard of an integer divisor. Without it, the code is
// [DivideByZero].
func (b *Builder) DivisorCode(code func() FaultCode) { b.divisor = code }

// Row says that rows have n elements in most calls.
func (b *Builder) Row(n int) { b.row = n }

// In adds an operand that is loaded and returns its index.
func (b *Builder) In(name string, t Type, d Domain) int {
	return b.Operand(Operand{Name: name, Type: t, Access: In, Domain: d})
}

// Out adds an operand that is stored and returns its index.
func (b *Builder) Out(name string, t Type, d Domain) int {
	return b.Operand(Operand{Name: name, Type: t, Access: Out, Domain: d})
}

// InOut adds an operand that is loaded and stored and returns its index.
func (b *Builder) InOut(name string, t Type, d Domain) int {
	return b.Operand(Operand{Name: name, Type: t, Access: InOut, Domain: d})
}

// Acc adds an operand that is accumulated into over outer axes and returns its index.
func (b *Builder) Acc(name string, t Type, d Domain, over AxisSet) int {
	return b.Operand(Operand{Name: name, Type: t, Access: Acc, Domain: d, Reduced: over})
}

// Operand adds an operand and returns its index.
func (b *Builder) Operand(o Operand) int {
	if err := checkOperand(&o, b.outer); err != nil {
		b.fail("operand %s: %w", o.Name, err)
	}
	b.operands = append(b.operands, o)
	return len(b.operands) - 1
}

// NextStage ends the current stage: vector instructions that follow run in another
// loop over the row, after the reductions of this one.
func (b *Builder) NextStage() { b.stage++ }

// ConstBits makes a constant from an element's bits.
func (b *Builder) ConstBits(t Type, bits uint64) Value {
	return b.pure(Inst{Op: OpConst, Type: t, Domain: Const, Bits: bits})
}

// Const makes a constant from a number, rounded to a floating-point type or truncated to an integer; as Bool it is v !=
// 0.
func (b *Builder) Const(t Type, v float64) Value {
	switch t {
	case Bool:
		if v != 0 {
			return b.ConstBits(t, 1)
		}
		return b.ConstBits(t, 0)
	case I32, I64, U8, I8, U16, I16, U32, U64:
		return b.ConstInt(t, int64(v))
	case F16:
		return b.ConstBits(t, uint64(half.NewFloat16(float32(v))))
	case BF16:
		return b.ConstBits(t, uint64(half.NewBFloat16(float32(v))))
	case F8E4M3:
		return b.ConstBits(t, uint64(half.NewFloat8E4M3FN(float32(v))))
	case F8E5M2:
		return b.ConstBits(t, uint64(half.NewFloat8E5M2(float32(v))))
	case F32:
		return b.ConstBits(t, uint64(math.Float32bits(float32(v))))
	case F64:
		return b.ConstBits(t, math.Float64bits(v))
	}
	return b.fail("constant of type %v", t)
}

// ConstInt makes a constant of an integer type from the low bits of a number.
func (b *Builder) ConstInt(t Type, v int64) Value {
	switch t {
	case I32, I64, U8, I8, U16, I16, U32, U64:
		return b.ConstBits(t, uint64(v)<<(64-8*t.Size())>>(64-8*t.Size()))
	}
	return b.fail("integer constant of type %v", t)
}

// Load reads an element of an operand, in the current stage.
func (b *Builder) Load(operand int) Value {
	o := b.operand(operand)
	if o == nil {
		return None
	}
	if !o.Access.Reads() {
		return b.fail("load of %s: the operand is %v", o.Name, o.Access)
	}
	return b.pure(Inst{Op: OpLoad, Type: o.Type, Domain: o.Domain, Operand: operand, Section: b.section(o.Domain)})
}

// Pick reads the element that is index elements after an operand's own, or the own element if the index is not in
// 0..limit-1. The operand is only read, and its type is not one for memory alone. The index and the limit are both I32
// or both I64; the limit is the same for all elements of a row. If the operand's Domain is Vec, a row is picked: the
// index too is then the same for all elements of a row, and both are I64. No operand that is written may share memory
// with elements that can be picked.
func (b *Builder) Pick(operand int, index, limit Value) Value {
	o := b.operand(operand)
	if o == nil || b.bad(index) || b.bad(limit) {
		return None
	}
	in := Inst{Op: OpPick, Operand: operand, Domain: max(o.Domain, Uniform)}
	switch in.Domain {
	case Row:
		in.Section = RowSection(0)
	case Vec:
		in.Section = b.section(Vec)
	}
	var err error
	if in.Type, err = checkPick(o, b.insts[index].Domain, &Inst{Domain: max(o.Domain, b.insts[index].Domain)},
		b.insts[limit].Domain, []Type{b.insts[index].Type, b.insts[limit].Type}); err != nil {
		return b.fail("pick: %w", err)
	}
	return b.primitive(in, index, limit)
}

// Iota is the index along an outer axis or, for axis Outer, within the row.
func (b *Builder) Iota(axis int) Value {
	if axis < 0 || axis > b.outer {
		return b.fail("iota of axis %d, not in 0..%d", axis, b.outer)
	}
	in := Inst{Op: OpIota, Type: I64, Domain: Row, Axis: axis, Section: RowSection(0)}
	if axis == b.outer {
		in.Domain, in.Section = Vec, b.section(Vec)
	}
	return b.pure(in)
}

// Apply applies a primitive to values. A division of integers also guards its
// divisor, with code [DivideByZero].
func (b *Builder) Apply(op Op, x ...Value) Value {
	if !op.IsPrimitive() || op == OpConvert || len(x) != op.Arity() {
		return b.fail("%v applied to %d values", op, len(x))
	}
	t, err := b.resultOf(op, x)
	if err != nil {
		return b.fail("%w", err)
	}
	v := b.primitive(Inst{Op: op, Type: t}, x...)
	if (op == OpDiv || op == OpRem || op == OpFloorDiv) && t.IsInt() {
		b.guardDivisor(x[1], t)
	}
	return v
}

// Convert changes a value's type.
func (b *Builder) Convert(x Value, t Type) Value {
	if b.bad(x) || b.insts[x].Type == t {
		return x
	}
	if from := b.insts[x].Type; !convertible(from, t) {
		return b.fail("convert %v to %v", from, t)
	}
	if in := &b.insts[x]; in.Op == OpConvert && t != t.Computed() && b.insts[in.Args[0]].Type == t &&
		in.Type == t.Computed() {
		return in.Args[0] // what is computed of an element for memory alone has that element
	}
	return b.primitive(Inst{Op: OpConvert, Type: t}, x)
}

// Reduce combines the elements of a row in the current stage. The result can be used from the next stage on.
func (b *Builder) Reduce(r Reduction, x Value) Value {
	if b.bad(x) {
		return None
	}
	t := b.insts[x].Type
	if !r.Accepts(t) {
		return b.fail("reduce %v of %v", r, t)
	}
	in := Inst{Op: OpReduce, Type: r.Result(t), Domain: Row, Reduction: r, Section: b.section(Vec)}
	return b.pure(in, x)
}

// Store writes a value to an operand: to each element of the row in the current stage, or once per row, as soon as the
// value is known and the stage has been reached.
func (b *Builder) Store(operand int, x Value) {
	b.write(Inst{Op: OpStore, Operand: operand}, x)
}

// Accumulate combines a value into an operand over the operand's reduced axes.
func (b *Builder) Accumulate(operand int, r Reduction, x Value) {
	b.write(Inst{Op: OpAccumulate, Operand: operand, Reduction: r}, x)
}

// GuardInRows says whether the guards that follow, also those of divisors, are about the elements of a row. Such guards
// hold in a row without elements, even if their values are known before the row.
func (b *Builder) GuardInRows(inRows bool) { b.inRows = inRows }

// holds reports whether a value is known to be true: it compares two different integers for inequality.
func (b *Builder) holds(ok Value) bool {
	in := &b.insts[ok]
	if in.Op != OpNe {
		return false
	}
	x, y := &b.insts[in.Args[0]], &b.insts[in.Args[1]]
	return x.Op == OpConst && y.Op == OpConst && x.Type.IsInt() && x.Bits != y.Bits
}

// Guard stops the call with the code if a Bool value is false. The fault reports another value, the culprit, at that
// place.
func (b *Builder) Guard(ok, culprit Value, code FaultCode) {
	if b.bad(ok) || b.bad(culprit) {
		return
	}
	if t := b.insts[ok].Type; t != Bool {
		b.fail("guard of %v", t)
		return
	}
	if b.holds(ok) {
		return
	}
	section := max(b.available(ok), b.available(culprit), RowSection(0))
	if b.inRows {
		section = max(section, b.section(Vec))
	}
	b.add(Inst{Op: OpGuard, Domain: section.Domain(), Section: section, Code: code}, ok, culprit)
}

// TypeOf returns the type of a value, NoType after a mistake.
func (b *Builder) TypeOf(x Value) Type {
	if b.bad(x) {
		return NoType
	}
	return b.insts[x].Type
}

// fail keeps the first mistake.
func (b *Builder) fail(format string, args ...any) Value {
	if b.err == nil {
		b.err = fmt.Errorf("rowprog: "+b.name+": "+format, args...)
	}
	return None
}

// bad reports whether x cannot be used because of an earlier mistake, or is itself one.
func (b *Builder) bad(x Value) bool {
	if b.err == nil && (x < 0 || int(x) >= len(b.insts)) {
		b.fail("no value %d", x)
	}
	return b.err != nil
}

func (b *Builder) operand(i int) *Operand {
	if b.err == nil && (i < 0 || i >= len(b.operands)) {
		b.fail("no operand %d", i)
	}
	if b.err != nil {
		return nil
	}
	return &b.operands[i]
}
