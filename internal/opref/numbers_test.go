package opref

import (
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// moreExamples are calls whose sizes are bounded in other ways than those of the reference. Bounds of a Slice are no
// examples: those of a number are brought in, and those of a name must be inside.
var moreExamples = map[string]func(e *graph.Example) *graph.Node{
	"Convolve, valid": func(e *graph.Example) *graph.Node {
		return ops.Convolve(e.Of("x", "n"), e.Of("y", "3"), ops.ConvolveValid)
	},
	"Convolve, valid, of two names": func(e *graph.Example) *graph.Node {
		return ops.Convolve(e.Of("x", "n"), e.Of("y", "k"), ops.ConvolveValid)
	},
	"Convolve, same": func(e *graph.Example) *graph.Node {
		return ops.Convolve(e.Of("x", "n"), e.Of("y", "3"), ops.ConvolveSame)
	},
	"Convolve, full, of two names": func(e *graph.Example) *graph.Node {
		return ops.Convolve(e.Of("x", "n"), e.Of("y", "k"), ops.ConvolveFull)
	},
	"Correlate, valid": func(e *graph.Example) *graph.Node {
		return ops.Correlate(e.Of("x", "n"), e.Of("y", "k"), ops.ConvolveValid)
	},
	"FFTConvolve, valid": func(e *graph.Example) *graph.Node {
		return ops.FFTConvolve(e.Of("x", "n"), e.Of("y", "3"), ops.ConvolveValid)
	},
	"FFTConvolve, same": func(e *graph.Example) *graph.Node {
		return ops.FFTConvolve(e.Of("x", "n"), e.Of("y", "k"), ops.ConvolveSame)
	},
	"Diff, twice":      func(e *graph.Example) *graph.Node { return ops.Diff(e.Of("x", "n"), 2, 0) },
	"Diff, four times": func(e *graph.Example) *graph.Node { return ops.Diff(e.Of("x", "2", "n"), 4, -1) },
	"Trapezoid by places": func(e *graph.Example) *graph.Node {
		return ops.Trapezoid(e.Of("y", "2", "n"), e.Of("x", "n"), 1)
	},
	"GradientAlong": func(e *graph.Example) *graph.Node {
		return ops.GradientAlong(e.Of("y", "n", "2"), graph.Num(2), 0, 1)
	},
	"GradientAlong, second order": func(e *graph.Example) *graph.Node {
		return ops.GradientAlong(e.Of("y", "n", "2"), graph.Num(2), 0, 2)
	},
	"Narrow":             func(e *graph.Example) *graph.Node { return ops.Narrow(e.Of("x", "n"), 0, 1, 2) },
	"Window":             func(e *graph.Example) *graph.Node { return ops.Window(e.Of("x", "n"), 0, 3, 1, 1) },
	"Window, with steps": func(e *graph.Example) *graph.Node { return ops.Window(e.Of("x", "n"), 0, 2, 3, 1) },
	"Roll":               func(e *graph.Example) *graph.Node { return ops.Roll(e.Of("x", "n"), 0, 2) },
	"Chunk":              func(e *graph.Example) *graph.Node { return ops.Chunk(e.Of("x", "n"), 0, 3)[0] },
	"AvgPool1D":          func(e *graph.Example) *graph.Node { return ops.AvgPool1D(e.Of("x", "2", "3", "n"), 2) },
	"MaxPool1D, padded": func(e *graph.Example) *graph.Node {
		return ops.MaxPool1D(e.Of("x", "2", "3", "n"), 3, ops.Padding(1))
	},
	"Conv1D": func(e *graph.Example) *graph.Node {
		return ops.Conv1D(e.Of("x", "k", "2", "n"), e.Of("w", "3", "2", "2"), nil)
	},
	"Conv1D, padded": func(e *graph.Example) *graph.Node {
		return ops.Conv1D(e.Of("x", "k", "2", "n"), e.Of("w", "3", "2", "3"), nil, ops.Padding(1))
	},
	"TopK": func(e *graph.Example) *graph.Node {
		v, _ := ops.TopK(e.Of("x", "2", "n"), 2, 1, true)
		return v
	},
	"Tril":         func(e *graph.Example) *graph.Node { return ops.Tril(e.Of("x", "n", "k"), -1) },
	"Diagonal":     func(e *graph.Example) *graph.Node { return ops.Diagonal(e.Of("x", "n", "k"), 1, 0, 1) },
	"Pad, inwards": func(e *graph.Example) *graph.Node { return ops.Pad(e.Of("x", "n"), 0, -1, -1, 0) },
	"CumulativeTrapezoid": func(e *graph.Example) *graph.Node {
		return ops.CumulativeTrapezoid(e.Of("y", "n"), graph.Num(1), 0)
	},
	"Var": func(e *graph.Example) *graph.Node { return ops.Var(e.Of("x", "n", "k"), 1, 0) },
}

// otherByNumbers are functions whose result has other axes for some numbers, and why.
var otherByNumbers = map[string]string{
	"Cov":      "as in NumPy, a single variable has a variance without axes",
	"CorrCoef": "as in NumPy, a single variable has a coefficient without axes",
}

// TestNamesBoundAsNumbers builds every example with names of sizes and with the numbers to which they are bound: one is
// refused where the other is, and both give the same.
func TestNamesBoundAsNumbers(t *testing.T) {
	builds := map[string]func(e *graph.Example) *graph.Node{}
	for name, build := range moreExamples {
		builds[name] = build
	}
	for _, f := range ops.Functions() {
		if otherByNumbers[f.Name] != "" {
			continue
		}
		builds[f.Name] = func(e *graph.Example) *graph.Node {
			n, err := exampleOf(f, e)
			require.NoError(t, err)
			return n
		}
	}
	for name, build := range builds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := &graph.Example{Graph: graph.New("names"), DType: graph.Float64}
			build(first)
			named := &graph.Example{Graph: graph.New("named"), DType: graph.Float64}
			for _, name := range first.Graph.DimNames() {
				named.Graph.Dim(name, graph.AtLeast(0))
			}
			wanted, prog, err := compiled(build, named)
			if err != nil {
				return
			}
			for _, size := range []int64{0, 1, 2, 3, 7} {
				bound := map[string]int64{}
				for _, name := range named.Graph.DimNames() {
					bound[name] = size
				}
				sameAsNumbers(t, build, bound, wanted, prog)
				if len(bound) > 1 {
					for name := range bound {
						one := map[string]int64{}
						for other := range bound {
							one[other] = sizeOf(other)
						}
						one[name] = size
						sameAsNumbers(t, build, one, wanted, prog)
					}
				}
			}
		})
	}
}

func compiled(build func(e *graph.Example) *graph.Node, e *graph.Example) (wanted []*graph.Node, prog *exec.Program,
	err error) {
	n := build(e)
	if wanted = results(n, e); e.Graph.Err() != nil {
		return nil, nil, e.Graph.Err()
	}
	prog, err = exec.Compile(e.Graph, exec.Outputs(wanted...), exec.OnWarning(nil))
	return wanted, prog, err
}

// sameAsNumbers compares a run at some sizes with one of the program that is built with them.
func sameAsNumbers(t *testing.T, build func(e *graph.Example) *graph.Node, sizes map[string]int64, wanted []*graph.Node,
	prog *exec.Program) {
	got, err := ranAt(t, prog, wanted, sizes)
	e := &graph.Example{Graph: graph.New("numbers"), DType: graph.Float64, Sizes: sizes}
	same, byNumbers, errNumbers := compiled(build, e)
	var want [][]float64
	if errNumbers == nil {
		want, errNumbers = ranAt(t, byNumbers, same, sizes)
	}
	if (err == nil) != (errNumbers == nil) {
		t.Errorf("%v: with names: %v\nwith numbers: %v", sizes, err, errNumbers)
		return
	}
	for i := range want {
		if !assert.Len(t, got[i], len(want[i]), "%v", sizes) {
			return
		}
		for k, w := range want[i] {
			if v := got[i][k]; !(v == w || math.IsNaN(v) && math.IsNaN(w) ||
				math.Abs(v-w) <= 1e-6*max(1, math.Abs(w))) {
				t.Errorf("%v: element %d of result %d is %v with names, and %v with numbers", sizes, k, i, v, w)
				return
			}
		}
	}
}

// ranAt returns the results of a run at some sizes, of the same numbers whatever the program.
func ranAt(t *testing.T, prog *exec.Program, wanted []*graph.Node, sizes map[string]int64) (out [][]float64,
	err error) {
	feed, options := fedAt(t, wanted[0].Graph(), shares, rand.New(rand.NewPCG(5, 6)),
		func(name string) int64 { return sizes[name] })
	r, err := prog.NewSession(append(options, exec.PrintTo(io.Discard))...).Run(t.Context(), feed)
	if err != nil {
		return nil, err
	}
	for _, n := range wanted {
		a, err := r.Array(n)
		require.NoError(t, err)
		shape := make([]float64, len(a.Shape)) // compared as the elements are
		for i, d := range a.Shape {
			shape[i] = float64(d)
		}
		out = append(out, append(shape, reference.Value{DType: n.DType(), Shape: a.Shape, Data: a.Data}.Floats()...))
	}
	return out, nil
}
