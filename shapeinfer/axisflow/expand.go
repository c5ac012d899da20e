package axisflow

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// template is the expansion of a composite operation for operands of certain types.
type template struct {
	like     *graph.Node   // the node for which it was made
	operands []*graph.Node // inputs and constants that replace the operands
	result   *graph.Node   // nil if it cannot be expanded

	isJudged   bool
	normalized []int // see Flow.Normalized
}

// templates caches them, since the layers of a deep model are alike.
type templates map[*graph.Op][]*template

// maxDepth limits the nesting of composites.
const maxDepth = 32

// of returns the template for a node.
func (t templates) of(n *graph.Node) *template {
	for _, known := range t[n.Op()] {
		if known.fits(n) {
			return known
		}
	}
	made := write(n)
	t[n.Op()] = append(t[n.Op()], made)
	return made
}

// fits reports whether a node has the same expansion as the template's node.
func (t *template) fits(n *graph.Node) bool {
	if len(n.Operands()) != len(t.like.Operands()) || n.DType() != t.like.DType() || !n.Shape().Equal(t.like.Shape()) {
		return false
	}
	for i, x := range n.Operands() {
		y := t.like.In(i)
		if x.DType() != y.DType() || !x.Shape().Equal(y.Shape()) || (x.IsConst() || y.IsConst()) && x != y {
			return false
		}
	}
	return reflect.DeepEqual(n.Attrs(), t.like.Attrs())
}

// write expands a composite operation in a separate graph.
func write(n *graph.Node) *template {
	g := n.Graph().Derive()
	t := &template{like: n, operands: make([]*graph.Node, len(n.Operands()))}
	for i, x := range n.Operands() {
		if x.IsConst() {
			t.operands[i] = g.Copy(x, nil)
		} else {
			t.operands[i] = g.Input(fmt.Sprintf("x%d", i), x.DType(), x.Shape()...)
		}
	}
	t.result = expanded(g, n, t.operands)
	return t
}

// expanded calls an operation's Expand. It returns nil if that fails: the check tells the user.
func expanded(g *graph.Graph, n *graph.Node, operands []*graph.Node) (y *graph.Node) {
	defer func() {
		if recover() != nil {
			y = nil
		}
	}()
	if n.Op().Expand == nil {
		return nil
	}
	y = n.Op().Expand(g.Copy(n, operands), slices.Clone(operands))
	if y == nil || y.Graph() != g || !y.Judged() || y.Rank() != n.Rank() || g.Err() != nil {
		return nil
	}
	return y
}

// composite follows axes through the expansion of a composite operation.
func (f *Flow) composite(n *graph.Node, in []Value) Value {
	if n.Op().Aligned != nil {
		return aligned(n, in)
	}
	t := f.templates.of(n)
	if t.result == nil || f.depth > maxDepth {
		return scrambled(in)
	}
	inner := f.inside(t)
	for i, x := range t.operands {
		inner.begin[x] = in[i]
	}
	return inner.Value(t.result)
}

// Within returns a flow through the expansion of a composite operation, with what is known of its operands, and its
// result; nil if it cannot be expanded.
func (f *Flow) Within(n *graph.Node) (inner *Flow, result *graph.Node) {
	t := f.templates.of(n)
	if t.result == nil || f.depth > maxDepth {
		return nil, nil
	}
	inner = f.inside(t)
	for i, x := range n.Operands() {
		if x.Graph() == n.Graph() {
			inner.begin[t.operands[i]] = f.Value(x)
		}
	}
	return inner, t.result
}

// inside makes a flow through a template.
func (f *Flow) inside(t *template) *Flow {
	inner := newFlow(t.result.Graph())
	inner.templates, inner.depth = f.templates, f.depth+1
	return inner
}

// aligned follows axes through a composite operation that states how it reads its operands.
func aligned(n *graph.Node, in []Value) (v Value) {
	for i, x := range n.Operands() {
		axes := n.Op().Aligned(n, i)
		v = v.either(in[i].each(func(d Dependence) Dependence {
			u := Dependence{Source: d.Source, Mixed: d.Mixed, Offset: d.Offset}
			for _, t := range d.Terms {
				at := linear{factors: make([]graph.Dim, n.Rank())}
				if axes[t.Axis] < 0 {
					u.Mixed = true
					continue
				}
				at.factors[axes[t.Axis]] = 1
				u.add(t, at, x.Shape()[t.Axis], n.Shape())
			}
			return u.normal()
		}))
	}
	return v
}
