package exec

import (
	"unsafe"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/bind"
)

// boundJoining is the parts of a joining, which go over the outermost axis together, a
// slice at a time: what one part leaves is in the cache when the next one adds to it. It is
// a task whose tiles are the slices.
type boundJoining struct {
	parts  []slicedPart
	slices int
	cost   int // an estimate of the time of a run, in nanoseconds
}

// slicedPart is a part with the arguments of one slice.
type slicedPart struct {
	*part
	args  *bind.Args
	call  *backend.Call
	first []unsafe.Pointer // of the operands, in the first slice
	step  []int            // of the operands, in bytes from slice to slice
}

// isSliced reports whether the kernel is a joining of several parts, all of which go over
// the whole of the outermost axis.
func (k *kernel) isSliced() bool {
	if k.joining == nil || len(k.parts) < 2 {
		return false
	}
	whole := graph.RowMajor(k.joining.node.Shape())
	for _, part := range k.parts {
		if len(part.axes) < 2 || part.axes[0][0] != 0 {
			return false
		}
		for _, o := range part.operands {
			if o.write && (o.layout.Shape[0] != whole.Shape[0] || o.layout.Strides[0] != whole.Strides[0]) {
				return false
			}
		}
	}
	return true
}

// sliceBytes is the size of a slice of the result, which the first-level cache holds
// together with what the parts read.
const sliceBytes = 8 << 10

// bindSlices binds a joining's parts.
func (b *binding) bindSlices(p *Program, k *kernel) step {
	s := b.newStep(p, k.allOperands())
	n := k.joining.node
	length := b.eval(n.Shape()[0])
	size := divisorUpTo(length, sliceBytes/max(b.bytes(n)/max(length, 1), 1))
	j := &boundJoining{slices: length / size}
	for _, part := range k.parts {
		whole := b.argsOf(part)
		whole.Outer[0] = size
		sliced := slicedPart{part: part, args: backend.Coalesce(part.kernel, whole), first: make([]unsafe.Pointer, len(part.operands))}
		sliced.call = backend.Prepare(part.kernel, sliced.args)
		for i, o := range part.prog.Operands {
			sliced.step = append(sliced.step, whole.Stride[i][0]*size*o.Type.Size())
		}
		of := boundPart{part: part, args: sliced.args}
		of.divide()
		j.cost += of.cost * j.slices
		j.parts = append(j.parts, sliced)
	}
	s.kernel = j
	return s
}

// divisorUpTo gives the greatest divisor of n that is no more than most, at least 1.
func divisorUpTo(n, most int) int {
	for d := min(n, most); d > 1; d-- {
		if n%d == 0 {
			return d
		}
	}
	return 1
}

func (j *boundJoining) point(operand int, p unsafe.Pointer) {
	for _, part := range j.parts {
		if operand < len(part.first) {
			part.first[operand] = p
			return
		}
		operand -= len(part.first)
	}
}

func (j *boundJoining) run(s *Session) error {
	if s.threads > 1 && j.slices > 1 && j.cost >= offerCost {
		s.share(j, j.slices, j.cost)
		return nil
	}
	for at := range j.slices {
		for _, part := range j.parts {
			part.pointTo(part.args, at)
			part.call.Run(&s.ws.scratch)
		}
	}
	return nil
}

// tile computes one slice.
func (j *boundJoining) tile(i int, ws *workspace) {
	for _, part := range j.parts {
		a := ws.argsOf(part.prog)
		a.N, a.Whole = part.args.N, part.args.Whole
		copy(a.Outer, part.args.Outer)
		for operand, stride := range part.args.Stride {
			copy(a.Stride[operand], stride)
		}
		part.pointTo(a, i)
		part.kernel.Run(a, &ws.scratch)
	}
}

// pointTo sets the operands' addresses in a slice.
func (p *slicedPart) pointTo(a *bind.Args, slice int) {
	for i, first := range p.first {
		a.Ptr[i] = first
		if first != nil {
			a.Ptr[i] = unsafe.Add(first, slice*p.step[i])
		}
	}
}
