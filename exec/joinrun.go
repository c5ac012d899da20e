package exec

import (
	"unsafe"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/bind"
)

// boundJoining is the parts of a joining, which go over the leading axes together, a slice
// at a time: what one part leaves is in the cache when the next one adds to it. It is a task
// whose tiles are the slices.
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
	at    []int            // of the operands in each slice, in bytes from the first one
}

// slicedAxes gives the number of leading axes of the parts' programs over the whole of
// which all of them go, if the kernel is a joining of several parts.
func (k *assembly) slicedAxes() (count int) {
	if len(k.parts) < 2 {
		return 0
	}
	whole := graph.RowMajor(k.joining.node.Shape())
	for axis, d := range whole.Shape {
		for _, part := range k.parts {
			for _, o := range part.operands {
				if o.write && (o.layout.Shape[axis] != d || o.layout.Strides[axis] != whole.Strides[axis]) {
					return count
				}
			}
			if d != 1 && count+1 >= len(part.axes) {
				return count // the row is not sliced
			}
		}
		if d != 1 {
			count++
		}
	}
	return count
}

// sliceBytes is the size of a slice of the result, which the first-level cache holds
// together with what the parts read.
const sliceBytes = 16 << 10

// bindSlices binds a joining's parts, which can be sliced along some leading axes.
func (b *binding) bindSlices(p *code, k *assembly, axes int) step {
	s := b.newStep(p, k.operands())
	sizes := b.argsOf(k.parts[0]).Outer[:axes]
	chunks, bytes := make([]int, axes), b.bytes(k.joining.node)
	j := &boundJoining{slices: 1}
	for axis, size := range sizes {
		chunks[axis] = size
		if bytes > sliceBytes {
			bytes /= size
			chunks[axis] = divisorUpTo(size, sliceBytes/bytes)
			bytes *= chunks[axis]
			j.slices *= size / chunks[axis]
		}
	}
	for _, part := range k.parts {
		whole := b.argsOf(part)
		copy(whole.Outer, chunks)
		sliced := slicedPart{part: part, args: backend.Coalesce(part.kernel, whole), first: make([]unsafe.Pointer, len(part.operands))}
		sliced.call = backend.Prepare(part.kernel, sliced.args)
		for slice := range j.slices {
			for i, o := range part.prog.Operands {
				rest, at := slice, 0
				for axis := axes - 1; axis >= 0; axis-- {
					count := max(sizes[axis]/max(chunks[axis], 1), 1)
					at += rest % count * chunks[axis] * whole.Stride[i][axis]
					rest /= count
				}
				sliced.at = append(sliced.at, at*o.Type.Size())
			}
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

func (j *boundJoining) run(s *state) error {
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
		a := ws.argsOf(part.prog.Outer, len(part.prog.Operands))
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
			a.Ptr[i] = unsafe.Add(first, p.at[slice*len(p.first)+i])
		}
	}
}
