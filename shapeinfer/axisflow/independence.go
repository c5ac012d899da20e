package axisflow

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Leak says why a value cannot be proved to treat examples independently.
type Leak struct {
	// At is the operation whose result for one example is computed from others. It is nil if the examples end up
	// along another axis.
	At *graph.Node
	// Path leads from the values where examples are fed through At to the value.
	Path []*graph.Node
	// Along is the axis of the value along which the examples are instead, or -1.
	Along int
	// Normalizes says that At computes a result for each example from that example and a sum over all.
	Normalizes bool
}

// Independent proves that the elements of y at each position of an axis are computed only from those at the same
// position of the given axes, which have the same size. It returns nil, or the reason why it cannot.
func Independent(y *graph.Node, axis int, of []graph.AxisOf) *Leak {
	f := newFlow(y.Graph())
	for _, a := range of {
		f.addSource(a, 0)
	}
	d, depends := f.Value(y).Of(0)
	switch at, kept := d.keeps(y.Shape()); {
	case !depends || kept && at == axis:
		return nil
	case kept:
		return &Leak{Path: f.path(y), Along: at}
	}
	return f.leak(y)
}

// keeps reports whether the positions of the source are those of one axis.
func (d Dependence) keeps(s graph.Shape) (axis int, ok bool) {
	if d.Mixed || d.Offset != 0 || len(d.Terms) != 1 {
		return 0, false
	}
	t := d.Terms[0]
	return t.Axis, t.Inner == 1 && t.Weight == 1 && t.Size == s[t.Axis]
}

// isMoved reports whether a value reads other positions than its own, without mixing them: those of one example for
// all, or of a neighbour.
func (d Dependence) isMoved() bool { return !d.Mixed && (len(d.Terms) == 0 || d.Offset != 0) }

// leak goes back from a value to the first operation that mixes examples.
func (f *Flow) leak(y *graph.Node) *Leak {
	path := []*graph.Node{y}
	for at := y; ; {
		worse := f.operand(at, path, func(d Dependence) bool { return d.Mixed })
		if worse == nil {
			worse = f.operand(at, path, Dependence.isMoved)
		}
		if worse == nil {
			return &Leak{At: at, Path: slices.Concat(f.path(at), path[1:]), Along: -1, Normalizes: f.normalizes(at)}
		}
		at = worse
		path = slices.Insert(path, 0, at)
	}
}

// operand returns the first operand whose dependence on the examples satisfies is, or nil. It skips operands that were
// seen: a carried value depends on itself.
func (f *Flow) operand(n *graph.Node, seen []*graph.Node, is func(Dependence) bool) *graph.Node {
	for _, x := range f.givers(n) {
		if x == nil || x.Graph() != n.Graph() || slices.Contains(seen, x) {
			continue
		}
		if d, depends := f.Value(x).Of(0); depends && is(d) {
			return x
		}
	}
	return nil
}

// path returns the nodes from where examples are fed to a value.
func (f *Flow) path(n *graph.Node) []*graph.Node {
	path := []*graph.Node{n}
	for f.begin[n] == nil {
		n = f.operand(n, path, func(Dependence) bool { return true })
		if n == nil {
			break
		}
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}

// normalizes reports whether a composite operation gives each example a sum over all of them.
func (f *Flow) normalizes(n *graph.Node) bool {
	d, _ := f.Value(n).Of(0)
	return n.Op().Class == graph.Composite && len(d.Terms) > 0 && f.foldOfAll(n) == graph.FoldSum
}

// foldOfAll returns how the operation that mixes examples, possibly inside a composite, folds all of them. One that
// folds windows of them, as pooling does, has no such fold.
func (f *Flow) foldOfAll(n *graph.Node) graph.Fold {
	if n.Op().Class != graph.Composite || f.depth > maxDepth {
		if d, _ := f.Value(n).Of(0); len(d.Terms) > 0 {
			return graph.NoFold
		}
		return n.Op().Fold
	}
	t := f.templates.of(n)
	if t.result == nil {
		return graph.NoFold
	}
	inner := f.inside(t)
	for i, x := range n.Operands() {
		if x.Graph() == n.Graph() {
			inner.begin[t.operands[i]] = f.Value(x)
		}
	}
	return inner.foldOfAll(inner.leak(t.result).At)
}
