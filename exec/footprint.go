package exec

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Footprint is a plan in bytes, with all sizes known.
type Footprint struct {
	Sizes   map[string]int64
	Arena   int           // bytes of a session's arena
	Buffers []BufferBytes // of Plan.Buffers, in their order
	Kernels []KernelBytes // of Plan.Kernels, in their order
}

// BufferBytes is where a buffer lies; only one of the arena has an offset.
type BufferBytes struct{ Offset, Bytes int }

// KernelBytes is what one run of a kernel moves between memory and processor, where it
// reads each operand once and writes each result once; and what its operations would
// move if each were a kernel of its own.
type KernelBytes struct{ Moved, Unfused int }

// Footprint evaluates the plan for the given named sizes. All names that inputs have
// must be given.
func (p *Program) Footprint(sizes map[string]int) (*Footprint, error) {
	b, err := p.bindingFor(sizes)
	if err != nil {
		return nil, err
	}
	f := &Footprint{Sizes: b.sizes, Arena: b.arena}
	for _, buffer := range p.Plan().Buffers {
		s := p.storageOf[buffer.Node]
		at := BufferBytes{Bytes: b.eval(s.count) * s.dtype.Size()}
		if s.kind == inArena {
			at.Offset = b.offsets[s.index]
		}
		f.Buffers = append(f.Buffers, at)
	}
	for _, k := range p.kernels {
		f.Kernels = append(f.Kernels, b.traffic(k))
	}
	return f, nil
}

// bindingFor binds a program to named sizes, without data.
func (p *Program) bindingFor(sizes map[string]int) (*binding, error) {
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
	given := shapeinfer.Sizes{} // some may stand in no input
	for _, name := range p.source.DimNames() {
		if v, is := sizes[name]; is {
			given[name] = int64(v)
		}
	}
	bound, err := shapeinfer.BindProgram(p.source, p.request.roots(), inputs, p.needs, given)
	if err != nil {
		return nil, err // it begins with the place in the user's program
	}
	return p.newBinding(shapes, bound, 1)
}

// traffic counts the bytes of one run of a kernel.
func (b *binding) traffic(k kernel) (t KernelBytes) {
	type use struct {
		base  *graph.Node
		write bool
	}
	seen := map[use]int{}
	picks, ok := k.(*gathering)
	ok = ok && !picks.add
	for i, o := range k.operands() {
		if o.base == nil {
			continue
		}
		most := b.bytes(o.base) // windows reach some elements again and again
		if ok && i == 0 {       // it reads what it picks
			most = min(most, b.bytes(picks.node))
		}
		u := use{o.base, o.write}
		bytes := min(b.touched(o)*o.base.DType().Size(), most-seen[u])
		seen[u] += bytes
		t.Moved += bytes
	}
	members := k.of().members()
	if len(members) == 1 {
		return KernelBytes{t.Moved, t.Moved}
	}
	for _, n := range members {
		t.Unfused += b.bytes(n)
		for i, x := range n.Operands() {
			if i == 0 || x != n.In(i-1) {
				t.Unfused += b.bytes(x)
			}
		}
	}
	return t
}

// touched counts the elements of memory that an operand's layout reaches.
func (b *binding) touched(o operand) int {
	count := 1
	for axis, stride := range b.strides(o) {
		if stride != 0 {
			count *= b.eval(o.layout.Shape[axis])
		}
	}
	return count
}

func (b *binding) bytes(n *graph.Node) int { return b.eval(n.Shape().NumElements()) * n.DType().Size() }
