package exec

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// OnWarning has Compile hand each warning to a function. Without it, Compile writes warnings
// to standard error, each text once in a process.
func OnWarning(handle func(*graph.Mistake)) Option {
	return func(r *request) { r.onWarning = handle }
}

// WarningsAreErrors has Compile refuse a program with warnings, for tests.
func WarningsAreErrors() Option { return func(r *request) { r.strict = true } }

// Warnings lists what Compile has warned of: what is allowed, and is seldom meant. A
// warning is silenced at its node, [graph.Node.Silence], or by the policy of its graph.
func (p *Program) Warnings() []*graph.Mistake { return slices.Clone(p.request.warnings) }

// takeWarnings keeps those warnings of a graph that concern the program. That two writes of a
// parameter have no order is an error of a program that has both.
func (r *request) takeWarnings(report *shapeinfer.Report) {
	inProgram := map[*graph.Node]bool{}
	if len(report.Errors) == 0 && len(report.Warnings) > 0 {
		for i, live := range reachable(report.Graph, r.roots()) {
			inProgram[report.Graph.Nodes()[i]] = live
		}
	}
	for _, m := range report.Warnings {
		concerns := m.Node == nil || inProgram[m.Node] && m.Code != shapeinfer.CodeWriters ||
			m.Code == shapeinfer.CodeLeftOut && !carriedOut.has(m.Node)
		if !concerns || len(report.Errors) > 0 {
			continue
		}
		r.warnings = append(r.warnings, m)
	}
	if r.strict {
		for _, m := range r.warnings {
			refused := *m
			refused.Severity = graph.Error
			report.Errors = append(report.Errors, &refused)
		}
		report.Warnings = slices.DeleteFunc(report.Warnings, func(m *graph.Mistake) bool { return slices.Contains(r.warnings, m) })
	}
}

// tellWarnings hands the warnings over.
func (r *request) tellWarnings() {
	for _, m := range r.warnings {
		if r.onWarning != nil {
			r.onWarning(m)
			continue
		}
		if _, known := told.LoadOrStore(m.Text(""), true); !known {
			fmt.Fprintln(os.Stderr, m.Text(""))
		}
	}
}

// told holds the texts of warnings that were written to standard error.
var told sync.Map

// carriedOut holds the writes that programs of this process carry out, while their graphs live.
var carriedOut nodeSet

// nodeSet is a set of nodes that does not keep them alive, for many goroutines.
type nodeSet struct{ nodes sync.Map }

func (s *nodeSet) add(n *graph.Node) {
	key := weak.Make(n)
	if _, known := s.nodes.LoadOrStore(key, true); !known {
		runtime.AddCleanup(n, func(key weak.Pointer[graph.Node]) { s.nodes.Delete(key) }, key)
	}
}

func (s *nodeSet) has(n *graph.Node) bool {
	_, known := s.nodes.Load(weak.Make(n))
	return known
}

// noteWrites remembers what the program carries out.
func (r *request) noteWrites(g *graph.Graph) {
	if len(r.updates) == 0 {
		return
	}
	for i, live := range reachable(g, r.roots()) {
		if n := g.Nodes()[i]; live && n.Op().Class == graph.Update {
			carriedOut.add(n)
		}
	}
}
