package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// hooks give an operation functions that call count first.
var hooks = map[string]func(op *graph.Op, count func()) bool{
	"Infer": func(op *graph.Op, count func()) bool {
		of := op.Infer
		op.Infer = func(c *graph.Call) (dtype, shape) { count(); return of(c) }
		return true
	},
	"Promote": func(op *graph.Op, count func()) bool {
		op.Promote = func(t []dtype, _ []graph.OperandRank) []dtype { count(); return t }
		return true
	},
	"Identity": func(op *graph.Op, count func()) bool {
		op.Identity = func(dtype, int) (float64, bool) { count(); return 0, false }
		return op.Class == graph.Elementwise
	},
	"Emit": func(op *graph.Op, count func()) bool {
		of := op.Emit
		op.Emit = func(e graph.Emitter, n *graph.Node, x []graph.Value) graph.Value { count(); return of(e, n, x) }
		return of != nil
	},
	"Axes": func(op *graph.Op, count func()) bool {
		of := op.Axes
		op.Axes = func(n *graph.Node) []int { count(); return of(n) }
		return of != nil
	},
	"View": func(op *graph.Op, count func()) bool {
		of := op.View
		op.View = func(n *graph.Node, in graph.Layout) (graph.Layout, bool) { count(); return of(n, in) }
		return of != nil
	},
	"Assemble": func(op *graph.Op, count func()) bool {
		of := op.Assemble
		op.Assemble = func(n *graph.Node) graph.Assembly { count(); return of(n) }
		return of != nil
	},
	"Expand": func(op *graph.Op, count func()) bool {
		of := op.Expand
		op.Expand = func(n *graph.Node, in []*graph.Node) *graph.Node { count(); return of(n, in) }
		return of != nil
	},
	"Grad": func(op *graph.Op, count func()) bool {
		of := op.Grad
		op.Grad = func(n, dy *graph.Node, i int) *graph.Node { count(); return of(n, dy, i) }
		return of != nil
	},
	"Args": func(op *graph.Op, count func()) bool { return true }, // of the attributes
}

// talking are fixed arguments whose text is an operation's own too.
type talking struct{ Count func() }

func (a talking) Args(operands []string) []string { a.Count(); return operands }

// TestPanicsOfOperations lets each function of an operation panic at its first call, at its second, and so on. The
// result is an error that names the operation and the line where it is used, or no error if the function was called
// only for a text or a better program.
func TestPanicsOfOperations(t *testing.T) {
	for _, own := range []func(string) *graph.Op{
		ownScale, ownMix, ownUpdate, ownTurn, ownSpread, ownFold, ownPick, ownDrop, ownWritten} {
		for hook, wrap := range hooks {
			op := own("own")
			left, fired := 0, false
			count := func() {
				if left--; left == 0 {
					fired = true
					panic("oh")
				}
			}
			if !wrap(op, count) {
				continue
			}
			for at := 1; at == 1 || fired; at++ {
				left, fired = at, false
				err := useOwn(op, talking{count}, hook == "Args")
				if fired && err != nil {
					require.Regexp(t, `panickyops_test\.go:\d+\)?: `, err.Error(), "%s of %s, call %d", hook,
						op.Doc, at)
					require.Regexp(t, `Own\(|"own"`, err.Error(), "%s of %s, call %d", hook, op.Doc, at)
					require.NotContains(t, err.Error(), "please report", "%s of %s, call %d", hook, op.Doc, at)
				} else {
					require.NoError(t, err)
				}
			}
		}
	}
}

// useOwn does with an operation what users do.
func useOwn(op *graph.Op, attrs any, talks bool) error {
	if !talks {
		attrs = nil
	}
	g := graph.New("own")
	x := g.Input("x", graph.Float64, 2, 3).Mutable()
	from := ops.Transpose(ops.Exp(ops.Transpose(x, 0, 1)), 0, 1)
	if op.Class == graph.Update {
		from = x
	}
	in := []*graph.Node{from, g.Input("at", graph.Int64, 2)}[:max(op.MinIn, 1)]
	if op.MinIn > 1 && op.Class != graph.Gather {
		in[1] = g.Input("z", graph.Float64, 2, 3)
	}
	y := ops.Apply(op, attrs, in...)
	y = ops.Add(y, ops.Apply(op, attrs, in...))
	roots := exec.Outputs(y)
	if op.Class == graph.Update {
		y = ops.Apply(op, attrs, in...)
		roots = exec.Updates(y)
	} else if op.Grad != nil {
		roots = exec.Outputs(append(autodiff.Grad(ops.Sum(y), []*graph.Node{x}), y)...)
	}
	_ = g.String()
	if err := shapeinfer.Check(g).Err(); err != nil {
		return err
	}
	p, err := exec.Compile(g, roots)
	if err != nil {
		return err
	}
	_, _ = p.String(), p.Plan()
	feed := exec.Feed{}
	for _, in := range g.Inputs() {
		shape, _ := in.Shape().Ints()
		if feed[in] = (exec.Array{Shape: shape, Data: make([]float64, 6)}); in.DType() == graph.Int64 {
			feed[in] = exec.Array{Shape: shape, Data: make([]int64, 2)}
		}
	}
	_, err = p.NewSession().Run(context.Background(), feed)
	return err
}
