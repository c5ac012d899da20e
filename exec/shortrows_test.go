package exec_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Rows that are too short for vectors are folded across rows where there are many, with the bits that a few rows have.
func TestShortRowsHaveTheBitsOfFew(t *testing.T) {
	const rows, few = 600, 100
	folds := map[string]func(x *graph.Node) *graph.Node{
		"sum":     func(x *graph.Node) *graph.Node { return ops.Sum(x, -1) },
		"kept":    func(x *graph.Node) *graph.Node { return ops.Sum(x, -1, ops.KeepDims()) },
		"prod":    func(x *graph.Node) *graph.Node { return ops.Prod(x, -1) },
		"max":     func(x *graph.Node) *graph.Node { return ops.Max(x, -1) },
		"min":     func(x *graph.Node) *graph.Node { return ops.Min(x, -1) },
		"squares": func(x *graph.Node) *graph.Node { return ops.Sum(ops.Square(ops.Sub(x, graph.Num(0.3))), -1) },
		"row":     func(x *graph.Node) *graph.Node { return ops.Sum(ops.Mul(ops.Exp(x), ops.Select(x, 0, 0)), -1) },
		"column": func(x *graph.Node) *graph.Node {
			return ops.Sum(ops.Mul(ops.Square(x), ops.Slice(x, 1, 0, 1, 1)), -1)
		},
		"used": func(x *graph.Node) *graph.Node {
			y := ops.Exp(x)
			return ops.Div(y, ops.Sum(y, -1, ops.KeepDims()))
		},
		"softmax": func(x *graph.Node) *graph.Node { return ops.Softmax(x, -1) },
		"norm":    func(x *graph.Node) *graph.Node { return ops.LayerNorm(x, nil, nil, 1e-5) },
		"half":    func(x *graph.Node) *graph.Node { return ops.Sum(ops.Cast(x, graph.Float16), -1) },
		"place":   func(x *graph.Node) *graph.Node { return ops.ArgMax(ops.Round(x), -1) },
		"least":   func(x *graph.Node) *graph.Node { return ops.ArgMin(ops.Round(x), -1, ops.KeepDims()) },
		"pairs": func(x *graph.Node) *graph.Node {
			return ops.Sum(ops.Square(ops.Sub(ops.Unsqueeze(x, 1), ops.Slice(x, 0, 0, 5, 1))), -1)
		},
		"integer": func(x *graph.Node) *graph.Node {
			return ops.Sum(ops.Cast(ops.Mul(x, graph.Num(9)), graph.Int64), -1)
		},
	}
	for name, fold := range folds {
		for k := 2; k <= 17; k++ {
			t.Run(fmt.Sprintf("%s/%d", name, k), func(t *testing.T) {
				data := make([]float32, rows*k)
				for i := range data {
					data[i] = float32(math.Sin(float64(i*i%977))) * 3
				}
				want := foldedRows(t, fold, data[:few*k], few, k)
				got := foldedRows(t, fold, data, rows, k)
				require.Equal(t, want, got[:len(want)])
			})
		}
	}
}

// Rows of more elements are folded across rows where what is computed of two small values is, with the same bits again.
func TestRowsOfPairsHaveTheBitsOfFew(t *testing.T) {
	const rows, few = 600, 100 // times five
	difference := func(x *graph.Node) *graph.Node { return ops.Sub(ops.Unsqueeze(x, 1), ops.Slice(x, 0, 0, 5, 1)) }
	for name, fold := range map[string]func(x *graph.Node) *graph.Node{
		"squares": func(x *graph.Node) *graph.Node { return ops.Sum(ops.Square(difference(x)), -1) },
		"double": func(x *graph.Node) *graph.Node {
			return ops.Sum(ops.Exp(difference(ops.Cast(x, graph.Float64))), -1)
		},
		"greatest": func(x *graph.Node) *graph.Node { return ops.Max(ops.Abs(difference(ops.Tanh(x))), -1) },
		"product":  func(x *graph.Node) *graph.Node { return ops.Prod(difference(x), -1, ops.KeepDims()) },
		"half":     func(x *graph.Node) *graph.Node { return ops.Sum(difference(ops.Cast(x, graph.BFloat16)), -1) },
	} {
		for _, k := range []int{18, 24, 31, 32, 33, 47, 48, 49, 64} {
			t.Run(fmt.Sprintf("%s/%d", name, k), func(t *testing.T) {
				data := make([]float32, rows*k)
				for i := range data {
					data[i] = float32(math.Sin(float64(i * i % 977)))
				}
				want := foldedRows(t, fold, data[:few*k], few, k)
				require.Equal(t, want, foldedRows(t, fold, data, rows, k)[:len(want)])
			})
		}
	}
}

func foldedRows(t *testing.T, fold func(x *graph.Node) *graph.Node, data []float32, rows, k int) []float64 {
	g := graph.New("rows")
	x := g.Input("x", graph.Float32, graph.Dim(rows), graph.Dim(k))
	y := ops.Cast(fold(x), graph.Float64)
	p, err := exec.Compile(g, exec.Outputs(y), exec.OnWarning(nil))
	require.NoError(t, err)
	r, err := p.NewSession().Run(context.Background(), exec.Feed{x: data})
	require.NoError(t, err)
	values, err := exec.Values[float64](r, y)
	require.NoError(t, err)
	return append([]float64{}, values...)
}

// So have sums of zeros below 0, and what is largest beside no number.
func TestShortRowsOfZerosAndNaN(t *testing.T) {
	const rows, few = 600, 100
	data := slices.Repeat([]float32{float32(math.Copysign(0, -1))}, 3*rows)
	data[4], data[8], data[9], data[10], data[11] = float32(math.NaN()), 1, 5, float32(math.NaN()), float32(math.NaN())
	for name, fold := range map[string]func(x *graph.Node) *graph.Node{
		"sum":   func(x *graph.Node) *graph.Node { return ops.Sum(x, 1) },
		"max":   func(x *graph.Node) *graph.Node { return ops.Max(x, 1) },
		"prod":  func(x *graph.Node) *graph.Node { return ops.Prod(x, 1) },
		"min":   func(x *graph.Node) *graph.Node { return ops.Min(x, 1) },
		"place": func(x *graph.Node) *graph.Node { return ops.ArgMax(x, 1) }, "least": func(x *graph.Node) *graph.Node {
			return ops.ArgMin(x, 1)
		},
	} {
		bits := func(data []float32, rows int) (list []uint64) {
			for _, v := range foldedRows(t, fold, data, rows, 3)[:few] {
				list = append(list, math.Float64bits(v))
			}
			return list
		}
		require.Equal(t, bits(data[:3*few], few), bits(data, rows), name)
	}
}

// Distances of all pairs are folded where they are computed: what is folded is not stored.
func TestDistancesOfShortRowsAreNotStored(t *testing.T) {
	g := graph.New("pairs")
	x, y := g.Input("x", graph.Float32, 400, 3), g.Input("y", graph.Float32, 300, 3)
	p, err := exec.Compile(g, exec.Outputs(ops.CDist(x, y, 2)))
	require.NoError(t, err)
	stats, err := p.Stats(nil)
	require.NoError(t, err)
	require.Less(t, stats.Peak, 2*400*300*4)
}

// The place of the greatest of few elements is found in all rows at once: no row program reduces, as one of long rows
// does.
func TestPlacesInShortRowsAreFoundAcrossRows(t *testing.T) {
	for _, classes := range []graph.Dim{10, 100} {
		g := graph.New("classes")
		p, err := exec.Compile(g, exec.Outputs(ops.ArgMax(g.Input("x", graph.Float32, g.Dim("n"), 500, classes), -1)))
		require.NoError(t, err)
		reduces := false
		for _, k := range p.Plan().Kernels {
			reduces = reduces || strings.Contains(strings.Join(k.Programs, " "), "argmax")
		}
		require.Equal(t, classes == 100, reduces, "%d classes", classes)
	}
}

// TestShortRowsOfFewChannelsAreJoined multiplies images of 12 short rows by a number for each row. The numbers are
// repeated along rows once, by a kernel of its own, so that those of an image are one row.
func TestShortRowsOfFewChannelsAreJoined(t *testing.T) {
	const images, size = 20, 12 * 5
	g := graph.New("joined")
	x, w := g.Input("x", graph.Float32, g.Dim("n"), 12, 5), g.Input("w", graph.Float32, 12, 1)
	y := ops.Mul(x, w)
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	require.Equal(t, 2, p.Kernels())
	data, weights, want := make([]float32, images*size), make([]float32, 12), make([]float32, images*size)
	for i := range weights {
		weights[i] = float32(i) - 3.5
	}
	for i := range data {
		data[i] = float32(i % 97)
		want[i] = data[i] * weights[i%size/5]
	}
	r, err := p.NewSession().Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{images, 12, 5}, Data: data},
		w: exec.Array{Shape: []int{12, 1}, Data: weights}})
	require.NoError(t, err)
	require.Equal(t, want, arrayOf(t, r, y).Data)
}
