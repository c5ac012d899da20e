package reference

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// run is the state of a call.
type run struct {
	prog  *rowprog.Program
	args  *launch.Args
	index []int    // of the current row and, last, of the element in it
	value []uint64 // of each instruction
	// The values to be reduced: of each OpReduce in the current row, and of each element of an accumulated operand.
	rows map[rowprog.Value][]uint64
	accs map[unsafe.Pointer]*accumulation
	ptrs []unsafe.Pointer // the keys of accs in order
}

// accumulation is the values to accumulate into one element, by their chunks of outer axis 0.
type accumulation struct {
	kind    rowprog.Reduction
	typ     rowprog.Type
	chunked bool
	chunks  [][]uint64
}

// Run calls the program on the whole iteration space.
func Run(p *rowprog.Program, a *launch.Args) (fault launch.Fault, ok bool) {
	r := &run{prog: p, args: a, index: make([]int, p.Outer+1), value: make([]uint64, len(p.Insts)),
		accs: map[unsafe.Pointer]*accumulation{}}
	for v := range p.Insts {
		if in := &p.Insts[v]; in.Op == rowprog.OpAccumulate {
			r.listElements(in, make([]int, p.Outer+1), 0)
		}
	}
	fault, ok = r.axis(0, 0)
	if ok {
		for _, ptr := range r.ptrs {
			r.accs[ptr].finish(ptr)
		}
	}
	return fault, ok
}

// listElements makes an accumulation for each element of an accumulated operand.
func (r *run) listElements(in *rowprog.Inst, index []int, axis int) {
	o := &r.prog.Operands[in.Operand]
	switch {
	case axis == len(index):
		ptr := r.address(in.Operand, index)
		r.accs[ptr] = &accumulation{kind: in.Reduction, typ: o.Type, chunked: o.Reduced.Has(0)}
		r.ptrs = append(r.ptrs, ptr)
	case o.Reduced.Has(axis), axis == r.prog.Outer && o.Domain == rowprog.Row:
		r.listElements(in, index, axis+1)
	default:
		for i := range r.args.Size(axis) {
			index[axis] = i
			r.listElements(in, index, axis+1)
		}
		index[axis] = 0
	}
}

// axis runs all rows that have the current index on the axes before axis; row is the number of that index.
func (r *run) axis(axis, row int) (launch.Fault, bool) {
	if axis == r.prog.Outer {
		return r.row(row)
	}
	for i := range r.args.Outer[axis] {
		r.index[axis] = i
		if fault, ok := r.axis(axis+1, row*r.args.Outer[axis]+i); !ok {
			return fault, false
		}
	}
	return launch.Fault{}, true
}

// row runs all sections of a row. It may run the call section for every row, since that makes no difference.
func (r *run) row(row int) (launch.Fault, bool) {
	r.rows = map[rowprog.Value][]uint64{}
	for s := rowprog.CallSection; s < rowprog.Section(r.prog.Sections()); s++ {
		times := 1
		if s.Domain() == rowprog.Vec {
			times = r.args.N
		}
		for j := range times {
			r.index[r.prog.Outer] = j
			if fault, ok := r.section(s); !ok {
				fault.Position = row*r.args.N + j
				return fault, false
			}
		}
		lo, hi := r.prog.Span(s)
		for v := lo; v < hi; v++ {
			if in := &r.prog.Insts[v]; in.Op == rowprog.OpReduce {
				r.value[v] = reduceRow(in.Reduction, r.prog.Insts[in.Args[0]].Type, r.rows[v])
			}
		}
	}
	return launch.Fault{}, true
}

// section runs the instructions of a section once. Its fault has no position.
func (r *run) section(s rowprog.Section) (launch.Fault, bool) {
	lo, hi := r.prog.Span(s)
	for v := lo; v < hi; v++ {
		in := &r.prog.Insts[v]
		var x [3]uint64
		var t [3]rowprog.Type
		for i, u := range in.Uses() {
			x[i], t[i] = r.value[u], r.prog.Insts[u].Type
		}
		switch in.Op {
		case rowprog.OpConst:
			r.value[v] = in.Bits
		case rowprog.OpLoad:
			r.value[v] = loops.Load(in.Type, r.address(in.Operand, r.index))
		case rowprog.OpPick:
			at, limit := int64(x[0]), int64(x[1])
			if t[0] == rowprog.I32 {
				at, limit = int64(int32(at)), int64(int32(limit))
			}
			if at < 0 || at >= limit {
				at = 0
			}
			r.value[v] = loops.Load(in.Type, unsafe.Add(r.address(in.Operand, r.index), int(at)*in.Type.Size()))
		case rowprog.OpIota:
			r.value[v] = uint64(r.index[in.Axis])
		case rowprog.OpConvert:
			r.value[v] = scalar.Convert(in.Type, t[0], x[0])
		case rowprog.OpSelect:
			r.value[v] = scalar.Apply(in.Op, in.Type, x[0], x[1], x[2])
		case rowprog.OpReduce:
			r.rows[v] = append(r.rows[v], x[0])
		case rowprog.OpStore:
			loops.Store(t[0], r.address(in.Operand, r.index), x[0])
		case rowprog.OpAccumulate:
			r.accs[r.address(in.Operand, r.index)].add(r.index[0], x[0])
		case rowprog.OpGuard:
			if x[0] == 0 {
				return launch.Fault{Code: in.Code, Value: x[1]}, false
			}
		default:
			r.value[v] = scalar.Apply(in.Op, t[0], x[0], x[1], x[2])
		}
	}
	return launch.Fault{}, true
}

// address finds an operand's element.
func (r *run) address(operand int, index []int) unsafe.Pointer {
	offset := 0
	for axis, i := range index {
		offset += i * r.args.Stride[operand][axis]
	}
	return unsafe.Add(r.args.Ptr[operand], offset*r.prog.Operands[operand].Type.Size())
}
