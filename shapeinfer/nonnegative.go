package shapeinfer

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

const (
	whySize     = "sizes are 0 or more"
	whyQuotient = "a size must be divisible"
)

// isOfSize reports whether a requirement is one of [sizeRequirements], and not a rule's.
func isOfSize(r graph.Requirement) bool { return r.Why == whySize || r.Why == whyQuotient }

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
			list = append(list, divisionRequirements(p, n, axis, d)...)
			if d.IsSymbolic() && p.AtLeast(d, 0) != prove.Proved {
				list = append(list, graph.Requirement{
					Node: n, Kind: graph.MustBeAtLeast, A: d, B: 0, Axis: axis, Why: whySize})
			}
		}
	}
	return list
}

// divisionRequirements lists, for the quotients in a size that no rule has made, that they leave
// no remainder: as d.DividedBy(8) that was given to an operation.
func divisionRequirements(p *prove.Prover, n *graph.Node, axis int, d graph.Dim) (list []graph.Requirement) {
	d.Terms(func(_ int64, factors []graph.Factor) {
		for _, f := range factors {
			if f.Name != "" {
				continue
			}
			list = append(list, divisionRequirements(p, n, axis, f.P)...)
			list = append(list, divisionRequirements(p, n, axis, f.Q)...)
			need := graph.Requirement{Node: n, Kind: graph.MustBeMultipleOf, Axis: axis, Why: whyQuotient}
			if !f.IsQuotient() || n.Graph().IsMultiple(f.P, f.Q) {
				continue
			}
			if need.A, need.B = f.P.Divisibility(f.Q); p.Judge(need) != prove.Proved {
				list = append(list, need)
			}
		}
	})
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
