package engine

import (
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// AssembleTask runs the parts of an assembly together, one slice of the leading axes at a time: what one part stores is
// still in the cache when the next one adds to it. The slices are the tiles of the task.
type AssembleTask struct {
	Parts  []slicedLoop
	slices int
	cost   int // an estimate of the time of a run, in nanoseconds
}

// slicedLoop is a part with the arguments for one slice.
type slicedLoop struct {
	*lower.Loop
	Args  *launch.Args
	call  *backend.Call
	first []unsafe.Pointer // of the operands, in the first slice
	at    []int            // of the operands in each slice, in bytes relative to the first slice
}

// slicedAxes returns the number of leading axes that all parts of an assembly traverse whole; 0 if there is only one
// part.
func slicedAxes(k *lower.Assemble) (count int) {
	if len(k.Parts) < 2 {
		return 0
	}
	whole := graph.RowMajor(k.Assembly.Node.Shape())
	for axis, d := range whole.Shape {
		for _, part := range k.Parts {
			for _, o := range part.Operands {
				if o.Write && (o.Layout.Shape[axis] != d || o.Layout.Strides[axis] != whole.Strides[axis]) {
					return count
				}
			}
			if d != 1 && count+1 >= len(part.Axes) {
				return count // the row is not sliced
			}
		}
		if d != 1 {
			count++
		}
	}
	return count
}

// sliceBytes is the size of a slice of the result. The first-level cache holds it together with the parts' operands.
const sliceBytes = 16 << 10

// bindSlices binds the parts of an assembly in slices of some leading axes.
func (b *Specialization) bindSlices(p *Code, k *lower.Assemble, axes int) Launch {
	s := b.newLaunch(p, k.Operands())
	sizes := b.argsOf(k.Parts[0]).Outer[:axes]
	chunks, bytes := make([]int, axes), b.bytes(k.Assembly.Node)
	j := &AssembleTask{slices: 1}
	for axis, size := range sizes {
		chunks[axis] = size
		if bytes > sliceBytes {
			bytes /= size
			chunks[axis] = divisorUpTo(size, max(sliceBytes/bytes, b.leastChunk(k, axis)))
			bytes *= chunks[axis]
			j.slices *= size / chunks[axis]
		}
	}
	for _, part := range k.Parts {
		whole := b.argsOf(part)
		copy(whole.Outer, chunks)
		sliced := slicedLoop{Loop: part, Args: backend.Coalesce(part.Kernel, whole),
			first: make([]unsafe.Pointer, len(part.Operands))}
		sliced.call = backend.Prepare(part.Kernel, sliced.Args)
		for slice := range j.slices {
			for i, o := range part.Program.Operands {
				rest, at := slice, 0
				for axis := axes - 1; axis >= 0; axis-- {
					count := max(sizes[axis]/max(chunks[axis], 1), 1)
					at += rest % count * chunks[axis] * whole.Stride[i][axis]
					rest /= count
				}
				sliced.at = append(sliced.at, at*o.Type.Size())
			}
		}
		of := LoopTask{Loop: part, Args: sliced.Args}
		of.divide()
		j.cost += of.cost * j.slices
		j.Parts = append(j.Parts, sliced)
	}
	s.Task = j
	return s
}

// leastChunk returns the least size of a slice along a leading axis: a cache line if some operand is contiguous only
// along this axis, and so is copied in blocks; otherwise 1.
func (b *Specialization) leastChunk(k *lower.Assemble, axis int) int {
	for _, part := range k.Parts {
		a := b.argsOf(part)
		for i, st := range a.Stride {
			if o := part.Program.Operands[i]; o.Domain == rowprog.Vec && st[axis] == 1 && st[len(a.Outer)] > 1 {
				return 64 / o.Type.Size()
			}
		}
	}
	return 1
}

// divisorUpTo returns the greatest divisor of n up to most, at least 1.
func divisorUpTo(n, most int) int {
	for d := min(n, most); d > 1; d-- {
		if n%d == 0 {
			return d
		}
	}
	return 1
}

func (j *AssembleTask) SetPointer(operand int, p unsafe.Pointer) {
	for _, part := range j.Parts {
		if operand < len(part.first) {
			part.first[operand] = p
			return
		}
		operand -= len(part.first)
	}
}

func (j *AssembleTask) Run(s *State) error {
	if s.pays(j.slices, j.cost) {
		s.ParallelFor(j, j.slices, j.cost)
		return nil
	}
	stopped := s.stopped()
	for at := 0; at < j.slices && (stopped == nil || !stopped()); at++ {
		for _, part := range j.Parts {
			part.SetPointers(part.Args, at)
			part.call.Run(&s.Ws.scratch)
		}
	}
	return nil
}

// Tile computes one slice.
func (j *AssembleTask) Tile(i int, ws *Workspace) {
	for _, part := range j.Parts {
		a := ws.argsOf(part.Program.Outer, len(part.Program.Operands))
		a.N, a.Whole = part.Args.N, part.Args.Whole
		copy(a.Outer, part.Args.Outer)
		for operand, stride := range part.Args.Stride {
			copy(a.Stride[operand], stride)
		}
		part.SetPointers(a, i)
		part.Kernel.Run(a, &ws.scratch)
	}
}

// SetPointers sets the operands' addresses in a slice.
func (p *slicedLoop) SetPointers(a *launch.Args, slice int) {
	for i, first := range p.first {
		a.Ptr[i] = first
		if first != nil {
			a.Ptr[i] = unsafe.Add(first, p.at[slice*len(p.first)+i])
		}
	}
}
