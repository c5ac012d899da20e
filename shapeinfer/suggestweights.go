package shapeinfer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// grouped is what the attributes of a convolution implement.
type grouped interface{ GroupCount() int }

// declareWeights changes one size of the parameters of a layer: of those of one shape together, such as
// gain and bias, vectors before matrices.
func (t *trier) declareWeights() {
	if isElementwise := t.n.Op().Class == graph.Elementwise; isElementwise && !t.n.IsPart() {
		return // none of the operands is there for another one
	}
	sets := t.weights()
	for _, set := range sets {
		s := set[0].Shape()
		for axis := range s {
			for _, d := range t.sizesBeside(set) {
				if d == s[axis] || d == 1 && len(s) < 3 {
					continue // of the shapes of weights, only those of windows have a channel for each group
				}
				to := slices.Clone(s)
				to[axis] = d
				if t.tryDeclared(set, to) {
					return
				}
			}
		}
	}
}

// weights lists the parameters among the operands of the call, those of one shape together, the ones of
// fewest axes first.
func (t *trier) weights() (sets [][]*graph.Node) {
	for _, x := range t.n.InCall() {
		if x == nil || !x.IsParam() || !x.Judged() {
			continue
		}
		at := slices.IndexFunc(sets, func(set []*graph.Node) bool { return set[0].Shape().Equal(x.Shape()) })
		switch {
		case at < 0:
			sets = append(sets, []*graph.Node{x})
		case !slices.Contains(sets[at], x):
			sets[at] = append(sets[at], x)
		}
	}
	slices.SortStableFunc(sets, func(a, b []*graph.Node) int { return cmp.Compare(a[0].Rank(), b[0].Rank()) })
	return sets
}

// sizesBeside lists the known sizes of the other operands of the call, and of their parts in groups of
// channels.
func (t *trier) sizesBeside(set []*graph.Node) (sizes []graph.Dim) {
	groups := graph.Dim(1)
	if a, is := t.n.Attrs().(grouped); is && a.GroupCount() > 1 {
		groups = graph.Dim(a.GroupCount())
	}
	add := func(d graph.Dim) {
		if _, known := t.n.Graph().Known(d); known && !slices.Contains(sizes, d) {
			sizes = append(sizes, d)
		}
	}
	for _, x := range t.n.InCall() {
		if x = x.Written(); x == nil || slices.Contains(set, x) {
			continue
		}
		for _, d := range x.Shape() {
			if part, whole := d.ExactDiv(groups); whole && groups > 1 {
				add(part)
			}
			add(d)
		}
	}
	return sizes
}

func (t *trier) tryDeclared(set []*graph.Node, s graph.Shape) bool {
	words := make([]string, len(set))
	changes := make([]graph.Change, len(set))
	for i, x := range set {
		words[i] = x.Called()
		changes[i] = graph.Change{Node: x, Declared: &graph.Type{DType: x.DType(), Shape: s}}
	}
	return t.try(graph.Fix{Kind: graph.FixDeclare,
		Text: fmt.Sprintf("declare %s as %s", strings.Join(words, " and "), s), Gives: s, At: set[0]}, changes...)
}
