package shapeinfer

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// deferredNotes describes each requirement that is left to the binding of sizes, and the declaration that would prove
// it. Equal requirements of several nodes are described once, at the first.
func deferredNotes(needs []graph.Requirement) (notes []*graph.Mistake) {
	type statement struct {
		kind graph.RequirementKind
		a, b graph.Dim
	}
	told := map[statement]bool{}
	bounds := boundsOf(needs)
	for _, r := range needs {
		s := statement{r.Kind, r.A, r.B}
		if b, is := boundOf(r); is {
			if strongest := bounds[b.of()]; strongest.need.Node == r.Node && strongest.at == b.at && !told[s] {
				told[s] = true
				notes = append(notes, strongest.note())
			}
			continue
		}
		if told[s] || r.Node == nil {
			continue
		}
		told[s] = true
		m := &graph.Mistake{Code: graph.CodeDeferred, Severity: graph.Note, Node: r.Node,
			Summary: "deferred to binding: " + RequirementText(r)}
		if r.Why != "" {
			m.Detail = append(m.Detail, r.Why)
		}
		if len(notes) < min(maxSuggested, maxJudged/len(r.Node.Graph().Nodes())) {
			proveByMultiple(m, r)
		}
		notes = append(notes, m)
	}
	return notes
}

// RequirementText returns a requirement in a few words: "h == w", "batch >= 2".
func RequirementText(r graph.Requirement) string {
	form := "%s == %s"
	switch r.Kind {
	case graph.MustBroadcast:
		form = "%s == %s, or one of them is 1"
	case graph.MustEqualOrOne:
		return fmt.Sprintf("%s == %s, or %s == 1", r.A, r.B, r.B)
	case graph.MustBeAtLeast:
		form = "%s >= %s"
	case graph.MustBeMultipleOf:
		form = "%s is a multiple of %s"
	case graph.MustDiffer:
		form = "%s != %s"
	}
	return fmt.Sprintf(form, r.A, r.B)
}

// proveByMultiple looks for a name of which the requirement holds whenever it is a multiple
// of some number, as the sizes of images after several halvings.
func proveByMultiple(m *graph.Mistake, r graph.Requirement) {
	g := r.Node.Graph()
	d := r.A.Minus(r.B)
	list := divisors(d)
	if k, whole := r.B.Int(); whole && r.Kind == graph.MustBeMultipleOf {
		list = append([]int64{k}, list...)
	}
	for _, k := range list {
		for _, name := range d.Symbols() {
			b := g.Bounds(name)
			if b.Multiple > 1 && (k%b.Multiple != 0 || k == b.Multiple) {
				continue
			}
			changed := b
			changed.Multiple = k
			said := map[string]graph.Bounds{name: changed}
			if !settles(r, said) || !g.Try(graph.Change{Bounds: said}).Keeps() {
				continue
			}
			if onlyThen(r, name, k, g.Bounds) {
				m.Summary += fmt.Sprintf(", which holds exactly when %s is %s", name, multipleWord(k))
			}
			m.Fixes = append(m.Fixes, graph.Fix{Kind: graph.FixDeclare,
				Text: fmt.Sprintf("declare g.Dim(%q, graph.MultipleOf(%d)) and it is proved", name, k)})
			return
		}
	}
}

// settles reports whether other declarations of names settle a requirement, alone or with all others
// of its node. The node's rule says nothing of a size, nor of a multiple that the graph takes for granted
// since the node requires it: it would find nothing to require without these declarations too.
func settles(r graph.Requirement, said map[string]graph.Bounds) bool {
	g := r.Node.Graph()
	cured := func(b map[string]graph.Bounds) bool {
		return g.Try(graph.Change{Node: r.Node, Bounds: b}).Cures(r.Node)
	}
	if !isOfSize(r) && cured(said) && !cured(map[string]graph.Bounds{}) {
		return true
	}
	return prove.NewProver(func(name string) graph.Bounds {
		if b, is := said[name]; is {
			return b
		}
		return g.Bounds(name)
	}).Judge(r) == prove.Proved
}

func multipleWord(k int64) string {
	if k == 2 {
		return "even"
	}
	return fmt.Sprintf("a multiple of %d", k)
}

// onlyThen reports whether an equality fails for every size that is no multiple of k.
func onlyThen(r graph.Requirement, name string, k int64, bounds graph.BoundsOf) bool {
	if r.Kind != graph.MustEqual || k > maxRests {
		return false
	}
	p := prove.NewProver(bounds)
	for rest := int64(1); rest < k; rest++ {
		other := graph.SymbolicDim(name).Times(graph.Dim(k)).Minus(graph.Dim(k - rest))
		if p.Equal(r.A.Subst(name, other), r.B.Subst(name, other)) != prove.Refused {
			return false
		}
	}
	return true
}

const (
	maxRests    = 64
	maxDivisors = 8
)

// divisors lists the numbers by which a size divides its names, the smallest first, and
// their products where floors stand within floors.
func divisors(d graph.Dim) (list []int64) {
	var visit func(d graph.Dim, outer int64)
	visit = func(d graph.Dim, outer int64) {
		d.Terms(func(_ int64, factors []graph.Factor) {
			for _, f := range factors {
				if f.IsSum() {
					visit(f.P, outer)
				}
				if f.K > 1 && len(list) < maxDivisors {
					k := outer * f.K
					if !slices.Contains(list, k) {
						list = append(list, k)
					}
					visit(f.P, k)
				}
			}
		})
	}
	visit(d, 1)
	slices.Sort(list)
	return list
}
