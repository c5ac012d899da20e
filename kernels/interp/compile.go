package interp

import (
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// compiler turns a program's vec sections into steps.
type compiler struct {
	prog    *rowprog.Program
	k       *Kernel
	regs    registers
	vectors bool // use vector code of single primitives

	reg      []int                 // of each Vec value
	direct   map[rowprog.Value]int // operands that a value's instruction writes itself
	uniforms map[rowprog.Value]int // registers filled with a value once a call
	rows     map[rowprog.Value]int // registers filled with a value once a row
	lastUse  []rowprog.Value       // of each Vec value, within its section
	out      *stage                // where steps go
}

func newCompiler(p *rowprog.Program) *compiler {
	c := &compiler{
		prog:     p,
		k:        &Kernel{prog: p, stages: make([]stage, p.Stages)},
		reg:      make([]int, len(p.Insts)),
		direct:   map[rowprog.Value]int{},
		uniforms: map[rowprog.Value]int{},
		lastUse:  make([]rowprog.Value, len(p.Insts)),
	}
	for v := range p.Insts {
		in := &p.Insts[v]
		for _, x := range in.Uses() {
			c.lastUse[x] = rowprog.Value(v)
		}
		if in.Op == rowprog.OpAccumulate {
			o := &p.Operands[in.Operand]
			c.k.accs = append(c.k.accs, accPos{in.Operand, o.Reduced, in.Reduction})
		}
		if in.Section.Domain() == rowprog.Vec {
			// These registers are used during the whole call, so they come first.
			c.splatArgs(in, rowprog.Const, rowprog.Uniform, c.uniforms, &c.k.call)
		}
	}
	return c
}

// finish returns the compiled kernel.
func (c *compiler) finish() *Kernel {
	c.k.bases = c.regs.bases
	c.k.words = c.regs.words
	return c.k
}

// stage compiles a vec section.
func (c *compiler) stage(s int) {
	c.out = &c.k.stages[s]
	c.rows = map[rowprog.Value]int{}
	lo, hi := c.prog.Span(rowprog.VecSection(s))
	for v := lo; v < hi; v++ {
		c.splatArgs(&c.prog.Insts[v], rowprog.Row, rowprog.Row, c.rows, &c.out.begin)
	}
	for v := lo; v < hi; v++ {
		c.inst(v)
	}
	for v := lo; v < hi; v++ {
		for _, x := range c.prog.Insts[v].Uses() {
			if r, ok := c.rows[x]; ok {
				c.regs.free(r)
				delete(c.rows, x)
			}
		}
	}
}

// splatArgs finds registers for those arguments of an instruction that have a domain from lo to hi and are needed as
// vectors. Steps fill them.
func (c *compiler) splatArgs(in *rowprog.Inst, lo, hi rowprog.Domain, known map[rowprog.Value]int, steps *[]step) {
	for i, x := range in.Uses() {
		def := &c.prog.Insts[x]
		if _, ok := known[x]; ok || def.Domain < lo || def.Domain > hi || takesScalar(in.Op, i, def.Type) {
			continue
		}
		known[x] = c.regs.alloc(def.Type)
		*steps = append(*steps, fillStep(def.Type, known[x], x))
	}
}

// takesScalar reports whether an instruction has a loop for a scalar argument i.
func takesScalar(op rowprog.Op, i int, t rowprog.Type) bool {
	switch op {
	case rowprog.OpStore:
		return true
	case rowprog.OpGuard:
		return i == 1
	case rowprog.OpPick:
		return i == 1 || t == rowprog.I64 // of a row
	case rowprog.OpDiv:
		return t.IsFloat()
	case rowprog.OpAdd, rowprog.OpSub, rowprog.OpMul, rowprog.OpMax, rowprog.OpMin,
		rowprog.OpLt, rowprog.OpLe, rowprog.OpGt, rowprog.OpGe, rowprog.OpEq, rowprog.OpNe:
		return true
	}
	return false
}

// vector is the register of an argument that is a Vec value or has been splatted.
func (c *compiler) vector(x rowprog.Value) int {
	switch c.prog.Insts[x].Domain {
	case rowprog.Vec:
		return c.reg[x]
	case rowprog.Row:
		return c.rows[x]
	}
	return c.uniforms[x]
}

// element reads an element of an argument that need not be a vector.
func (c *compiler) element(x rowprog.Value) func(s *Scratch, i int) uint64 {
	t := c.prog.Insts[x].Type
	if c.prog.Insts[x].Domain < rowprog.Vec {
		return func(s *Scratch, _ int) uint64 { return s.value[x] }
	}
	reg := c.reg[x]
	return func(s *Scratch, i int) uint64 { return loops.Load(t, unsafe.Add(s.reg[reg], i*t.Size())) }
}

// inst compiles one instruction of a vec section.
func (c *compiler) inst(v rowprog.Value) {
	in := &c.prog.Insts[v]
	switch in.Op {
	case rowprog.OpLoad:
		r := c.regs.alloc(in.Type)
		c.reg[v] = r
		c.emit(loadStep(in.Type, r, c.regs.bases[r], in.Operand, c.overwritten(v)))
	case rowprog.OpPick:
		if c.prog.Operands[in.Operand].Domain == rowprog.Vec {
			r := c.regs.alloc(in.Type)
			c.reg[v] = r
			c.emit(pickRowStep(in, r, c.regs.bases[r]))
			break
		}
		at := c.vector(in.Args[0])
		c.emit(pickStep(in, c.prog.Insts[in.Args[0]].Type, c.result(v), at))
	case rowprog.OpIota:
		c.emit(iotaStep(c.result(v)))
	case rowprog.OpReduce:
		c.reduce(v)
	case rowprog.OpStore:
		c.emit(c.store(in))
	case rowprog.OpAccumulate:
		o := &c.prog.Operands[in.Operand]
		room := c.regs.alloc(o.Type)
		c.emit(accumulateStep(o, in, c.vector(in.Args[0]), room))
		c.regs.free(room)
	case rowprog.OpGuard:
		c.emit(guardStep(c.vector(in.Args[0]), in.Code, c.element(in.Args[1])))
	default:
		args := c.args(in)
		c.release(v) // the result may take an argument's place
		dst := c.result(v)
		do := c.vectorStep(in, dst, args)
		if do == nil {
			do = primitiveStep(in, dst, args)
		}
		c.emit(do)
		return
	}
	c.release(v)
}

func (c *compiler) emit(do step) { c.out.block = append(c.out.block, do) }

// release frees the registers of the values whose last use is v.
func (c *compiler) release(v rowprog.Value) {
	uses := c.prog.Insts[v].Uses()
	for i, x := range uses {
		if c.prog.Insts[x].Domain == rowprog.Vec && c.lastUse[x] == v && !slices.Contains(uses[:i], x) {
			c.regs.free(c.reg[x])
		}
	}
}

// result returns the register for the value of v. If the value is stored and nothing forbids it, the register is the
// operand's memory, provided that it is contiguous.
func (c *compiler) result(v rowprog.Value) int {
	t := c.prog.Insts[v].Type
	r := c.regs.alloc(t)
	c.reg[v] = r
	if o, ok := c.destination(v); ok {
		c.direct[v] = o
		c.emit(targetStep(t, r, c.regs.bases[r], o))
	}
	return r
}

// destination finds an operand that v is stored to and that may be written before the other stores of the section: no
// value that is read afterwards may be in the same memory. Such a value would be a load of the same type that does not
// copy.
func (c *compiler) destination(v rowprog.Value) (operand int, ok bool) {
	_, hi := c.prog.Span(c.prog.Insts[v].Section)
	operand = -1
	for w := v + 1; w < hi; w++ {
		in := &c.prog.Insts[w]
		if in.Op == rowprog.OpStore && in.Args[0] == v && operand < 0 {
			operand = in.Operand
		}
		if c.reads(in, c.prog.Insts[v].Type) {
			return 0, false
		}
	}
	return operand, operand >= 0
}

// overwritten reports whether a load must copy: whether an effect reads it after a store that can be to the same
// memory.
func (c *compiler) overwritten(v rowprog.Value) bool {
	for w := v + 1; w < c.lastUse[v]; w++ {
		in := &c.prog.Insts[w]
		if in.Op == rowprog.OpStore && c.prog.Operands[in.Operand].Type == c.prog.Insts[v].Type {
			return true
		}
	}
	return false
}

// store returns the step of a store.
func (c *compiler) store(in *rowprog.Inst) step {
	x := in.Args[0]
	t := c.prog.Insts[x].Type
	if c.prog.Insts[x].Domain < rowprog.Vec {
		return storeScalarStep(t, in.Operand, x)
	}
	o, direct := c.direct[x]
	return storeStep(t, in.Operand, c.reg[x], direct && o == in.Operand)
}

// reads reports whether an instruction reads an operand of type t.
func (c *compiler) reads(in *rowprog.Inst, t rowprog.Type) bool {
	if in.Op == rowprog.OpLoad && in.Type == t {
		return true
	}
	for _, x := range in.Uses() {
		if def := &c.prog.Insts[x]; def.Op == rowprog.OpLoad && def.Domain == rowprog.Vec && def.Type == t {
			return true
		}
	}
	return false
}
