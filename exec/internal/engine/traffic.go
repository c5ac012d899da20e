package engine

import (
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/placement"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Traffic counts the bytes that one run of a kernel moves, and what its operations would move as separate kernels.
func (b *Specialization) Traffic(k lower.Kernel) (moved, unfused int) {
	type use struct {
		base  *graph.Node
		write bool
	}
	if k, ok := k.(*lower.AddRows); ok {
		rows := b.Eval(k.Outer) * b.Eval(k.Count) * b.Eval(k.Inner) * k.Node.DType().Size()
		moved = 3*rows + b.bytes(k.Node.In(1)) // reads what is added, and reads and writes distinct rows
		if k.Replace {
			moved -= rows
		}
		return moved, 2*b.bytes(k.Node) + moved
	}
	seen := map[use]int{}
	picks, ok := k.(*lower.Gather)
	ok = ok && picks.Fold == graph.NoFold
	picked := b.picked(k)
	for i, o := range k.Operands() {
		if o.Base == nil || b.isInBlocks[o.Base] {
			continue
		}
		most := b.bytes(o.Base) // windows may read elements several times
		if ok && i == 0 {       // it only reads picked elements
			most = min(most, b.bytes(picks.Node))
		}
		u := use{o.Base, o.Write}
		bytes := min((b.touched(o)+picked[i])*o.Base.DType().Size(), most-seen[u])
		seen[u] += bytes
		moved += bytes
	}
	members := k.Computes().Members()
	if len(members) == 1 {
		return moved, moved
	}
	for _, n := range members {
		unfused += b.bytes(n)
		for i, x := range n.Operands() {
			if i == 0 || x != n.In(i-1) {
				unfused += b.bytes(x)
			}
		}
	}
	return moved, unfused
}

// picked returns how many elements of each operand the row programs of a kernel pick.
func (b *Specialization) picked(k lower.Kernel) map[int]int {
	picked, first := map[int]int{}, 0
	for _, part := range k.Loops() {
		for i := range part.Program.Insts {
			if in := &part.Program.Insts[i]; in.Op == rowprog.OpPick {
				picked[first+in.Operand] += b.Eval(part.Space.NumElements())
			}
		}
		first += len(part.Operands)
	}
	return picked
}

// touched counts the elements of memory that an operand's layout covers.
func (b *Specialization) touched(o fusion.Operand) int {
	count := 1
	for axis, stride := range b.strides(o) {
		if stride != 0 {
			count *= b.Eval(o.Layout.Shape[axis])
		}
	}
	return count
}

func (b *Specialization) bytes(n *graph.Node) int {
	return b.Eval(n.Shape().NumElements()) * n.DType().Size()
}

// Live returns the most bytes of the arena's values that are live at once. Values that share memory count once.
// Matrices of a chain count with the blocks of its threads.
func (b *Specialization) Live(p *Code) int {
	extents := b.extents(p)
	for i := range extents {
		if k := &extents[i]; k.chain == nil && k.Bytes > 0 {
			k.Bytes = b.sizeOf(k.s) // without padding
		}
	}
	most, _ := placement.MostInUse(blocksOf(extents), len(p.Kernels)+1)
	return most
}

// sizeOf returns the bytes of a buffer of the arena.
func (b *Specialization) sizeOf(s *lower.Buffer) int {
	if s.Repeat != nil {
		return b.bodies[s.Repeat].scratch
	}
	return b.Eval(s.Count) * s.Dtype.Size()
}

// LastWith returns the last kernel of the chain that begins with a kernel, or that kernel itself.
func (b *Specialization) LastWith(first int) int {
	for _, t := range b.chains {
		if t.First == first {
			return t.Last
		}
	}
	return first
}

// Flops counts the operations on elements of one run of a kernel, and those among them on elements of 8 bytes. A
// multiply-add counts as two, and a function such as exp as one.
func (b *Specialization) Flops(k lower.Kernel) (all, wide int) {
	count := func(n, elementBytes int) {
		all += n
		if elementBytes == 8 {
			wide += n
		}
	}
	switch k := k.(type) {
	case *lower.MatMul:
		count(2*b.Eval(k.Batch.NumElements())*b.Eval(k.M)*b.Eval(k.N)*b.Eval(k.K), k.Dtype.Size())
	case *lower.Gather:
		if k.Fold != graph.NoFold {
			count(b.Eval(k.Outer)*b.Eval(k.Count)*b.Eval(k.Inner), k.Node.DType().Size())
		}
	case *lower.AddRows:
		if k.Replace {
			break
		}
		count((2+len(k.Node.Operands())-3)*b.Eval(k.Outer)*b.Eval(k.Count)*b.Eval(k.Inner), k.Node.DType().Size())
	case *lower.Repeat:
		body, steps := b.bodies[k], b.Eval(k.Call.Region.Length())
		for _, inner := range k.Body.Kernels {
			each, wideEach := body.Flops(inner)
			all, wide = all+each*steps, wide+wideEach*steps
		}
	default:
		for _, part := range b.selectVariant(k) {
			b.countFlops(part, count)
		}
	}
	return all, wide
}

// countFlops counts the operations of a row program by how often its sections run.
func (b *Specialization) countFlops(part *lower.Loop, count func(n, elementBytes int)) {
	times := map[rowprog.Domain]int{rowprog.Uniform: 1, rowprog.Vec: b.Eval(graph.Shape(part.Space).NumElements()),
		rowprog.Row: 1}
	for _, axes := range part.Axes[:max(len(part.Axes)-1, 0)] {
		for _, axis := range axes {
			times[rowprog.Row] *= b.Eval(part.Space[axis])
		}
	}
	for i := range part.Program.Insts {
		in := &part.Program.Insts[i]
		each := 0
		switch {
		case in.Op == rowprog.OpFMA:
			each = 2
		case in.Op.IsPrimitive() || in.Op == rowprog.OpReduce || in.Op == rowprog.OpAccumulate:
			each = 1
		}
		if each > 0 && in.Domain != rowprog.Const {
			from := part.Program.Insts[in.Args[in.Op.Arity()-1]].Type // a comparison has its operands' type
			count(each*times[in.Section.Domain()], from.Size())
		}
	}
}
