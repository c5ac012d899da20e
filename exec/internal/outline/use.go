package outline

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// dropUnread drops outputs of bodies whose values of all steps are never read. No memory is kept for them, and no step
// computes them.
func (o *outliner) dropUnread() error {
	read := map[*Call][]int{} // the live results
	for _, n := range o.u.Graph.Nodes() {
		if a, isCall := CallOf(n); isCall {
			read[a.Call] = append(read[a.Call], a.Result)
		}
	}
	for call, results := range read {
		if err := call.dropUnread(results); err != nil {
			return err
		}
	}
	return nil
}

func (c *Call) dropUnread(results []int) error {
	p := c.Body
	isRead := make([]bool, p.NumOutputs)
	for _, x := range c.Carried {
		isRead[x.Next] = true
	}
	for _, i := range results {
		if c.Results[i].Role == graph.LoopStack {
			isRead[c.Results[i].Output] = true
		}
	}
	if !slices.Contains(isRead, false) {
		return nil
	}
	moved := make([]int, p.NumOutputs) // the outputs' new indices; -1 for dropped ones
	roots, userRoots := p.Roots[:0:0], p.UserRoots[:0:0]
	for i := range moved {
		if moved[i] = -1; isRead[i] {
			moved[i] = len(roots)
			roots, userRoots = append(roots, p.Roots[i]), append(userRoots, p.UserRoots[i])
		}
	}
	p.Roots, p.UserRoots, p.NumOutputs = append(roots, p.Roots[p.NumOutputs:]...),
		append(userRoots, p.UserRoots[p.NumOutputs:]...), len(roots)
	for i := range c.Carried {
		c.Carried[i].Next = moved[c.Carried[i].Next]
	}
	for i := range c.Results {
		if c.Results[i].Role == graph.LoopStack {
			c.Results[i].Output = moved[c.Results[i].Output]
		}
	}
	return rewrite.DCE(p)
}

// given returns a value in a form that can be a body's input. It copies a value that is a view of memory in another
// order, such as one that was written into a part of other memory.
func (b *bodyBuilder) given(x *graph.Node) *graph.Node {
	base := x
	for alias.IsView(base) {
		base = base.In(0)
	}
	if !rewrite.LiesDense(base) {
		b.next.At(b.end, func() { x = ops.Copy(x) })
	}
	return x
}

// shown repeats in the body the views that lead from a value's memory to the value. If the value waits for another one,
// the loop does.
func (b *bodyBuilder) shown(x *graph.Node, memory func(*graph.Node) *graph.Node) *graph.Node {
	switch {
	case !alias.IsView(x):
		return memory(x)
	case x.Op().Waits:
		return b.shown(x.In(0), func(base *graph.Node) *graph.Node {
			if !base.IsConst() {
				b.next.At(x, func() { base = graph.Apply(x.Op(), x.Attrs(), base, x.In(1)) })
			}
			return memory(base)
		})
	}
	return b.g.Copy(x, []*graph.Node{b.shown(x.In(0), memory)})
}
