package exec_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A vector by the rows of quantised weights is one kernel, which reads the integers, and perhaps one of the blocks'
// zero points: in either order of the factors, for any number of rows and blocks.
func TestVectorByQuantisedRows(t *testing.T) {
	const block = 32
	matMul := func(x, w *graph.Node) *graph.Node { return ops.MatMul(x, ops.Transpose(w, 0, 1)) }
	for name, build := range map[string]func(x, w *graph.Node) *graph.Node{
		"vector by matrix": matMul,
		"matrix by vector": func(x, w *graph.Node) *graph.Node { return ops.MatMul(w, x) },
		"row by matrix":    func(x, w *graph.Node) *graph.Node { return matMul(ops.Unsqueeze(x, 0), w) },
		"batch of one row by matrix": func(x, w *graph.Node) *graph.Node {
			return matMul(ops.Reshape(x, 1, 1, x.Shape()[0]), w)
		},
		"rows of its own by them": func(x, w *graph.Node) *graph.Node { return ops.Sum(ops.Mul(x, w), 1) },
		"vector by the last row":  func(x, w *graph.Node) *graph.Node { return ops.MatMul(x, ops.Select(w, 0, -1)) },
	} {
		for _, hasZero := range []bool{false, true} {
			for _, size := range []struct{ rows, blocks int }{{1, 1}, {3, 1}, {5, 4}, {65, 7}, {2, 0}} {
				g := graph.New("quantised")
				rows, blocks := g.Dim("rows"), g.Dim("blocks", graph.AtLeast(0))
				x := g.Input("x", graph.Float32, blocks.Times(block))
				q := g.Input("q", graph.Int8, rows, blocks.Times(block))
				scale := g.Input("scale", graph.Float32, rows, blocks)
				var zero *graph.Node
				if hasZero {
					zero = g.Input("zero", graph.Int8, rows, blocks)
				}
				y := build(x, ops.DequantizeBlocks(q, scale, zero, 1, block))
				p, err := exec.Compile(g, exec.Outputs(y))
				require.NoError(t, err)
				most := 1
				if hasZero {
					most++ // one that converts the zero points
				}
				if name != "rows of its own by them" && name != "vector by the last row" {
					require.Equal(t, most, p.Kernels(), "%s: %s", name, p)
				}

				n, k := size.rows, size.blocks*block
				xs, qs := make([]float32, k), make([]int8, n*k)
				scales, zeros := make([]float32, n*size.blocks), make([]int8, n*size.blocks)
				for i := range xs {
					xs[i] = float32(i%7) - 3
				}
				for i := range qs {
					qs[i] = int8(i*37%251 - 125)
				}
				for i := range scales {
					scales[i], zeros[i] = float32(i%5+1)/8, int8(i%11-5)
				}
				feed := exec.Feed{x: exec.Array{Shape: []int{k}, Data: xs}, q: exec.Array{Shape: []int{n, k}, Data: qs},
					scale: exec.Array{Shape: []int{n, size.blocks}, Data: scales}}
				if hasZero {
					feed[zero] = exec.Array{Shape: []int{n, size.blocks}, Data: zeros}
				}
				r, err := p.NewSession().Run(context.Background(), feed)
				require.NoError(t, err)
				got, err := exec.Values[float32](r, y)
				require.NoError(t, err)
				var want []float32 // exact: all numbers are multiples of 1/8
				for row := range n {
					var sum float32
					for i := range k {
						b := row*size.blocks + i/block
						weight := int(qs[row*k+i])
						if hasZero {
							weight -= int(zeros[b])
						}
						sum += xs[i] * float32(weight) * scales[b]
					}
					want = append(want, sum)
				}
				if name == "vector by the last row" {
					want = want[n-1:]
				}
				require.Equal(t, want, got, "%s of %v", name, size)
			}
		}
	}
}

// Several weights of one shape are each dequantised in the kernel of their product, not in that of the first.
func TestQuantisedRowsInARow(t *testing.T) {
	g := graph.New("quantised")
	x := g.Input("x", graph.Float32, 1, 1, 256)
	for i := range 3 {
		q := g.Param(fmt.Sprint("q", i), graph.Int8, 256, 256)
		scale := g.Param(fmt.Sprint("scale", i), graph.Float32, 256, 8)
		x = ops.MatMul(ops.Tanh(x), ops.Transpose(ops.DequantizeBlocks(q, scale, nil, 1, 32), 0, 1))
	}
	p, err := exec.Compile(g, exec.Outputs(x))
	require.NoError(t, err)
	require.LessOrEqual(t, p.Kernels(), 6, p.String())
	footprint, err := p.Footprint(nil)
	require.NoError(t, err)
	require.Less(t, footprint.Arena, 256*256, "no weight is stored")
}

// The size of the vector may have another name than that of the rows.
func TestVectorByQuantisedRowsOfAnotherName(t *testing.T) {
	g := graph.New("quantised", graph.WithPolicy(graph.Policy{Names: graph.Unify}))
	x, blocks := g.Input("x", graph.Float32, g.Dim("n")), g.Dim("blocks")
	q, scale := g.Input("q", graph.Int8, 2, blocks.Times(32)), g.Input("scale", graph.Float32, 2, blocks)
	y := ops.MatMul(ops.DequantizeBlocks(q, scale, nil, 1, 32), x)
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	ones := make([]float32, 64)
	for i := range ones {
		ones[i] = 1
	}
	r, err := p.NewSession().Run(context.Background(), exec.Feed{x: ones,
		q: exec.Array{Shape: []int{2, 64}, Data: slices.Repeat([]int8{1, -3}, 64)}, scale: [][]float32{{1, 2}, {3, 4}}})
	require.NoError(t, err)
	got, err := exec.Values[float32](r, y)
	require.NoError(t, err)
	require.Equal(t, []float32{-32 * 3, -32 * 7}, got)
}

// BenchmarkVectorByQuantisedRows multiplies a vector by 4096 rows of 4096 weights: of float32, and of 4 and 8 bits with
// a scale for each block.
func BenchmarkVectorByQuantisedRows(b *testing.B) {
	const n = 4096
	run := func(b *testing.B, weights func(g *graph.Graph) (*graph.Node, exec.Feed)) {
		g := graph.New("quantised")
		x := g.Input("x", graph.Float32, n)
		w, values := weights(g)
		p, err := exec.Compile(g, exec.Outputs(ops.MatMul(x, ops.Transpose(w, 0, 1))))
		require.NoError(b, err)
		s, feed := p.NewSession(exec.BorrowParams(values)), exec.Feed{x: make([]float32, n)}
		for b.Loop() {
			_, err := s.Run(context.Background(), feed)
			require.NoError(b, err)
		}
	}
	b.Run("float32", func(b *testing.B) {
		run(b, func(g *graph.Graph) (*graph.Node, exec.Feed) {
			w, data := g.Param("w", graph.Float32, n, n), make([]float32, n*n)
			for i := range data {
				data[i] = float32(i % 255)
			}
			return w, exec.Feed{w: exec.Array{Shape: []int{n, n}, Data: data}}
		})
	})
	for _, block := range []int{16, 32, 128} {
		b.Run(fmt.Sprintf("int4/%d", block), func(b *testing.B) {
			run(b, func(g *graph.Graph) (*graph.Node, exec.Feed) {
				q := g.Param("q", graph.Uint8, n, n/2)
				scale := g.Param("scale", graph.Float32, n, graph.Dim(n/block))
				data := make([]uint8, n*n/2)
				for i := range data {
					data[i] = uint8(i % 255)
				}
				return ops.DequantizeBlocks(ops.UnpackInt4(q), scale, nil, 1, block), exec.Feed{
					q:     exec.Array{Shape: []int{n, n / 2}, Data: data},
					scale: exec.Array{Shape: []int{n, n / block}, Data: make([]float32, n*n/block)},
				}
			})
		})
	}
	for _, block := range []int{8, 16, 32, 128} {
		b.Run(fmt.Sprintf("int8/%d", block), func(b *testing.B) {
			run(b, func(g *graph.Graph) (*graph.Node, exec.Feed) {
				q := g.Param("q", graph.Int8, n, n)
				scale := g.Param("scale", graph.Float32, n, graph.Dim(n/block))
				data := make([]int8, n*n)
				for i := range data {
					data[i] = int8(i % 255)
				}
				return ops.DequantizeBlocks(q, scale, nil, 1, block), exec.Feed{
					q:     exec.Array{Shape: []int{n, n}, Data: data},
					scale: exec.Array{Shape: []int{n, n / block}, Data: make([]float32, n*n/block)},
				}
			})
		})
	}
}

// A row by weights of 4 bits is one product, which reads them where they are, in the order of lanes: its bits do not
// depend on threads, and are those of the same integers of 8 bits where all sums are exact.
func TestRowByWeightsOf4Bits(t *testing.T) {
	testRowByWeightsOf4Bits(t, false)
	testRowByWeightsOf4Bits(t, true)
}

func testRowByWeightsOf4Bits(t *testing.T, hasMinima bool) {
	for _, c := range []struct{ out, in, block int }{{1, 32, 32}, {37, 96, 32}, {130, 512, 128}, {9, 2080, 32},
		{40, 48, 16}, {5, 64, 2}} {
		const before = 2 // rows of the parameters that the product does not read
		packed := make([]uint8, (c.out+before)*c.in/2)
		scales := make([]float32, (c.out+before)*c.in/c.block)
		for i := range packed {
			packed[i] = uint8(i*37 + i/7)
		}
		minima := make([]float32, len(scales))
		for i := range scales {
			scales[i], minima[i] = float32(i%5+1)/8, float32(i%11-6)/8
		}
		xs := make([]float32, c.in)
		for i := range xs {
			xs[i] = float32(i%7) - 3
		}
		var want []float32 // exact: all numbers are multiples of 1/8
		for row := range c.out {
			var sum float32
			for k, x := range xs {
				at := (row+before)*c.in + k
				level := int8(packed[at/2]<<(4-at%2*4)) >> 4
				if number := float32(level) * scales[at/c.block]; hasMinima {
					sum += x * (float32(uint8(level)&15)*scales[at/c.block] + minima[at/c.block])
				} else {
					sum += x * number
				}
			}
			want = append(want, sum)
		}
		for name, product := range map[string]func(x, w *graph.Node) *graph.Node{
			"vector by matrix": func(x, w *graph.Node) *graph.Node { return ops.MatMul(x, ops.Transpose(w, 0, 1)) },
			"matrix by vector": func(x, w *graph.Node) *graph.Node { return ops.MatMul(w, x) },
			"layer": func(x, w *graph.Node) *graph.Node {
				return ops.Linear(ops.Reshape(x, 1, 1, x.Shape()[0]), w, nil)
			},
		} {
			g := graph.New("4bits")
			rows := graph.Dim(c.out + before)
			x := g.Input("x", graph.Float32, graph.Dim(c.in))
			q := g.Param("q", graph.Uint8, rows, graph.Dim(c.in/2))
			scale := g.Param("scale", graph.Float32, rows, graph.Dim(c.in/c.block))
			of := func(n *graph.Node) *graph.Node { return ops.Narrow(n, 0, before, graph.Dim(c.out)) }
			values := exec.Feed{q: exec.Array{Shape: []int{c.out + before, c.in / 2}, Data: packed},
				scale: exec.Array{Shape: []int{c.out + before, c.in / c.block}, Data: scales}}
			w := ops.DequantizeBlocks(ops.UnpackInt4(of(q)), of(scale), nil, 1, c.block)
			if hasMinima {
				minimum := g.Param("minimum", graph.Float32, rows, graph.Dim(c.in/c.block))
				values[minimum] = exec.Array{Shape: []int{c.out + before, c.in / c.block}, Data: minima}
				w = ops.DequantizeBlocks(ops.UnpackUint4(of(q)), of(scale), nil, 1, c.block)
				parted := ops.Reshape(w, graph.Dim(c.out), graph.Dim(c.in/c.block), graph.Dim(c.block))
				w = ops.Reshape(ops.Add(parted, ops.Unsqueeze(of(minimum), -1)), w.Shape()...)
			}
			y := product(x, w)
			p, err := exec.Compile(g, exec.Outputs(y))
			require.NoError(t, err)
			if c.block%32 == 0 {
				require.Equal(t, 1, p.Kernels(), "%s: %s", name, p)
				f, err := p.Footprint(nil)
				require.NoError(t, err)
				require.LessOrEqual(t, f.Arena, 1<<10, "no weight is stored")
			}
			for _, threads := range []int{1, 3} {
				s := p.NewSession(exec.Threads(threads), exec.BorrowParams(values))
				r, err := s.Run(context.Background(), exec.Feed{x: xs})
				require.NoError(t, err)
				got, err := exec.Values[float32](r, y)
				require.NoError(t, err)
				require.Equal(t, want, got, "%s: %v", name, c)
			}
		}
	}
}

// Many rows by quantised weights are one product, which reads the integers where it packs them, and so are gradients of
// these rows: no matrix of float32 is stored. The bits are those of a product by the dequantised weights.
func TestRowsByQuantisedRows(t *testing.T) {
	for _, c := range []struct{ rows, out, in, block int }{{3, 5, 32, 16}, {1, 40, 64, 32}, {64, 96, 320, 32},
		{7, 33, 1152, 128}, {130, 64, 60, 20}, {5, 8, 64, 64}, {6, 200, 2080, 32}} {
		for _, bits := range []int{8, 4} {
			testRowsByQuantisedRows(t, c.rows, c.out, c.in, c.block, bits, false)
			testRowsByQuantisedRows(t, c.rows, c.out, c.in, c.block, bits, true)
		}
	}
}

func testRowsByQuantisedRows(t *testing.T, xRows, outputs, inputs, block, bits int, hasMinima bool) {
	const before = 2 // rows of the parameters that the product does not read
	qs, scales := make([]int8, (outputs+before)*inputs), make([]float32, (outputs+before)*inputs/block)
	for i := range scales {
		scales[i] = float32(i%13+1) / 700
	}
	minima := make([]float32, len(scales))
	for i := range minima {
		minima[i] = float32(i%17-5) / 30
	}
	numbers, unsigned := make([]float32, len(qs)), make([]uint8, len(qs))
	for i := range qs {
		qs[i] = int8(i*37%251-125) >> (8 - bits)
		unsigned[i] = uint8(qs[i]) & (1<<bits - 1)
		if numbers[i] = float32(qs[i]) * scales[i/block]; hasMinima {
			numbers[i] = float32(float32(unsigned[i])*scales[i/block]) + minima[i/block]
		}
	}
	xs := make([]float32, xRows*inputs)
	for i := range xs {
		xs[i] = float32(i*29%101)/50 - 1
	}
	run := func(isQuantised bool) (results [2][]float32, arena int) {
		g := graph.New("quantised")
		in, out := graph.Dim(inputs), graph.Dim(outputs)
		x := g.Input("x", graph.Float32, g.Dim("rows"), in)
		values := exec.Feed{}
		param := func(name string, dtype graph.DType, data any, columns int) *graph.Node {
			n := g.Param(name, dtype, out+before, graph.Dim(columns))
			values[n] = exec.Array{Shape: []int{outputs + before, columns}, Data: data}
			return ops.Narrow(n, 0, before, out)
		}
		var w *graph.Node
		if isQuantised {
			var q *graph.Node
			switch {
			case bits == 4 && hasMinima:
				q = ops.UnpackUint4(param("pairs", graph.Uint8, pairsOf(qs), inputs/2))
			case bits == 4:
				q = ops.UnpackInt4(param("pairs", graph.Uint8, pairsOf(qs), inputs/2))
			case hasMinima:
				q = param("q", graph.Uint8, unsigned, inputs)
			default:
				q = param("q", graph.Int8, qs, inputs)
			}
			w = ops.DequantizeBlocks(q, param("scale", graph.Float32, scales, inputs/block), nil, 1, block)
			if hasMinima {
				each := ops.Unsqueeze(param("minimum", graph.Float32, minima, inputs/block), -1)
				parted := ops.Reshape(w, out, graph.Dim(inputs/block), graph.Dim(block))
				w = ops.Reshape(ops.Add(each, parted), out, in)
			}
		} else {
			w = param("w", graph.Float32, numbers, inputs)
		}
		y := ops.Tanh(ops.Linear(x, w, nil))
		grad := autodiff.Grad(ops.Sum(y), []*graph.Node{x})[0]
		p, err := exec.Compile(g, exec.Outputs(y, grad))
		require.NoError(t, err)
		f, err := p.Footprint(map[string]int{"rows": xRows})
		require.NoError(t, err)
		feed := exec.Feed{x: exec.Array{Shape: []int{xRows, inputs}, Data: xs}}
		for _, threads := range []int{1, 3} {
			s := p.NewSession(exec.BorrowParams(values), exec.Threads(threads))
			for range 3 { // weights of float32 are packed in the second
				r, err := s.Run(context.Background(), feed)
				require.NoError(t, err)
				for i, n := range []*graph.Node{y, grad} {
					results[i], err = exec.Values[float32](r, n)
					require.NoError(t, err)
				}
			}
		}
		return results, f.Arena
	}
	want, plain := run(false)
	got, quantised := run(true)
	about := fmt.Sprintf("%d rows, %d × %d in blocks of %d, %d bits, minima: %t", xRows, outputs, inputs, block, bits,
		hasMinima)
	require.Equal(t, want, got, about)
	require.LessOrEqual(t, quantised, plain, about)
}

// pairsOf packs integers of 4 bits.
func pairsOf(levels []int8) []uint8 {
	pairs := make([]uint8, len(levels)/2)
	for i := range pairs {
		pairs[i] = uint8(levels[2*i])&15 | uint8(levels[2*i+1])<<4
	}
	return pairs
}

// A product reads the first rows of weights of 4 bits that are dequantised as a whole, such as those of the queries in
// a matrix for queries, keys and values.
func TestFirstRowsOfWeightsOf4Bits(t *testing.T) {
	const all, inputs, block = 6, 64, 32
	levels, x := make([]int8, all*inputs), make([]float32, inputs)
	scales := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	for i := range levels {
		levels[i] = int8(i*7%16) - 8
	}
	for i := range x {
		x[i] = float32(i%5) - 2
	}
	for _, isNamed := range []bool{false, true} {
		for first := 1; first <= all; first++ {
			g := graph.New("4bits")
			rows, options := graph.Dim(first), []exec.RunOption{}
			if isNamed {
				rows, options = g.Dim("rows"), append(options, exec.RunSize("rows", first))
			}
			q := g.Input("q", graph.Uint8, all, inputs/2)
			scale := g.Input("scale", graph.Float32, all, inputs/block)
			w := ops.Slice(ops.DequantizeBlocks(ops.UnpackInt4(q), scale, nil, 1, block), 0, 0, rows, 1)
			in := g.Input("x", graph.Float32, 1, inputs)
			y := ops.Linear(in, w, nil)
			p, err := exec.Compile(g, exec.Outputs(y))
			require.NoError(t, err)
			if !isNamed {
				require.Equal(t, 1, p.Kernels())
			}
			r, err := p.NewSession().Run(t.Context(), exec.Feed{in: [][]float32{x},
				q:     exec.Array{Shape: []int{all, inputs / 2}, Data: pairsOf(levels)},
				scale: exec.Array{Shape: []int{all, inputs / block}, Data: scales}}, options...)
			require.NoError(t, err)
			got, err := exec.Values[float32](r, y)
			require.NoError(t, err)
			var want []float32 // exact: all numbers are small integers
			for row := range first {
				var sum float32
				for k, x := range x {
					at := row*inputs + k
					sum += x * float32(levels[at]) * scales[at/block]
				}
				want = append(want, sum)
			}
			require.Equal(t, want, got, "%d rows, named %v", first, isNamed)
		}
	}
}
