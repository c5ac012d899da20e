package exec

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/outline"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/exec/internal/scoreaxes"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/page"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Option is an option of [Compile].
type Option func(*request)

type request struct {
	ctx              context.Context
	outputs, updates []*graph.Node
	needs            []graph.Requirement // requirements that the check leaves to the binding of sizes
	warnings         []*graph.Mistake
	onWarning        func(*graph.Mistake)
	strict           bool                               // treats warnings as errors
	between          []func(*lower.Program, pass) error // run after each pass
	thresholds       lower.Thresholds
	fastBFloat16     bool
}

// Outputs adds to the values that each run returns.
func Outputs(nodes ...*graph.Node) Option {
	return func(r *request) { r.outputs = append(r.outputs, nodes...) }
}

// Updates adds to the in-place writes that each run performs, such as an optimiser's, and to calls made for their side
// effects, such as those of ops.Print. It may be given several times:
//
//	exec.Compile(g, exec.Outputs(loss), exec.Updates(step...), exec.Updates(pass.Updates()...))
func Updates(nodes ...*graph.Node) Option {
	return func(r *request) {
		r.updates = append(r.updates, nodes...)
		for i, n := range r.updates {
			if of := n.PackedBy(); of != nil {
				r.updates[i] = of
			}
		}
	}
}

// FastBFloat16 computes products of BFloat16 in AMX tile registers if the processor has them and the system grants
// them: eight times as fast as in float32 on an Intel Xeon 6. Sums are still float32, and results are rounded once, but
// the order of sums differs, and subnormal numbers count as 0: results can differ from those of other processors in the
// last bits. On other processors the option has no effect.
//
// Of each 32 products in a sum, the even ones are summed from 0 with fused multiply-adds, and so are the odd ones; the
// sum of the two is added to the sum so far.
func FastBFloat16() Option { return func(r *request) { r.fastBFloat16 = true } }

// roots lists the outputs, then the updates.
func (r *request) roots() []*graph.Node { return slices.Concat(r.outputs, r.updates) }

// pass is one step of compilation.
type pass struct {
	name   string
	doc    string
	needed bool // nothing runs without it; other passes make programs faster
	run    func(*lower.Program) error
}

// passes is the order of compilation.
var passes = []pass{
	{"import", "copy what the outputs and updates need", true, onGraph(rewrite.Import)},
	{"expand", "write composite operations with primitive ones", true, onGraph(rewrite.Expand)},
	{"widen", "compute reductions and products of narrow dtypes in wider ones", true, onGraph(rewrite.Widen)},
	{"simplify", "apply algebraic identities that hold for every value", false, onGraph(rewrite.Simplify)},
	{"channels-last", "compute small images with the channels as the last axis, as convolutions leave them", false,
		onGraph(rewrite.ChannelsLast)},
	{
		"unroll",
		"write reductions of a few elements of a view, or of many short rows, one by one, searches in several axes in one, and values for pairs of rows with the axis of the rows before the last one",
		false, onGraph(rewrite.Unroll)},
	{"long-rows", "repeat values of channels along short rows, so that all channels are one row", false,
		onGraph(rewrite.LongRows)},
	{"fold", "compute what depends on constants only", false, onGraph(rewrite.Fold)},
	{"cse", "merge equal nodes", false, onGraph(rewrite.CSE)},
	{"take-parts", "compute of values only the parts that are used", false, onGraph(rewrite.TakeParts)},
	{"split-scores", "compute scores and the columns beside them each by themselves", false,
		onGraph(rewrite.SplitScores)},
	{"insert-slices", "write sums of padded values that do not overlap as slices inserted into one value", false,
		onGraph(rewrite.InsertSlices)},
	{"join-assemblies", "write a value assembled of assembled ones as one of their parts", false,
		onGraph(rewrite.JoinAssemblies)},
	{"late-sums", "add scores up over their batch together with sums of multiples of that", false,
		onGraph(rewrite.LateSums)},
	{"score-axes", "split and move the axes of scores as chains of kernels want them", false,
		onGraph(scoreaxes.Arrange)},
	{"recompute", "compute again what comes from a product and is used far apart", false, onGraph(rewrite.Recompute)},
	{"rematerialize", "compute values that depend on positions only for each user", false,
		onGraph(rewrite.Rematerialize)},
	{"implicit-gemm", "let products read windows where they lie", false, onGraph(rewrite.ImplicitGEMM)},
	{"add-rows", "write only the rows of a table to which a sum by index adds, or which are put into it", false,
		onGraph(rewrite.AddRows)},
	{"sum-rows", "write sums over the rows of wide matrices that products read as products", false,
		onGraph(rewrite.SumRows)},
	{"narrow-factors", "let products read factors of fewer bits", false, onGraph(rewrite.NarrowFactors)},
	{"assemble-later", "compute elements of values that are put together from the parts, and put the results together",
		false, onGraph(rewrite.AssembleLater)},
	{"dce", "drop what nothing needs", false, onGraph(rewrite.DCE)},
	{"keep-later", "let loops keep what is computed from a kept value in its place", false, onGraph(rewrite.KeepLater)},
	{"outline", "make programs of the bodies of loops", true, onGraph(outline.Loops)},
	{"sequence", "order nodes so that writes follow all reads of what they write", true, onGraph(rewrite.Sequence)},
	{"fuse", "group nodes into kernels", true, fuseNodes},
	{"forward-stores", "let kernels store slices of assembled values where these have them", true, forwardStores},
	{"lower", "write each kernel as a row program", true, lower.Lower},
	{"find-chains", "bring kernels together that can run on one block of rows after another", false, lower.FindChains},
	{"fuse-with-matmul", "find kernels that can run on parts of a matrix product while these are in a cache", false,
		lower.FuseWithMatMul},
	{"assign-buffers", "assign buffers to what kernels exchange", true, lower.AssignBuffers},
}

// passOrder states which passes must precede which, and why.
var passOrder = []struct{ before, after, why string }{
	{"expand", "widen", "composite operations are written with sums and products"},
	{"expand", "simplify", "the identities are those of primitive operations"},
	{"widen", "cse", "a value is converted once for all that read it"},
	{"simplify", "channels-last", "movements of movements are one"},
	{"channels-last", "unroll", "sums of few places are those of rows of channels"},
	{"simplify", "unroll", "it makes views of views, which are simple already"},
	{"unroll", "cse", "windows that overlap read the same elements"},
	{"unroll", "long-rows", "what it writes are elementwise operations"},
	{"long-rows", "cse", "a value is repeated once for all that read it"},
	{"simplify", "fold", "identities bring constants together"},
	{"fold", "cse", "folded constants are merged"},
	{"cse", "take-parts", "it asks what all users of a value take, and equal ones are merged first"},
	{"simplify", "take-parts", "a product of one row of what it takes has the order of a product's sums"},
	{"take-parts", "recompute", "what is used far apart is known then"},
	{"simplify", "split-scores", "reductions and elements read values that are put together, and no views of them"},
	{"split-scores", "insert-slices", "paddings of scores are parts"},
	{"cse", "insert-slices", "equal paddings have several users, which are found first"},
	{"insert-slices", "join-assemblies", "slices that it inserts are parts"},
	{"join-assemblies", "dce", "what was assembled before loses its users"},
	{"insert-slices", "dce", "the paddings lose their users"},
	{"simplify", "score-axes", "movements that show a value as it is hide no product"},
	{"cse", "late-sums", "it asks what reads a sum, and equal ones are merged first"},
	{"late-sums", "score-axes", "what it multiplies is computed of scores"},
	{"score-axes", "recompute", "rows are reduced along the last axis"},
	{"score-axes", "sum-rows", "scores are summed over rows, which are known then"},
	{"cse", "recompute", "what it copies would be merged again"},
	{"recompute", "rematerialize", "what it copies takes masks of its own"},
	{"cse", "rematerialize", "what it copies would be merged again"},
	{"rematerialize", "dce", "what was copied loses its users"},
	{"cse", "implicit-gemm", "products that it changes are never equal again"},
	{"implicit-gemm", "dce", "the matrices of windows lose their users"},
	{"cse", "add-rows", "it asks whether a sum has one user, and equal ones are merged first"},
	{"simplify", "sum-rows", "a product of one row would be a sum again"},
	{"sum-rows", "dce", "the sums lose their users"},
	{"add-rows", "dce", "the sums lose their users"},
	{"implicit-gemm", "narrow-factors", "it looks for products of factors of one dtype"},
	{"narrow-factors", "dce", "the factors of more bits lose their users"},
	{"join-assemblies", "assemble-later", "parts of parts are parts then"},
	{"score-axes", "assemble-later", "it leaves scores as they are"},
	{"implicit-gemm", "assemble-later", "products that read windows of padded values need no assembled ones"},
	{"assemble-later", "dce", "the assembled values lose their users"},
	{"dce", "outline", "a loop keeps no value of all steps that nothing needs"},
	{"dce", "keep-later", "a kept value has one reader when all else is dropped"},
	{"keep-later", "outline", "loops show what their bodies compute"},
	{"implicit-gemm", "outline", "products of a body read windows too"},
	{"outline", "sequence", "a loop reads all that its body reads"},
	{"dce", "sequence", "a read that nothing needs must not hold back a write"},
	{"sequence", "fuse", "fusion keeps the order of kernels"},
	{"fuse", "forward-stores", "it is known which kernel computes a slice"},
	{"forward-stores", "lower", "kernels are lowered whole"},
	{"lower", "find-chains", "how rows lie is known from the programs"},
	{"find-chains", "fuse-with-matmul", "it changes which kernel follows a product"},
	{"lower", "fuse-with-matmul", "how a kernel's rows lie is known from its program"},
	{"fuse-with-matmul", "assign-buffers", "what a product reads must stay while kernels run on its parts"},
	{"lower", "assign-buffers", "which operands a kernel may overwrite is known from its program"},
}

// onGraph makes a pass of a function that rewrites the graph.
func onGraph(run func(*rewrite.Program) error) func(*lower.Program) error {
	return func(u *lower.Program) error { return run(u.Program) }
}

func fuseNodes(u *lower.Program) error {
	u.Groups = fusion.Fuse(u.Program)
	return nil
}

func forwardStores(u *lower.Program) error {
	u.Groups = fusion.ForwardStores(u.Groups)
	return nil
}

// Compile checks the graph and compiles a program that computes the outputs and performs the updates. The error lists
// every mistake in the graph with its source position: it is a *shapeinfer.Report. Warnings are written to standard
// error: see [OnWarning] and [Program.Warnings].
func Compile(g *graph.Graph, opts ...Option) (p *Program, err error) {
	r := request{ctx: context.Background(), thresholds: lower.UsualThresholds}
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
		if v := recover(); isStop(v) {
			p, err = nil, r.stopped("in", name)
		} else if v != nil {
			p, err = nil, inPass(name, bug.Panicked(u.At, v))
		}
		err = ofElement(err)
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
		r.between = append([]func(*lower.Program, pass) error{verifyUnit}, r.between...)
	}
	r.between = append(r.between, tryClaims(g))
	u.UserNodes = len(g.Nodes())
	for _, p := range passes {
		u.At, name = nil, p.name
		if err := r.stopped("before", name); err != nil {
			return nil, err
		}
		if err := p.run(u); err != nil {
			return nil, inPass(p.name, err)
		}
		for _, f := range r.between {
			if err := f(u, p); err != nil {
				return nil, err
			}
		}
	}
	if err := changedMeanings(g); err != nil {
		return nil, err
	}
	if err := r.stopped("before", "code"); err != nil {
		return nil, err
	}
	r.ctx = context.Background() // the program keeps the request
	u.At, name = nil, "code"
	if p, err = newProgram(g, r, u); err != nil {
		return nil, err
	}
	p.snapshots = sync.OnceValue(p.retrace)
	r.noteWrites(g)
	r.tellWarnings()
	writePage(func() *page.Document { return p.Page(nil, nil) })
	return p, nil
}

// unit begins a compilation of a graph, as it was when it had built nodes.
func (r *request) unit(g *graph.Graph, built int) *lower.Program {
	return &lower.Program{
		Program: &rewrite.Program{Graph: g, UserNodes: built, Roots: r.roots(), UserRoots: r.roots(),
			Evaluate: r.evaluate, Stopped: r.asked(), NumOutputs: len(r.outputs),
			FastBFloat16: r.fastBFloat16 && lower.MultipliesBFloat16()},
		Thresholds: r.thresholds, CompileBody: r.compileBody}
}

// compileBody compiles the body of a loop, from the pass that outlines loops on. The passes before that rewrote it
// together with its surroundings.
func (r *request) compileBody(body *rewrite.Program) (*lower.Program, error) {
	body.Stopped = r.asked()
	u := &lower.Program{Program: body, Thresholds: r.thresholds, CompileBody: r.compileBody}
	first := slices.IndexFunc(passes, func(p pass) bool { return p.name == "outline" })
	for _, p := range passes[first:] {
		if err := p.run(u); err != nil {
			return nil, inPass(p.name, err)
		}
		if verifying() {
			if err := verifyUnit(u, p); err != nil {
				return nil, err
			}
		}
	}
	return u, nil
}

// check rejects a graph with mistakes, and roots that are not its nodes. It records what can only be judged once sizes
// are bound.
func (r *request) check(g *graph.Graph) error {
	report := shapeinfer.CheckProgram(g, r.roots()...)
	r.needs = report.Requirements
	switch {
	case g == nil:
		return report.Err()
	case len(r.outputs)+len(r.updates) == 0:
		refuse(report, graph.Caller(), "nothing to compute: use exec.Outputs or exec.Updates")
	}
	for i, n := range r.outputs {
		checkRoot(report, fmt.Sprintf("output %d", i), n)
	}
	for i, n := range r.updates {
		what := fmt.Sprintf("update %d", i)
		if checkRoot(report, what, n) && n.Judged() && n.Op().Class != graph.Update && !n.Op().Ordered {
			refuse(report, n.Pos(),
				"%s, %s, writes nothing: it must be an in-place operation, or one with side effects, such as ops.Print",
				what, graph.Describe(n))
		}
	}
	r.takeWarnings(report)
	return report.Err()
}

// checkRoot rejects an output or an update that is not a node of the program's graph.
func checkRoot(report *shapeinfer.Report, what string, n *graph.Node) bool {
	switch {
	case n == nil || n.Op() == nil:
		refuse(report, graph.Caller(), "%s is nil, or a Node that was not made by an operation", what)
	case n.Graph() == report.Graph:
		bad := n.OutsideOfBody(what)
		if bad == nil || !n.Judged() { // that is a separate mistake
			return true
		}
		bad.Pos = n.Pos()
		report.Errors = append(report.Errors, bad)
	case n.Err() != nil:
		report.Errors = append(report.Errors, n.Err().(*graph.Mistake))
	case n.Graph() == nil:
		refuse(report, graph.Caller(), "%s, %s, is not a node of graph %q: it belongs to none", what, n.Called(),
			report.Graph.Name())
	default:
		refuse(report, n.Pos(), "%s, %s, is not a node of graph %q: it belongs to graph %q", what, n.Called(),
			report.Graph.Name(), n.Graph().Name())
	}
	return false
}

func refuse(report *shapeinfer.Report, at graph.Pos, format string, args ...any) {
	report.Errors = append(
		report.Errors, &graph.Mistake{Code: graph.CodeOperand, Pos: at, Summary: fmt.Sprintf(format, args...)})
}
