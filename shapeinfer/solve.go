package shapeinfer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// solveTogether judges the requirements that were left when nodes were built, now that all
// of them are known, and the shapes of all inputs: each alone, then all that share named
// sizes together. What is proved is left out of r.Requirements; what no sizes satisfy
// becomes a mistake that names the fewest requirements that clash.
func solveTogether(g *graph.Graph, r *Report) {
	j := newJoint(g, r)
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
		j.together(j.leaveOutImplied(related))
	}
	r.Requirements = slices.DeleteFunc(r.Requirements, func(need graph.Requirement) bool {
		at, known := j.at[statementOf(need)]
		return known && j.groups[at].verdict != prove.Deferred
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
	verdict prove.Verdict
	nodes   int
}

// joint is the judgement of all requirements of one graph.
type joint struct {
	g      *graph.Graph
	report *Report
	groups []group
	at     map[statement]int
	left   int // the work that may still be done
	// linked joins names that occur in one fact, and later in one requirement. facts are the sizes of inputs that may
	// be negative for some values of their names, but are sizes; each is kept under the name that represents all that
	// are linked.
	linked links
	facts  map[string][]graph.Dim
}

func newJoint(g *graph.Graph, r *Report) *joint {
	return &joint{g: g, report: r, at: map[statement]int{}, left: prove.EffortOfCheck, linked: links{}}
}

func (j *joint) add(r graph.Requirement) {
	s := statementOf(r)
	if at, known := j.at[s]; known {
		j.groups[at].nodes++
		return
	}
	j.at[s] = len(j.groups)
	j.groups = append(j.groups, group{Requirement: r, names: prove.NamesOf(j.g.Bounds, r.A, r.B), nodes: 1})
}

// system returns the constraints of requirements and of the facts about their names.
func (j *joint) system(list ...*group) *prove.System {
	s := prove.NewSystem(j.g.Bounds)
	var names []string
	for _, gr := range list {
		s.Require(gr.Requirement)
		names = append(names, gr.names...)
	}
	j.assertFacts(s, names)
	return s
}

// alone judges one requirement, and refuses it where no sizes meet it.
func (j *joint) alone(gr *group) {
	if j.judge(gr); gr.verdict == prove.Refused {
		j.refuse([]*group{gr})
	}
}

// judge judges one requirement with what is known of the inputs.
func (j *joint) judge(gr *group) {
	if gr.verdict = prove.NewProver(j.g.Bounds).Judge(gr.Requirement); gr.verdict == prove.Deferred {
		if s := prove.NewSystem(j.g.Bounds); j.assertFacts(s, gr.names) {
			gr.verdict = s.Judge(gr.Requirement, false, false)
		}
	}
}

// components returns the deferred requirements, those that share names in one list. Facts
// count as shared.
func (j *joint) components() (lists [][]*group) {
	linked := maps.Clone(j.linked)
	for i := range j.groups {
		if gr := &j.groups[i]; gr.verdict == prove.Deferred {
			linked.join(gr.names)
		}
	}
	at := map[string]int{}
	for i := range j.groups {
		gr := &j.groups[i]
		if gr.verdict != prove.Deferred || len(gr.names) == 0 {
			continue
		}
		root := linked.root(gr.names[0])
		list, known := at[root]
		if !known {
			list = len(lists)
			at[root], lists = list, append(lists, nil)
		}
		lists[list] = append(lists[list], gr)
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
	if len(list) <= maxFixed {
		j.warnFixed(list)
	}
}

// maxFixed bounds the requirements of which names are looked for that can have one value
// only: each name is a search over all of them.
const maxFixed = 100

// maxPaired bounds the requirements of which all pairs are tried.
const maxPaired = 16

// maxReasons bounds the requirements that a warning lists.
const maxReasons = 3

func (j *joint) clash(list []*group) bool {
	if j.hasWitness(list) {
		return false
	}
	left := j.work(prove.EffortTogether)
	defer j.done(left, *left)
	return j.system(list...).Refuted(left)
}

// work returns an amount of work, as far as there is any left for the graph; done takes away
// what was used of it.
func (j *joint) work(terms int) *int { return prove.Effort(min(terms, j.left)) }

func (j *joint) done(left *int, given int) { j.left -= given - *left }

// hasWitness reports whether some of a few trial sizes satisfy all requirements and facts.
func (j *joint) hasWitness(list []*group) bool {
	var names []string
	seen, roots := map[string]bool{}, map[string]bool{}
	var facts []graph.Dim
	for _, gr := range list {
		for _, name := range gr.names {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
			if root := j.linked.root(name); !roots[root] {
				roots[root] = true
				facts = append(facts, j.facts[root]...)
			}
		}
	}
	for _, d := range facts {
		for _, name := range prove.NamesOf(j.g.Bounds, d) {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	s := prove.SamplesOf(j.g.Bounds, names)
	for round := range prove.Rounds {
		if s.Start(round) && satisfies(s, list, facts) {
			return true
		}
	}
	return false
}

func satisfies(s *prove.Samples, list []*group, facts []graph.Dim) bool {
	for _, d := range facts {
		if v, err := d.Eval(s.Lookup); err != nil || v < 0 {
			return false
		}
	}
	for _, gr := range list {
		if yes, _ := s.Holds(gr.Requirement); !yes {
			return false
		}
	}
	return true
}

// core leaves out what is not needed for the contradiction. Two that clash are looked for
// first: they are the easiest to understand.
func (j *joint) core(list []*group) []*group {
	for i := 0; i < len(list) && len(list) <= maxPaired; i++ {
		for k := range i {
			if pair := []*group{list[k], list[i]}; j.clash(pair) {
				return pair
			}
		}
	}
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
		gr.verdict = prove.Refused
		names = append(names, gr.names...)
		if gr.Node != nil && last.Node != nil && gr.Node.ID() > last.Node.ID() {
			last = gr
		}
	}
	slices.Sort(names)
	m := &graph.Mistake{Code: graph.CodeJoint, Node: last.Node}
	for _, gr := range core {
		clauses = append(clauses, fmt.Sprintf(
			"%s from %s at %s", RequirementText(gr.Requirement), graph.Describe(gr.Node), gr.Node.Pos()))
		if gr.nodes > 1 {
			m.Detail = append(m.Detail, fmt.Sprintf(
				"%s is required by %s more", RequirementText(gr.Requirement), counted(gr.nodes-1, "node")))
		}
	}
	m.Summary = noSize(slices.Compact(names)) +
		[3]string{" satisfies ", " satisfies both: ", " satisfies all of: "}[min(len(core)-1, 2)] + joinedByAnd(clauses)
	j.report.Errors = append(j.report.Errors, m)
}

// noSize begins a sentence: no size of "n", no sizes of "n" and "m".
func noSize(names []string) string {
	for i, name := range names {
		names[i] = fmt.Sprintf("%q", name)
	}
	switch len(names) {
	case 0:
		return "no size"
	case 1:
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
	s := j.system(list...)
	warned := map[string]bool{}
	for _, gr := range list {
		for _, name := range gr.names {
			if warned[name] || j.g.Bounds(name).Is != 0 {
				continue
			}
			warned[name] = true
			left := j.work(prove.EffortTogether)
			given := *left
			lo, hi, none := s.Range(s.Of(graph.SymbolicDim(name)), left)
			j.done(left, given)
			if none || lo != hi || j.isDeclared(name) {
				continue
			}
			m := &graph.Mistake{Code: graph.CodeFixedName, Node: gr.Node,
				Summary: fmt.Sprintf("%s can only be %d", name, lo)}
			if j.canBe(name, lo, list) {
				m.Fixes = []graph.Fix{
					{Kind: graph.FixDeclare, Text: fmt.Sprintf("write %d instead of %s if this is intended", lo, name)}}
			}
			for _, other := range list {
				if slices.Contains(other.names, name) && len(m.Detail) < maxReasons {
					m.Detail = append(m.Detail, fmt.Sprintf(
						"%s, for %s at %s", RequirementText(other.Requirement), graph.Describe(other.Node),
						other.Node.Pos()))
				}
			}
			j.report.choose(m, j.g.Policy().FixedName)
		}
	}
}

// canBe reports whether the rules find nothing wrong when a name is a number.
func (j *joint) canBe(name string, v int64, list []*group) bool {
	said := j.g.Bounds(name)
	said.Is = graph.Dim(v)
	if v == 0 || !j.g.Try(graph.Change{Bounds: map[string]graph.Bounds{name: said}}).Keeps() {
		return false
	}
	for _, gr := range list {
		as := gr.Requirement
		as.A, as.B = as.A.Subst(name, graph.Dim(v)), as.B.Subst(name, graph.Dim(v))
		if prove.NewProver(j.g.Bounds).Judge(as) == prove.Refused {
			return false
		}
	}
	return true
}

// isDeclared reports whether what was declared of a name leaves it one value.
func (j *joint) isDeclared(name string) bool {
	s := prove.NewSystem(j.g.Bounds)
	lo, hi, _ := s.Range(s.Of(graph.SymbolicDim(name)), prove.Effort(prove.EffortAlone))
	return lo == hi
}
