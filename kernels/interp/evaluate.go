package interp

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// evaluate runs a section outside of the row.
func (s *Scratch) evaluate(section rowprog.Section) {
	lo, hi := s.prog.Span(section)
	for v := lo; v < hi; v++ {
		in := &s.prog.Insts[v]
		switch in.Op {
		case rowprog.OpConst:
			s.value[v] = in.Bits
		case rowprog.OpLoad:
			s.value[v] = loops.Load(in.Type, s.element(in.Operand, 0, in.Type.Size()))
		case rowprog.OpPick:
			s.value[v] = s.pick(in)
		case rowprog.OpIota:
			s.value[v] = uint64(s.args.First(in.Axis) + s.index[in.Axis])
		case rowprog.OpStore:
			s.storeRow(in)
		case rowprog.OpAccumulate:
			s.accumulateRow(in)
		case rowprog.OpGuard:
			if s.value[in.Args[0]] == 0 {
				s.fail(in.Code, 0, s.value[in.Args[1]])
				return
			}
		case rowprog.OpConvert:
			x := in.Args[0]
			s.value[v] = scalar.Convert(in.Type, s.prog.Insts[x].Type, s.value[x])
		default:
			s.value[v] = s.primitive(in)
		}
	}
}

// pick reads an element at an index.
func (s *Scratch) pick(in *rowprog.Inst) uint64 {
	return loops.Load(in.Type, unsafe.Add(s.element(in.Operand, 0, in.Type.Size()), s.picked(in)*in.Type.Size()))
}

// picked is the index at which a pick reads; 0 if it is out of range.
func (s *Scratch) picked(in *rowprog.Inst) int {
	at, limit := int64(s.value[in.Args[0]]), int64(s.value[in.Args[1]])
	if s.prog.Insts[in.Args[0]].Type == rowprog.I32 {
		at, limit = int64(int32(at)), int64(int32(limit))
	}
	if at < 0 || at >= limit {
		return 0
	}
	return int(at)
}

func (s *Scratch) primitive(in *rowprog.Inst) uint64 {
	var x [3]uint64
	for i, u := range in.Uses() {
		x[i] = s.value[u]
	}
	// The last operand has the operation's type, even for Select.
	t := s.prog.Insts[in.Uses()[in.Op.Arity()-1]].Type
	return scalar.Apply(in.Op, t, x[0], x[1], x[2])
}

func (s *Scratch) storeRow(in *rowprog.Inst) {
	t := s.prog.Operands[in.Operand].Type
	loops.Store(t, s.element(in.Operand, 0, t.Size()), s.value[in.Args[0]])
}

func (s *Scratch) accumulateRow(in *rowprog.Inst) {
	o := &s.prog.Operands[in.Operand]
	if s.first(o.Reduced) {
		s.storeRow(in)
		return
	}
	x := s.value[in.Args[0]]
	dst := s.element(in.Operand, 0, o.Type.Size())
	loops.Store(o.Type, dst, scalar.Combine(in.Reduction, o.Type, loops.Load(o.Type, dst), x))
}

// setIdentities sets accumulated operands to the result of an empty reduction.
func (k *Kernel) setIdentities(s *Scratch) {
	for _, a := range k.accs {
		o := &k.prog.Operands[a.operand]
		k.setIdentity(s, a, 0, s.offset[a.operand], scalar.Identity(a.kind, o.Type))
	}
}

// setIdentity sets the elements along the axes from axis on.
func (k *Kernel) setIdentity(s *Scratch, a accPos, axis, offset int, bits uint64) {
	o := &k.prog.Operands[a.operand]
	inner := len(s.args.Outer)
	switch {
	case axis == inner+1:
		loops.Store(o.Type, unsafe.Add(s.args.Ptr[a.operand], offset*o.Type.Size()), bits)
	case a.reduced.Has(axis), axis == inner && o.Domain == rowprog.Row:
		k.setIdentity(s, a, axis+1, offset, bits)
	default:
		first, end := 0, s.args.N
		if axis < inner {
			first, end = s.bounds(axis)
		}
		for i := first; i < end; i++ {
			k.setIdentity(s, a, axis+1, offset, bits)
			offset += s.args.Stride[a.operand][axis]
		}
	}
}
