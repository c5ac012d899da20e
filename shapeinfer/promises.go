package shapeinfer

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// checkPromises proves what the program states of shapes. Only declarations are assumed, and that
// the sizes of inputs are sizes: what is left to binding proves nothing.
func checkPromises(g *graph.Graph, r *Report) {
	promises := g.Promises()
	if len(promises) == 0 {
		return
	}
	j := newJoint(g, r)
	holds := func(need graph.Requirement) bool {
		if prove.NewProver(g.Bounds).Judge(need) == prove.Proved {
			return !j.differByName(need)
		}
		j.findFacts()
		gr := group{Requirement: need, names: prove.NamesOf(g.Bounds, need.A, need.B)}
		j.judge(&gr)
		return gr.verdict == prove.Proved
	}
	for _, p := range promises {
		if p.Judge == nil {
			continue
		}
		for _, m := range p.Judge(holds) {
			if m.Severity == graph.Warning {
				r.Warnings = append(r.Warnings, m)
				continue
			}
			if p.Kind == graph.Taken { // what the parts of the call do not take follows from it
				r.Errors = slices.DeleteFunc(r.Errors, func(e *graph.Mistake) bool { return p.IsOfCall(e.Node) })
			}
			r.Errors = append(r.Errors, m)
		}
	}
}

// differByName reports whether two sizes that should be equal, and are one number, have names that
// under strict names are two sizes.
func (j *joint) differByName(need graph.Requirement) bool {
	isEqual := need.Kind == graph.MustEqual || need.Kind == graph.MustEqualOrOne
	if !isEqual || j.g.Policy().Names != graph.Strict || need.A.IsConst() || need.B.IsConst() {
		return false
	}
	nominal := func(name string) graph.Bounds { return j.g.Bounds(name).Nominal() }
	return prove.NewProver(nominal).Judge(need) != prove.Proved
}
