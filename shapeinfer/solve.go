package shapeinfer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/diophantine"
)

// solveTogether judges the requirements that were left when nodes were built, now that all
// of them are known, and the shapes of all inputs: each alone, then all that share named
// sizes together. What is proved is left out of r.Requirements; what no sizes satisfy
// becomes a mistake that names the fewest requirements that clash.
func solveTogether(g *graph.Graph, r *Report) {
	j := &joint{g: g, report: r, at: map[statement]int{}}
	for _, need := range r.Requirements {
		if need.Node == nil || need.Node.Err() == nil {
			j.add(need)
		}
	}
	if len(j.groups) > 0 {
		j.findFacts()
	}
	for i := range j.groups {
		j.alone(&j.groups[i])
	}
	for _, related := range j.components() {
		j.together(related)
	}
	r.Requirements = slices.DeleteFunc(r.Requirements, func(need graph.Requirement) bool {
		at, known := j.at[statementOf(need)]
		return known && j.groups[at].verdict == Proved
	})
}

// statement is what a requirement says, whatever node it comes from.
type statement struct {
	kind graph.RequirementKind
	a, b graph.Dim
}

func statementOf(r graph.Requirement) statement { return statement{r.Kind, r.A, r.B} }

// group is a requirement, with the first node that has it.
type group struct {
	graph.Requirement
	names   []string
	verdict Verdict
	nodes   int
}

// fact is what holds of the sizes whatever is required: that the sizes of inputs are not
// negative.
type fact struct {
	size  graph.Dim
	names []string
}

// joint is the judgement of all requirements of one graph.
type joint struct {
	g      *graph.Graph
	report *Report
	groups []group
	at     map[statement]int
	facts  []fact
}

func (j *joint) add(r graph.Requirement) {
	s := statementOf(r)
	if at, known := j.at[s]; known {
		j.groups[at].nodes++
		return
	}
	j.at[s] = len(j.groups)
	names := slices.Concat(r.A.Symbols(), r.B.Symbols())
	slices.Sort(names)
	j.groups = append(j.groups, group{Requirement: r, names: slices.Compact(names), nodes: 1})
}

func (j *joint) findFacts() {
	p := NewProver(j.g.Bounds)
	seen := map[graph.Dim]bool{}
	for _, n := range j.g.Nodes() {
		if !n.IsInput() && !n.IsParam() {
			continue
		}
		for _, d := range n.Shape() {
			if d.IsSymbolic() && !seen[d] && p.AtLeast(d, 0) != Proved {
				j.facts = append(j.facts, fact{d, d.Symbols()})
			}
			seen[d] = true
		}
	}
}

// system gives the constraints of requirements and of the facts about their names.
func (j *joint) system(needs ...graph.Requirement) *sizes {
	s := newSizes(j.g.Bounds)
	names := map[string]bool{}
	for _, r := range needs {
		s.require(r)
		mark(names, r.A.Symbols())
		mark(names, r.B.Symbols())
	}
	for _, f := range j.related(names) {
		s.Assert(diophantine.NotNegative(s.of(f.size)))
	}
	return s
}

// related lists the facts about names, and about the names in these, and adds those to
// the set.
func (j *joint) related(names map[string]bool) (found []fact) {
	taken := make([]bool, len(j.facts))
	for more := true; more; {
		more = false
		for i, f := range j.facts {
			if !taken[i] && slices.ContainsFunc(f.names, func(name string) bool { return names[name] }) {
				taken[i], more = true, true
				found = append(found, f)
				mark(names, f.names)
			}
		}
	}
	return found
}

func mark(set map[string]bool, names []string) {
	for _, name := range names {
		set[name] = true
	}
}

// alone judges one requirement with what is known of the inputs.
func (j *joint) alone(gr *group) {
	gr.verdict = NewProver(j.g.Bounds).judge(gr.Requirement)
	names := map[string]bool{}
	mark(names, gr.names)
	if facts := j.related(names); gr.verdict == Deferred && len(facts) > 0 {
		s := newSizes(j.g.Bounds)
		for _, f := range facts {
			s.Assert(diophantine.NotNegative(s.of(f.size)))
		}
		gr.verdict = s.judge(gr.Requirement)
	}
	if gr.verdict == Refused {
		j.refuse([]*group{gr})
	}
}

// components gives the deferred requirements, those that share names in one list.
func (j *joint) components() [][]*group {
	var lists [][]*group
	of := map[string]int{} // the list of a name
	join := func(names []string) int {
		to := -1
		for _, name := range names {
			at, known := of[name]
			switch {
			case !known || at == to:
			case to < 0:
				to = at
			default:
				lists[to], lists[at] = append(lists[to], lists[at]...), nil
				for other, list := range of {
					if list == at {
						of[other] = to
					}
				}
			}
		}
		if to < 0 {
			to = len(lists)
			lists = append(lists, nil)
		}
		for _, name := range names {
			of[name] = to
		}
		return to
	}
	for _, f := range j.facts {
		join(f.names)
	}
	for i := range j.groups {
		if gr := &j.groups[i]; gr.verdict == Deferred {
			at := join(gr.names)
			lists[at] = append(lists[at], gr)
		}
	}
	return lists
}

// together judges requirements that share names, and warns of a name that can be one
// number only.
func (j *joint) together(list []*group) {
	for len(list) > 1 && j.clash(list) {
		core := j.core(list)
		j.refuse(core)
		list = slices.DeleteFunc(list, func(gr *group) bool { return slices.Contains(core, gr) })
	}
	if len(list) > 0 {
		j.warnFixed(list)
	}
}

func (j *joint) clash(list []*group) bool {
	return j.system(requirements(list)...).Refuted(effortTogether)
}

func requirements(list []*group) []graph.Requirement {
	needs := make([]graph.Requirement, len(list))
	for i, gr := range list {
		needs[i] = gr.Requirement
	}
	return needs
}

// core leaves out what is not needed for the contradiction.
func (j *joint) core(list []*group) []*group {
	core := slices.Clone(list)
	for i := len(core) - 1; i >= 0 && len(core) > 1; i-- {
		if without := slices.Delete(slices.Clone(core), i, i+1); j.clash(without) {
			core = without
		}
	}
	return core
}

// refuse records that no sizes satisfy the requirements.
func (j *joint) refuse(core []*group) {
	last := core[0]
	var names, clauses []string
	for _, gr := range core {
		gr.verdict = Refused
		names = append(names, gr.names...)
		if gr.Node != nil && last.Node != nil && gr.Node.ID() > last.Node.ID() {
			last = gr
		}
	}
	slices.Sort(names)
	m := &graph.Mistake{Code: CodeJoint, Node: last.Node}
	for _, gr := range core {
		clauses = append(clauses, fmt.Sprintf("%s from %s at %s", RequirementText(gr.Requirement), graph.Describe(gr.Node), gr.Node.Pos()))
		m.Detail = append(m.Detail, fmt.Sprintf("%s: %s%s", RequirementText(gr.Requirement), gr.Why, also(gr)))
	}
	m.Summary = noSize(slices.Compact(names)) + [3]string{" satisfies ", " satisfies both: ", " satisfies all of: "}[min(len(core)-1, 2)] + joinedByAnd(clauses)
	j.report.Errors = append(j.report.Errors, m)
}

func also(gr *group) string {
	if gr.nodes == 1 {
		return ""
	}
	return fmt.Sprintf(" (and of %s more)", counted(gr.nodes-1, "node"))
}

// noSize begins a sentence: no size of "n", no sizes of "n" and "m".
func noSize(names []string) string {
	for i, name := range names {
		names[i] = fmt.Sprintf("%q", name)
	}
	if len(names) == 1 {
		return "no size of " + names[0]
	}
	last := len(names) - 1
	return "no choice of sizes " + strings.Join(names[:last], ", ") + " and " + names[last]
}

func joinedByAnd(clauses []string) string {
	last := len(clauses) - 1
	if last == 0 {
		return clauses[0]
	}
	return strings.Join(clauses[:last], ", ") + ", and " + clauses[last]
}

// warnFixed warns of named sizes that the requirements leave a single value.
func (j *joint) warnFixed(list []*group) {
	s := j.system(requirements(list)...)
	warned := map[string]bool{}
	for _, gr := range list {
		for _, name := range gr.names {
			b := j.g.Bounds(name)
			if warned[name] || b.Max > 0 && b.Max == b.Min {
				continue
			}
			warned[name] = true
			lo, hi, none := s.Range(s.of(graph.SymbolicDim(name)), effortTogether)
			if none || lo != hi {
				continue
			}
			j.report.Warnings = append(j.report.Warnings, &graph.Mistake{Code: CodeFixedName, Severity: graph.Warning, Node: gr.Node,
				Summary: fmt.Sprintf("%s can only be %d: %s", name, lo, RequirementText(gr.Requirement)),
				Help:    []string{fmt.Sprintf("write %d in the place of %s if that is meant", lo, name)}})
		}
	}
}
