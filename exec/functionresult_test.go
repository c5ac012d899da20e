package exec_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// ownFunction is a Go function of rows that gives values of some dtype.
func ownFunction(t graph.DType, f func(a *graph.Arrays) error) *graph.Op {
	return &graph.Op{Name: "own", Func: "Own", Doc: "a function of the user's", Class: graph.Function, MinIn: 1,
		MaxIn: 1, Function: f,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return t, c.Shape(0) },
		Core:  func(*graph.Node) ([]int, int) { return []int{1}, 1 }}
}

// callForms are the ways in which a Go function gives a value like x, of a dtype.
var callForms = map[string]func(x *graph.Node, t graph.DType, f func(a *graph.Arrays) error) *graph.Node{
	"function": func(x *graph.Node, t graph.DType, f func(a *graph.Arrays) error) *graph.Node {
		return graph.Apply(ownFunction(t, f), nil, x)
	},
	"callback": func(x *graph.Node, t graph.DType, f func(a *graph.Arrays) error) *graph.Node {
		return ops.Callback("Own", []*graph.Node{x}, t, x.Shape(), f, nil)
	},
	"results": func(x *graph.Node, t graph.DType, f func(a *graph.Arrays) error) *graph.Node {
		return ops.CallbackResults("Own", []*graph.Node{x}, []ops.CallbackResult{{DType: t, Shape: x.Shape()}},
			inOuts(f), nil)[0]
	},
	"pure": func(x *graph.Node, t graph.DType, f func(a *graph.Arrays) error) *graph.Node {
		return ops.PureCallback("Own", []*graph.Node{x}, []ops.CallbackResult{{DType: t, Shape: x.Shape()}}, inOuts(f),
			nil)[0]
	},
}

// inOuts calls a function of one result where several are expected.
func inOuts(f func(a *graph.Arrays) error) func(a *graph.Arrays) error {
	return func(a *graph.Arrays) error {
		a.Out = a.Outs[0]
		err := f(a)
		a.Outs[0] = a.Out
		return err
	}
}

// runOwn runs a function of rows 1 2 3 and 4 5 6.
func runOwn(t *testing.T, form string, of graph.DType, f func(a *graph.Arrays) error) ([]float64, error) {
	t.Helper()
	g := graph.New("own")
	x := g.Input("x", graph.Float64, g.Dim("n"), 3)
	y := callForms[form](x, of, f)
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	r, err := p.NewSession().Run(t.Context(),
		exec.Feed{x: exec.Array{Shape: []int{2, 3}, Data: []float64{1, 2, 3, 4, 5, 6}}})
	if err != nil {
		return nil, err
	}
	a := arrayOf(t, r, y)
	return reference.Value{DType: of, Shape: a.Shape, Data: a.Data}.Floats(), nil
}

// A function may replace its result by an array of its own.
func TestFunctionsGiveArraysOfTheirOwn(t *testing.T) {
	twice := func(a *graph.Arrays) error {
		var own []float64
		for _, v := range graph.Elements[float64](a.In[0]) {
			own = append(own, 2*v)
		}
		a.Out = graph.NewArray(own, a.In[0].Shape...)
		return nil
	}
	for form := range callForms {
		got, err := runOwn(t, form, graph.Float64, twice)
		require.NoError(t, err, form)
		require.Equal(t, []float64{2, 4, 6, 8, 10, 12}, got, form)
		got, err = runOwn(t, form, graph.Float64, func(a *graph.Arrays) error { a.Out = a.In[0]; return nil })
		require.NoError(t, err, form)
		require.Equal(t, []float64{1, 2, 3, 4, 5, 6}, got, form)
	}
}

// What a function leaves that is no result of its call is an error at the line where it is used.
func TestResultsThatAreNone(t *testing.T) {
	for says, c := range map[string]struct {
		of graph.DType
		f  func(a *graph.Arrays) error
	}{
		"is float32[": {graph.Float64, func(a *graph.Arrays) error {
			a.Out = graph.NewArray(make([]float32, a.Out.NumElements()), a.Out.Shape...)
			return nil
		}},
		"is float64[1], and float64[": {graph.Float64, func(a *graph.Arrays) error {
			a.Out = graph.NewArray([]float64{1}, 1)
			return nil
		}},
		"is invalid[], and":        {graph.Float64, func(a *graph.Arrays) error { a.Out = graph.Array{}; return nil }},
		"without memory":           {graph.Float64, func(a *graph.Arrays) error { a.Out.Ptr = nil; return nil }},
		"float64[7":                {graph.Float64, func(a *graph.Arrays) error { a.Out.Shape[0] = 7; return nil }},
		"is not filled: element 0": {graph.Float64, func(*graph.Arrays) error { return nil }},
		"is not filled: element 1": {graph.Float64, func(a *graph.Arrays) error {
			graph.Elements[float64](a.Out)[0] = math.NaN()
			return nil
		}},
		"is not filled: element 2": {graph.Bool, func(a *graph.Arrays) error {
			copy(graph.Elements[bool](a.Out), []bool{true, false})
			return nil
		}},
		"is not filled: write all elements": {graph.Int32, func(*graph.Arrays) error { return nil }},
		"elements of float64 are not int64: call graph.Elements[float64]": {graph.Float64, func(a *graph.Arrays) error {
			graph.Elements[int64](a.Out)[0] = 1
			return nil
		}},
	} {
		for form := range callForms {
			_, err := runOwn(t, form, c.of, c.f)
			var failed *exec.RunError
			require.ErrorAs(t, err, &failed, "%s: %s", form, says)
			require.Contains(t, failed.Message, says, form)
			require.Regexp(t, `functionresult_test\.go:\d+:\d+: error: Own\(x`, err.Error(), form)
		}
	}
}

// All numbers that are meant as results are taken, the marks of some dtypes among them.
func TestResultsOfAnyBits(t *testing.T) {
	for of, data := range map[graph.DType]any{
		graph.Uint8: slices.Repeat([]uint8{0x5a}, 300), graph.Int16: slices.Repeat([]int16{-15526}, 300),
		graph.Uint32:  slices.Repeat([]uint32{0x7fa5c35a}, 300),
		graph.Float32: slices.Repeat([]float32{float32(math.NaN())}, 300),
		graph.Float64: slices.Repeat([]float64{math.NaN(), math.Copysign(0, -1)}, 150),
	} {
		for form, call := range callForms {
			g := graph.New("bits")
			x := g.Input("x", of, 1, 300)
			y := call(x, of, func(a *graph.Arrays) error {
				for i := range a.Out.NumElements() {
					v, whole := graph.NumberAt(a.In[0].Slice(), i)
					graph.SetNumberAt(a.Out.Slice(), i, v, whole)
				}
				return nil
			})
			p, err := exec.Compile(g, exec.Outputs(y))
			require.NoError(t, err)
			r, err := p.NewSession().Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{1, 300}, Data: data}})
			require.NoError(t, err, "%s of %s", form, of)
			if of.IsInt() {
				require.True(t, reflect.DeepEqual(data, arrayOf(t, r, y).Data), "%s of %s", form, of)
			}
		}
	}
}

// A function's shapes are its own: writing them changes nothing for the next example.
func TestShapesOfFunctionsAreCopies(t *testing.T) {
	for form := range callForms {
		got, err := runOwn(t, form, graph.Float64, func(a *graph.Arrays) error {
			copy(graph.Elements[float64](a.Out), graph.Elements[float64](a.In[0]))
			a.In[0].Shape[len(a.In[0].Shape)-1] = 1000
			return nil
		})
		require.NoError(t, err, form)
		require.Equal(t, []float64{1, 2, 3, 4, 5, 6}, got, form)
	}
}

// A program that is verified reports a function that writes its operands.
func TestFunctionsThatWriteTheirOperands(t *testing.T) {
	t.Setenv(exec.VerifyVariable, "1")
	for form := range callForms {
		_, err := runOwn(t, form, graph.Float64, func(a *graph.Arrays) error {
			in := graph.Elements[float64](a.In[0])
			slices.Reverse(in)
			a.Out = a.In[0]
			return nil
		})
		require.ErrorContains(t, err, "it writes operand 0, x, whose memory is read elsewhere", form)
		require.Regexp(t, `functionresult_test\.go:\d+:\d+: error: Own\(x`, err.Error(), form)
	}
}
