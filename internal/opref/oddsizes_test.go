package opref

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// TestExamplesAtOddSizes runs every example, and its gradients, where names are 0 or 1, all or one of them: it gives
// what the reference evaluator does, or is refused as there.
func TestExamplesAtOddSizes(t *testing.T) {
	for _, f := range ops.Functions() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			n, e, err := shown(f)
			require.NoError(t, err)
			for _, t := range []graph.DType{graph.Float64, e.DType} {
				named := &graph.Example{Graph: graph.New("named"), DType: t}
				for _, name := range e.Graph.DimNames() {
					named.Graph.Dim(name, graph.AtLeast(0))
				}
				if n, e, err = tryIn(f, named); err == nil {
					break
				}
			}
			require.NoError(t, err)
			g := n.Graph()
			wanted := results(n, e)
			var wrt []*graph.Node
			for _, x := range g.Inputs() {
				if x.DType() == graph.Float64 {
					wrt = append(wrt, x)
				}
			}
			if len(wrt) > 0 && n.DType() == graph.Float64 {
				wanted = append(wanted, autodiff.Grad(ops.Sum(ops.Sin(n)), wrt, autodiff.ZeroForUnused())...)
			}
			if g.Err() != nil {
				wanted = results(n, e) // no gradient flows
			}
			prog, err := exec.Compile(g, exec.Outputs(wanted...), exec.OnWarning(nil))
			if err != nil {
				return // TestGradientsAsTold tells why
			}
			for _, odd := range []int64{0, 1} {
				compareAt(t, prog, wanted, func(string) int64 { return odd })
				for _, name := range g.DimNames() {
					if len(g.DimNames()) > 1 {
						compareAt(t, prog, wanted, func(of string) int64 {
							if of == name {
								return odd
							}
							return sizeOf(of)
						})
					}
				}
			}
		})
	}
}

// compareAt compares a run at some sizes with the reference evaluator.
func compareAt(t *testing.T, prog *exec.Program, wanted []*graph.Node, size func(name string) int64) {
	g := wanted[0].Graph()
	feed, options := fedAt(t, g, shares, rand.New(rand.NewPCG(5, 6)), size)
	values, sizes := map[*graph.Node]reference.Value{}, shapeinfer.Sizes{}
	for x, v := range feed {
		a := v.(exec.Array)
		values[x] = reference.Value{DType: x.DType(), Shape: a.Shape, Data: a.Data}
	}
	for _, name := range g.DimNames() {
		sizes[name] = size(name)
	}
	want, errWant := reference.Eval(wanted, values, sizes)
	if errWant != nil && strings.Contains(errWant.Error(), "must not be computed") {
		return // a function of the user's
	}
	r, err := prog.NewSession(append(options, exec.PrintTo(io.Discard))...).Run(t.Context(), feed)
	var bug *exec.BugError
	require.False(t, errors.As(err, &bug), "%v: %v", sizes, err)
	if (err == nil) != (errWant == nil) {
		t.Errorf("%v: %v, and the reference: %v", sizes, err, errWant)
		return
	}
	if err != nil {
		return
	}
	for i, n := range wanted {
		a, err := r.Array(n)
		require.NoError(t, err)
		got := reference.Value{DType: n.DType(), Shape: a.Shape, Data: a.Data}.Floats()
		if !assert.Equal(t, want[i].Shape, a.Shape, "%v: %s", sizes, graph.Describe(n)) {
			return
		}
		for k, w := range want[i].Floats() {
			if v := got[k]; !(v == w || math.IsNaN(v) && math.IsNaN(w) || math.Abs(v-w) <= 1e-6*max(1, math.Abs(w))) {
				t.Errorf("%v: element %d of %s is %v, and in the reference %v", sizes, k, graph.Describe(n), v, w)
				return
			}
		}
	}
}
