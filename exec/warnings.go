package exec

import (
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// OnWarning makes Compile pass each warning to a function, or drop them all if the function is nil; [Program.Warnings]
// still lists them. Without it, Compile writes warnings to standard error, but does not repeat any of the last 1000.
func OnWarning(handle func(*graph.Mistake)) Option {
	if handle == nil {
		handle = func(*graph.Mistake) {}
	}
	return func(r *request) { r.onWarning = handle }
}

// WarningsAreErrors makes Compile return an error for a program with warnings, for tests.
func WarningsAreErrors() Option { return func(r *request) { r.strict = true } }

// Warnings lists the warnings of Compile: about what is allowed, but rarely intended. Silence a warning at its node,
// with [graph.Node.Silence], or with the policy of its graph.
func (p *Program) Warnings() []*graph.Mistake { return slices.Clone(p.request.warnings) }

// takeWarnings keeps the warnings that concern the program. Two unordered writes of a parameter are an error if the
// program has both.
func (r *request) takeWarnings(report *shapeinfer.Report) {
	inProgram := map[*graph.Node]bool{}
	if len(report.Errors) == 0 && len(report.Warnings) > 0 {
		for i, live := range rewrite.Reachable(report.Graph, r.roots()) {
			for n := report.Graph.Nodes()[i]; n != nil && live; n = n.StandsFor() {
				inProgram[n] = true
			}
		}
	}
	for _, m := range report.Warnings {
		concerns := m.Node == nil || inProgram[m.Node] && m.Code != graph.CodeWriters ||
			m.Code == graph.CodeLeftOut && !m.Node.IsCarriedOut()
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
		report.Warnings = slices.DeleteFunc(report.Warnings, func(m *graph.Mistake) bool {
			return slices.Contains(r.warnings, m)
		})
	}
}

// tellWarnings reports the warnings.
func (r *request) tellWarnings() {
	for _, m := range r.warnings {
		if r.onWarning != nil {
			r.onWarning(m)
			continue
		}
		if text := m.Text(""); isNews(text) {
			fmt.Fprintln(os.Stderr, text)
		}
	}
}

// told holds the texts of warnings that were written to standard error.
var told struct {
	sync.Mutex
	texts map[string]bool
}

// maxTold limits the memory: when it is full, it starts anew.
const maxTold = 1000

// isNews reports whether a warning was not written before, and records it.
func isNews(text string) bool {
	told.Lock()
	defer told.Unlock()
	if told.texts[text] {
		return false
	}
	if told.texts == nil || len(told.texts) == maxTold {
		told.texts = map[string]bool{}
	}
	told.texts[text] = true
	return true
}

// noteWrites records the writes that the program executes.
func (r *request) noteWrites(g *graph.Graph) {
	for i, live := range rewrite.Reachable(g, r.roots()) {
		if n := g.Nodes()[i]; live && (n.Op().Class == graph.Update || n.Op().Ordered) {
			n.CarryOut()
		}
	}
}
