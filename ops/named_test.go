package ops_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
)

var float64NaN = math.NaN()

// runNamed runs the cases of a file, as runCases, with names for all sizes above 1, equal ones for equal sizes. Values
// are compared with PyTorch's; and where PyTorch has a gradient and all numbers are finite, the gradients of the
// gradients with central differences. Cases whose names begin with one of those apart need known sizes, or have no such
// gradients.
func runNamed(t *testing.T, file string, calls map[string]func(t *testing.T, c choiceCase, in []node) []node,
	apart ...string) {
	text, err := os.ReadFile("testdata/" + file + ".json")
	require.NoError(t, err)
	var cases []choiceCase
	require.NoError(t, json.Unmarshal(text, &cases))
	for i, c := range cases {
		if slices.ContainsFunc(apart, func(w string) bool { return strings.HasPrefix(c.Name, w) }) {
			continue
		}
		t.Run(fmt.Sprintf("%s/%d", c.Name, i), func(t *testing.T) { c.runNamed(t, calls[strings.Fields(c.Name)[0]]) })
	}
}

func (c choiceCase) runNamed(t *testing.T, call func(t *testing.T, c choiceCase, in []node) []node) {
	g, fed := graph.New("named"), feeds{}
	var in, wrt []node
	isFinite := true
	for i, a := range c.In {
		shape := make(graph.Shape, len(a.Shape))
		for k, d := range a.Shape {
			if shape[k] = graph.Dim(d); d > 1 {
				shape[k] = g.Dim("n" + strconv.Itoa(d))
			}
		}
		x := g.Input("x"+strconv.Itoa(i), a.value().DType, shape...)
		fed[x] = a.value()
		if in = append(in, x); !a.Whole {
			wrt = append(wrt, x)
		}
		isFinite = isFinite && !slices.ContainsFunc(a.Data, func(v float64) bool {
			return math.IsNaN(v) || math.IsInf(v, 0)
		})
	}
	outputs := call(t, c, in)[:len(c.Out)]
	require.NoError(t, outputs[0].Err())
	for i, got := range evaluate(t, fed, outputs...) {
		require.Equal(t, c.Out[i].Shape, append([]int{}, got.Shape...))
		requireClose(t, c.Out[i].Data, got.Floats(), 1e-12, c.Name)
	}
	if len(c.Grads) > 0 && isFinite && len(c.Out[0].Data) > 0 && len(c.In[0].Data) > 0 {
		requireGradients(t, fed, outputs[0], wrt[:len(c.Grads)]...)
	}
}
