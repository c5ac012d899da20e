package shapeinfer

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

const whySize = "sizes are 0 or more"

// sizeRequirements lists, for each size of a computed value that may be negative for some
// values of its names, that it is not: expressions such as n-3 can be given to operations,
// and come of them. Sizes of inputs and parameters are those of values, and no question.
func sizeRequirements(g *graph.Graph) (list []graph.Requirement) {
	p := prove.NewProver(g.Bounds)
	seen := map[graph.Dim]bool{}
	for _, n := range g.Nodes() {
		isDeclared := n.IsInput() || n.IsParam()
		for axis, d := range n.Shape() {
			if d.IsConst() || seen[d] || isDeclared || !n.Judged() || n.Err() != nil {
				continue
			}
			seen[d] = true
			if d.IsSymbolic() && p.AtLeast(d, 0) != prove.Proved {
				list = append(list, graph.Requirement{Node: n, Kind: graph.MustBeAtLeast, A: d, B: 0, Axis: axis, Why: whySize})
			}
		}
	}
	return list
}

// leaveOutImplied marks as proved what [sizeRequirements] requires and follows from other
// requirements: that a window fits, or that the bounds of a slice lie inside. The binding of
// sizes looks at the sizes of what it computes in any case.
func (j *joint) leaveOutImplied(list []*group) []*group {
	isSize := func(gr *group) bool { return gr.Why == whySize }
	kept := slices.DeleteFunc(slices.Clone(list), isSize)
	for _, gr := range list {
		if isSize(gr) && !j.implies(kept, gr) {
			kept = append(kept, gr)
		}
	}
	return kept
}

// implies reports whether a requirement follows from others, and marks it as proved then.
func (j *joint) implies(others []*group, gr *group) bool {
	left := j.work(prove.EffortAlone)
	defer j.done(left, *left)
	without := j.system(others...)
	if without.Deny(gr.Requirement) && without.Refuted(left) {
		gr.verdict = prove.Proved
	}
	return gr.verdict == prove.Proved
}
