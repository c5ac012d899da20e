package exec

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// benchmarkRun measures runs of an output on one thread, fed with ones, after three runs and
// a change to the session.
func benchmarkRun(b *testing.B, name string, g *graph.Graph, y *graph.Node, change func(*Session)) {
	b.Run(name, func(b *testing.B) {
		prog, err := Compile(g, Outputs(y))
		require.NoError(b, err)
		feed := Feed{}
		for _, x := range g.Inputs() {
			shape, _ := x.Shape().Ints()
			data := make([]float32, shape[0]*shape[len(shape)-1])
			for i := range data {
				data[i] = 1
			}
			feed[x] = Array{Shape: shape, Data: data}
		}
		s := prog.NewSession(Threads(1))
		run := func() {
			if _, err := s.Run(context.Background(), feed); err != nil {
				b.Fatal(err)
			}
		}
		for range 3 {
			run()
		}
		change(s)
		for b.Loop() {
			run()
		}
	})
}

// BenchmarkFollowedProducts has a bias and ReLU follow a product's rows, and come after it.
func BenchmarkFollowedProducts(b *testing.B) {
	for _, size := range [][3]graph.Dim{{65536, 64, 64}, {4096, 1024, 64}, {1024, 256, 256}} {
		for _, apart := range []bool{false, true} {
			g := graph.New("followed")
			x, w := g.Input("x", graph.Float32, size[0], size[2]), g.Input("w", graph.Float32, size[2], size[1])
			y := ops.Relu(ops.Add(ops.MatMul(x, w), g.Input("b", graph.Float32, 1, size[1])))
			benchmarkRun(b, fmt.Sprint(size, " apart=", apart), g, y, func(s *Session) {
				for i := range s.bindings[0].steps {
					st := &s.bindings[0].steps[i]
					require.Equal(b, i == 1, st.taken)
					if t, ok := st.kernel.(*typedProduct[float32]); ok && apart {
						t.next = nil
					}
				}
				if apart {
					s.bindings[0].steps[1].taken = false
				}
			})
		}
	}
}

// BenchmarkPackedWeights multiplies by a parameter, which is packed, and by an input.
func BenchmarkPackedWeights(b *testing.B) {
	for _, rows := range []graph.Dim{2, 4, 8, 32, 64, 128} {
		for _, transposed := range []bool{false, true} {
			for _, packed := range []bool{true, false} {
				g := graph.New("packed")
				shape := []graph.Dim{512, 2048}
				if transposed {
					shape = []graph.Dim{2048, 512}
				}
				declare := g.Input
				if packed {
					declare = g.Param
				}
				w := declare("w", graph.Float32, shape...)
				if transposed {
					w = ops.Transpose(w, 0, 1)
				}
				y := ops.MatMul(g.Input("x", graph.Float32, rows, 512), w)
				benchmarkRun(b, fmt.Sprint(rows, " transposed=", transposed, " packed=", packed), g, y, func(*Session) {})
			}
		}
	}
}
