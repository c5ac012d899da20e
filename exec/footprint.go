package exec

import (
	"fmt"

	"github.com/broadloom/broadloom/exec/internal/engine"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Footprint is a plan in bytes, with all sizes known.
type Footprint struct {
	Sizes   map[string]int64
	Arena   int           // bytes of a session's arena
	Buffers []BufferBytes // of Plan.Buffers, in their order
	Kernels []KernelBytes // of Plan.Kernels, in their order
}

// BufferBytes is the location of a buffer; only buffers in the arena have an offset. A matrix that kernels exchange
// block by block has no bytes: the threads' memory for blocks counts in Arena.
type BufferBytes struct{ Offset, Bytes int }

// KernelBytes counts the bytes that one run of a kernel moves, reading each operand once and writing each result once,
// and those that its operations would move if each were a separate kernel.
type KernelBytes struct {
	Moved, Unfused int
	Body           []KernelBytes // of KernelPlan.Body, for one step
}

// Footprint evaluates the plan for the given named sizes. All names in the inputs' shapes must be given.
func (p *Program) Footprint(sizes map[string]int) (*Footprint, error) {
	b, err := p.bindingFor(sizes)
	if err != nil {
		return nil, err
	}
	f := &Footprint{Sizes: b.Sizes, Arena: b.Arena}
	for _, planned := range p.Plan().Buffers {
		s := planned.buffer
		at := BufferBytes{Bytes: b.Eval(s.Count) * s.Dtype.Size()}
		if b.IsInBlocks(s.Node) {
			at.Bytes = 0
		}
		if s.Kind == lower.InArena {
			at.Offset = b.Offsets[s.Index]
		}
		f.Buffers = append(f.Buffers, at)
	}
	f.Kernels = kernelBytes(b.Specialization, p.code.Kernels)
	return f, nil
}

func kernelBytes(b *engine.Specialization, kernels []lower.Kernel) (list []KernelBytes) {
	for _, k := range kernels {
		made := KernelBytes{}
		made.Moved, made.Unfused = b.Traffic(k)
		if loop, is := k.(*lower.Repeat); is {
			made.Body = kernelBytes(b.Body(loop), loop.Body.Kernels)
		}
		list = append(list, made)
	}
	return list
}

// bindingFor binds a program to named sizes, without data.
func (p *Program) bindingFor(sizes map[string]int) (*specialized, error) {
	var inputs []shapeinfer.Bound
	var shapes [][]int
	for _, in := range p.inputs {
		shape := make([]int, in.node.Rank())
		for axis, d := range in.node.Shape() {
			n, err := d.Eval(func(name string) (int64, bool) { v, ok := sizes[name]; return int64(v), ok })
			if err != nil {
				return nil, fmt.Errorf("exec: the size %s of input %s: %w", d, in.node.Label(), err)
			}
			shape[axis] = int(n)
		}
		shapes = append(shapes, shape)
		inputs = append(inputs, shapeinfer.Bound{Node: in.node, Shape: shape})
	}
	given := shapeinfer.Sizes{} // some may occur in no input
	for _, name := range p.source.DimNames() {
		if v, is := sizes[name]; is {
			given[name] = int64(v)
		}
	}
	sizesBound, err := shapeinfer.BindProgram(p.source, p.request.roots(), inputs, p.needs, given)
	if err != nil {
		return nil, err // it begins with the user's file and line
	}
	return p.bind(shapes, sizesBound, 1)
}
