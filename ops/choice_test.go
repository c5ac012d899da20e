package ops_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// choiceArray is an operand or a result of a case: Float64, or Int64 where it is whole.
type choiceArray struct {
	Shape []int
	Whole bool
	Data  torchFloats
}

func (a choiceArray) value() reference.Value {
	if !a.Whole {
		return reference.Of([]float64(a.Data), a.Shape...)
	}
	return reference.FromFloats(graph.Int64, a.Data, a.Shape...)
}

// choiceCase is one of PyTorch's answers in testdata/choice.json, or another file that a program beside it wrote.
type choiceCase struct {
	Name           string
	In, Out, Grads []choiceArray
}

// words are the arguments behind the function's name.
func (c choiceCase) words() []string { return strings.Fields(c.Name)[1:] }

func (c choiceCase) axis(t *testing.T) int {
	axis, err := strconv.Atoi(c.words()[0])
	require.NoError(t, err)
	return axis
}

func (c choiceCase) mode() ops.QuantileMode {
	return ops.QuantileMode(slices.Index([]string{"linear", "lower", "higher", "nearest", "midpoint"}, c.words()[1]))
}

// optional is an operand that may be left out.
func optional(in []node, i int) node {
	if i < len(in) {
		return in[i]
	}
	return nil
}

func two(x, y node) []node { return []node{x, y} }

// choiceCalls build the cases' functions.
var choiceCalls = map[string]func(t *testing.T, c choiceCase, in []node) []node{
	"CumMax": func(t *testing.T, c choiceCase, in []node) []node { return two(ops.CumMax(in[0], c.axis(t))) },
	"CumMin": func(t *testing.T, c choiceCase, in []node) []node { return two(ops.CumMin(in[0], c.axis(t))) },
	"LogCumSumExp": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.LogCumSumExp(in[0], c.axis(t))}
	},
	"SearchSorted": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.SearchSorted(in[0], in[1], c.words()[0] == "right")}
	},
	"Median": func(t *testing.T, c choiceCase, in []node) []node { return two(ops.Median(in[0], c.axis(t))) },
	"Mode": func(t *testing.T, c choiceCase, in []node) []node {
		value, at := ops.Mode(in[0], c.axis(t))
		return []node{value,
			ops.Sub(value, ops.Squeeze(ops.Gather(in[0], c.axis(t), ops.Unsqueeze(at, c.axis(t))), c.axis(t)))}
	},
	"Quantile": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.Quantile(in[0], in[1], c.axis(t), c.mode())}
	},
	"NanQuantile": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.NanQuantile(in[0], in[1], c.axis(t), c.mode())}
	},
	"Unique": func(_ *testing.T, c choiceCase, in []node) []node {
		values, inverse, counts := ops.Unique(in[0], graph.Dim(c.Out[0].Shape[0]), graph.Num(0))
		return []node{values, inverse, counts}
	},
	"Bincount": func(_ *testing.T, _ choiceCase, in []node) []node {
		return []node{ops.Bincount(in[0], 9, optional(in, 1))}
	},
	"Histogram": func(_ *testing.T, _ choiceCase, in []node) []node {
		return []node{ops.Histogram(in[0], in[1], optional(in, 2))}
	},
	"Bucketize": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.Bucketize(in[0], in[1], c.words()[0] == "right")}
	},
}

// TestChoiceAsPyTorch compares values and gradients with PyTorch's, at ties, NaN and infinities, and on axes with one
// element or none.
func TestChoiceAsPyTorch(t *testing.T) { runCases(t, "choice", choiceCalls) }

// runCases runs the cases of a file in testdata by the functions that their names begin with.
func runCases(t *testing.T, file string, calls map[string]func(t *testing.T, c choiceCase, in []node) []node) {
	text, err := os.ReadFile("testdata/" + file + ".json")
	require.NoError(t, err)
	var cases []choiceCase
	require.NoError(t, json.Unmarshal(text, &cases))
	require.NotEmpty(t, cases)
	for _, c := range cases {
		c.run(t, calls[strings.Fields(c.Name)[0]])
	}
}

func (c choiceCase) run(t *testing.T, call func(t *testing.T, c choiceCase, in []node) []node) {
	g, fed := graph.New("cases"), feeds{}
	var in, wrt []node
	for i, a := range c.In {
		x := g.Input("x"+strconv.Itoa(i), a.value().DType, graph.MakeShape(a.Shape...)...)
		fed[x] = a.value()
		if in = append(in, x); !a.Whole {
			wrt = append(wrt, x)
		}
	}
	outputs := call(t, c, in)
	if outputs = outputs[:len(c.Out)]; len(c.Grads) > 0 {
		size := 1
		for _, d := range c.Out[0].Shape {
			size *= d
		}
		weights := ops.Reshape(ops.Arange(g, graph.Float64, 1, float64(size+1), 1), outputs[0].Shape()...)
		outputs = append(outputs, autodiff.Grad(
			ops.Sum(ops.Mul(outputs[0], weights)), wrt[:len(c.Grads)], autodiff.ZeroForUnused())...)
	}
	got := evaluate(t, fed, outputs...)
	for i, want := range append(c.Out, c.Grads...) {
		about := c.Name + " of shape " + in[0].Shape().String() + ", result " + strconv.Itoa(i)
		require.Equal(t, want.Shape, append([]int{}, got[i].Shape...), about)
		requireClose(t, want.Data, got[i].Floats(), 1e-12, about)
	}
}

// TestWhatIsOutsideStopsTheRun: the error names the call, its place and the value.
func TestWhatIsOutsideStopsTheRun(t *testing.T) {
	for want, build := range map[string]func(x node) node{
		"Unique(x, 2, 0): there are more distinct values than the given size, 2: found 3": func(x node) node {
			values, _, _ := ops.Unique(x, 2, graph.Num(0))
			return values
		},
		"a quantile must be in the range [0, 1]": func(x node) node {
			return ops.Quantile(x, ops.Select(x, 0, 2), 0, ops.QuantileLower)
		},
		"not in 0..4": func(x node) node { return ops.Bincount(ops.Cast(x, graph.Int64), 5, nil) },
	} {
		g := graph.New("outside")
		x := g.Input("x", graph.Float64, g.Dim("n"))
		prog, err := exec.Compile(g, exec.Outputs(build(x)))
		require.NoError(t, err)
		_, err = prog.NewSession().Run(context.Background(), exec.Feed{x: []float64{3, -1, 7}})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "choice_test.go")
	}
}
