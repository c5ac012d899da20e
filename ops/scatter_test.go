package ops_test

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// scatterCase is one of PyTorch's answers in testdata/scatter.json, which testdata/scatter.py wrote.
type scatterCase struct {
	Name                         string
	Axis                         int
	X, Src, Y, Dx, Dsrc          torchFloats
	Index                        []int64
	XShape, IndexShape, SrcShape []int
}

// torchFloats are numbers, of which those that JSON lacks are texts.
type torchFloats []float64

func (f *torchFloats) UnmarshalJSON(text []byte) error {
	var list []any
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*f = torchFloats{}
	for _, v := range list {
		if word, is := v.(string); is {
			number, err := strconv.ParseFloat(word, 64)
			if err != nil {
				return err
			}
			v = number
		}
		*f = append(*f, v.(float64))
	}
	return nil
}

var reductionOf = map[string]ops.Reduction{
	"Sum": ops.ReduceSum, "Prod": ops.ReduceProd, "Mean": ops.ReduceMean, "Max": ops.ReduceMax, "Min": ops.ReduceMin}

// call builds the case's operation.
func (c scatterCase) call(x, index, src *graph.Node) *graph.Node {
	words := strings.Fields(c.Name)
	plain := map[string]writeFunc{
		"Scatter": ops.Scatter, "ScatterAdd": ops.ScatterAdd, "IndexCopy": ops.IndexCopy, "IndexAdd": ops.IndexAdd}
	if f := plain[words[0]]; f != nil {
		return f(x, c.Axis, index, src)
	}
	by := reductionOf[words[1]]
	var opts []ops.ScatterOption
	if len(words) == 3 {
		opts = append(opts, ops.ExcludeSelf())
	}
	if words[0] == "ScatterReduce" {
		return ops.ScatterReduce(x, c.Axis, index, src, by, opts...)
	}
	return ops.IndexReduce(x, c.Axis, index, src, by, opts...)
}

// TestScatterAsPyTorch compares values and gradients with PyTorch's, at repeated indices, ties and
// zeros, and with no indices at all.
func TestScatterAsPyTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/scatter.json")
	require.NoError(t, err)
	var cases []scatterCase
	require.NoError(t, json.Unmarshal(text, &cases))
	require.NotEmpty(t, cases)
	for _, c := range cases {
		g := graph.New("scatter")
		input := func(name string, dtype graph.DType, shape []int) *graph.Node {
			s := graph.Shape{}
			for _, d := range shape {
				s = append(s, graph.Dim(d))
			}
			return g.Input(name, dtype, s...)
		}
		x, index, src := input("x", graph.Float64, c.XShape), input("index", graph.Int64, c.IndexShape),
			input("src", graph.Float64, c.SrcShape)
		fed := feeds{x: reference.Of([]float64(c.X), c.XShape...), index: reference.Of(c.Index, c.IndexShape...),
			src: reference.Of([]float64(c.Src), c.SrcShape...)}
		y := c.call(x, index, src)
		dy := make([]float64, len(c.Y))
		for i := range dy {
			dy[i] = float64(i + 1)
		}
		weights := input("dy", graph.Float64, c.XShape)
		fed[weights] = reference.Of(dy, c.XShape...)
		grads := autodiff.Grad(ops.Sum(ops.Mul(y, weights)), []*graph.Node{x, src}, autodiff.ZeroForUnused())
		got := evaluate(t, fed, y, grads[0], grads[1])
		about := c.Name + " of shape " + x.Shape().String()
		requireClose(t, c.Y, got[0].Floats(), 1e-12, about)
		requireClose(t, c.Dx, got[1].Floats(), 1e-12, "gradient to x of "+about)
		requireClose(t, c.Dsrc, got[2].Floats(), 1e-12, "gradient to src of "+about)
	}
}

// TestScatterRepeated: the last of several elements stays, and has the gradient.
func TestScatterRepeated(t *testing.T) {
	g := graph.New("repeated")
	x, index, src := g.Input("x", graph.Float64, 3), g.Input("index", graph.Int64, 4), g.Input("src", graph.Float64, 4)
	fed := feeds{x: reference.Of([]float64{1, 2, 3}, 3), index: reference.Of([]int64{2, 0, 2, 0}, 4),
		src: reference.Of([]float64{10, 20, 30, 40}, 4)}
	for _, y := range []*graph.Node{ops.Scatter(x, 0, index, src), ops.IndexCopy(x, 0, index, src)} {
		grads := autodiff.Grad(ops.Sum(y), []*graph.Node{x, src})
		got := evaluate(t, fed, y, grads[0], grads[1])
		require.Equal(t, []float64{40, 2, 30}, got[0].Floats())
		require.Equal(t, []float64{0, 1, 0}, got[1].Floats())
		require.Equal(t, []float64{0, 0, 1, 1}, got[2].Floats())
	}
}
