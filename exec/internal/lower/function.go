package lower

import (
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// FunctionSpec is a kernel that calls a Go function of whole arrays.
type FunctionSpec struct {
	Node     *graph.Node
	Operands []fusion.Operand // all dense; the result is last
	Core     []int            // for each operand, the number of axes of an example
}

func newFunctionSpec(n *graph.Node) *FunctionSpec {
	core, result := n.Op().Core(n)
	p := &FunctionSpec{Node: n, Core: append(core[:len(core):len(core)], result)}
	for _, x := range n.Operands() {
		p.Operands = append(p.Operands, fusion.Operand{Base: alias.Viewed(x), Layout: alias.LayoutOf(x)})
	}
	p.Operands = append(p.Operands, fusion.Operand{Base: n, Layout: graph.RowMajor(n.Shape()), Write: true})
	return p
}
