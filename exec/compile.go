package exec

import (
	"fmt"
	"slices"
	"sync"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/page"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Option says what a program is to compute.
type Option func(*request)

type request struct {
	outputs, updates []*graph.Node
	needs            []graph.Requirement // what the check has left to the binding of sizes
	warnings         []*graph.Mistake
	onWarning        func(*graph.Mistake)
	strict           bool                      // warnings are errors
	between          []func(*unit, pass) error // run after each pass
	thresholds       thresholds
}

// Outputs names the values that each run gives back.
func Outputs(nodes ...*graph.Node) Option {
	return func(r *request) { r.outputs = append(r.outputs, nodes...) }
}

// Updates names in-place writes that each run carries out, such as an optimiser's.
func Updates(nodes ...*graph.Node) Option {
	return func(r *request) { r.updates = append(r.updates, nodes...) }
}

// roots lists the outputs and then the updates.
func (r *request) roots() []*graph.Node { return slices.Concat(r.outputs, r.updates) }

// pass is one step of compilation.
type pass struct {
	name   string
	doc    string
	needed bool // nothing runs without it; the others make programs faster
	run    func(*unit) error
}

// passes is the order of compilation.
var passes = []pass{
	{"import", "copy what the outputs and updates need", true, onGraph(importPass)},
	{"expand", "write composite operations with primitive ones", false, onGraph(expandPass)},
	{"simplify", "apply algebraic identities that hold for every value", false, onGraph(simplifyPass)},
	{"unroll", "write reductions of a few elements of a view one by one, and searches in several axes in one", false, onGraph(unrollPass)},
	{"fold", "compute what depends on constants only", false, onGraph(foldPass)},
	{"cse", "merge equal nodes", false, onGraph(csePass)},
	{"join", "write sums of padded values that do not meet as one value of pieces", false, onGraph(joinPass)},
	{"repeat", "compute values that depend on positions only for each user", false, onGraph(repeatPass)},
	{"windows", "let products read windows where they lie", false, onGraph(windowsPass)},
	{"dce", "drop what nothing needs", false, onGraph(dcePass)},
	{"order", "order nodes so that writes follow all reads of what they write", true, onGraph(orderPass)},
	{"fuse", "group nodes into kernels", true, fuseNodes},
	{"place", "let kernels leave pieces of joined values where they belong", true, placePieces},
	{"lower", "write each kernel as a row program", true, lowerPass},
	{"follow", "find kernels that can go on with a product's rows while they are in the cache", false, followPass},
	{"plan", "assign buffers to what kernels exchange", true, planPass},
}

// passOrder states which passes must come before which, and why.
var passOrder = []struct{ before, after, why string }{
	{"expand", "simplify", "the identities are those of primitive operations"},
	{"simplify", "unroll", "it makes views of views, which are simple already"},
	{"unroll", "cse", "windows that overlap read the same elements"},
	{"simplify", "fold", "identities bring constants together"},
	{"fold", "cse", "folded constants are merged"},
	{"cse", "join", "equal paddings have several users, which are found first"},
	{"join", "dce", "the paddings lose their users"},
	{"cse", "repeat", "what it copies would be merged again"},
	{"repeat", "dce", "what was copied loses its users"},
	{"cse", "windows", "products that it changes are never equal again"},
	{"windows", "dce", "the matrices of windows lose their users"},
	{"dce", "order", "a read that nothing needs must not hold back a write"},
	{"order", "fuse", "fusion keeps the order of kernels"},
	{"fuse", "place", "it is known which kernel computes a piece"},
	{"place", "lower", "kernels are lowered whole"},
	{"lower", "follow", "how a kernel's rows lie is known from its program"},
	{"follow", "plan", "what a product reads must stay while its rows are followed"},
	{"lower", "plan", "which operands a kernel may overwrite is known from its program"},
}

// onGraph makes a pass of one that rewrites the graph.
func onGraph(run func(*rewriting) error) func(*unit) error {
	return func(u *unit) error { return run(u.rewriting) }
}

func fuseNodes(u *unit) error {
	u.groups = fusePass(u.rewriting)
	return nil
}

func placePieces(u *unit) error {
	u.groups = placePass(u.groups)
	return nil
}

// Compile checks the graph and compiles what computes the outputs and carries out the
// updates. The error holds every mistake of the graph, each with its place in the
// user's program: it is a *shapeinfer.Report. Warnings are written to standard error: see
// [OnWarning] and [Program.Warnings].
func Compile(g *graph.Graph, opts ...Option) (p *Program, err error) {
	r := request{thresholds: usualThresholds}
	for _, o := range opts {
		if o != nil {
			o(&r)
		}
	}
	if err := checkEnvironment(); err != nil {
		return nil, err
	}
	u, name := r.unit(g, 0), "check"
	defer func() {
		if v := recover(); v != nil {
			p, err = nil, inPass(name, panicAt(u.at, v))
		}
	}()
	if g != nil {
		defer g.KeepSizes()()
	}
	if err := r.check(g); err != nil {
		if g == nil {
			return nil, err
		}
		writePage(func() *page.Document { return page.FromGraph(g) })
		return nil, err
	}
	if verifying() {
		r.between = append([]func(*unit, pass) error{verifyUnit}, r.between...)
	}
	u.built = len(g.Nodes())
	for _, p := range passes {
		u.at, name = nil, p.name
		if err := p.run(u); err != nil {
			return nil, inPass(p.name, err)
		}
		for _, f := range r.between {
			if err := f(u, p); err != nil {
				return nil, err
			}
		}
	}
	u.at, name = nil, "code"
	if p, err = newProgram(g, r, u); err != nil {
		return nil, err
	}
	p.snapshots = sync.OnceValue(p.retrace)
	r.noteWrites(g)
	r.tellWarnings()
	writePage(func() *page.Document { return p.Page(nil, nil) })
	return p, nil
}

// unit begins a compilation of a graph as it was when it had some number of nodes.
func (r *request) unit(g *graph.Graph, built int) *unit {
	return &unit{rewriting: &rewriting{g: g, built: built, roots: r.roots(), asked: r.roots(), evaluate: evaluate, nOutputs: len(r.outputs)}, thresholds: r.thresholds}
}

// check refuses a graph with mistakes and roots that are none of its nodes. It notes what
// can only be judged once sizes are bound.
func (r *request) check(g *graph.Graph) error {
	report := shapeinfer.CheckProgram(g, r.roots()...)
	r.needs = report.Requirements
	switch {
	case g == nil:
		return report.Err()
	case len(r.outputs)+len(r.updates) == 0:
		refuse(report, graph.Caller(), "nothing to compute: give exec.Outputs or exec.Updates")
	}
	for i, n := range r.outputs {
		checkRoot(report, fmt.Sprintf("output %d", i), n)
	}
	for i, n := range r.updates {
		what := fmt.Sprintf("update %d", i)
		if checkRoot(report, what, n) && n.Judged() && n.Op().Class != graph.Update {
			refuse(report, n.Pos(), "%s, %s, writes nothing: it must be an in-place operation", what, graph.Describe(n))
		}
	}
	r.takeWarnings(report)
	return report.Err()
}

// checkRoot refuses an output or an update that is no node of the program's graph.
func checkRoot(report *shapeinfer.Report, what string, n *graph.Node) bool {
	switch {
	case n == nil || n.Op() == nil:
		refuse(report, graph.Caller(), "%s is nil, or a Node that no operation has made", what)
	case n.Graph() == report.Graph:
		return true
	case n.Err() != nil:
		report.Errors = append(report.Errors, n.Err().(*graph.Mistake))
	case n.Graph() == nil:
		refuse(report, graph.Caller(), "%s, %s, is no node of graph %q: it belongs to none", what, n.Called(), report.Graph.Name())
	default:
		refuse(report, n.Pos(), "%s, %s, is no node of graph %q: it belongs to graph %q", what, n.Called(), report.Graph.Name(), n.Graph().Name())
	}
	return false
}

func refuse(report *shapeinfer.Report, at graph.Pos, format string, args ...any) {
	report.Errors = append(report.Errors, &graph.Mistake{Code: graph.CodeOperand, Pos: at, Summary: fmt.Sprintf(format, args...)})
}
