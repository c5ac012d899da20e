package exec

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/internal/testkit/settings"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// manyParams is a session with a training step of many small parameters, vectors and matrices
// of different sizes, so that each has a kernel of its own, and what feeds it.
func manyParams(t testing.TB, o optim.Optimizer, count int) (s *Session, params []*graph.Node,
	feed func(target float32) Feed) {
	g := graph.New("parameters")
	x := g.Input("x", graph.Float32, 1)
	loss := graph.Num(0.0)
	for i := range count {
		shape := []graph.Dim{graph.Dim(i + 1)}
		if i%2 == 1 {
			shape = []graph.Dim{graph.Dim(i + 1), 3}
		}
		w := g.Param(fmt.Sprintf("w%d", i), graph.Float32, shape...)
		loss = ops.Add(loss, ops.Sum(ops.Square(ops.Sub(w, x))))
		params = append(params, w)
	}
	prog, err := Compile(g, Updates(o.Minimize(loss, params...)...))
	require.NoError(t, err)
	return prog.NewSession(), params, func(target float32) Feed {
		return Feed{x: Array{Shape: []int{1}, Data: []float32{target}}}
	}
}

// paramBits returns a line for each parameter.
func paramBits(t *testing.T, s *Session, params []*graph.Node) string {
	var text strings.Builder
	for _, w := range params {
		v, err := s.Param(w)
		require.NoError(t, err)
		h := fnv.New64a()
		require.NoError(t, binary.Write(h, binary.LittleEndian, v.Data))
		fmt.Fprintf(&text, "%s: %016x\n", w.Label(), h.Sum64())
	}
	return text.String()
}

// listed counts the steps of a session that are run with others.
func (s *Session) listed() (count int) {
	for _, b := range s.bindings {
		for _, l := range b.Launches {
			if l.Batch != nil {
				count += l.Batch.Len()
			}
		}
	}
	return count
}

const trainingSteps = 10

// train feeds memory of its own in each step.
func train(t *testing.T, s *Session, feed func(float32) Feed) {
	for i := range trainingSteps {
		_, err := s.Run(context.Background(), feed(float32(i)/4))
		require.NoError(t, err)
	}
}

// Small kernels that run as one give the same bits as without machine code.
func TestEverySettingGivesTheSameSmallParams(t *testing.T) {
	settings.Same(t, func() string {
		s, params, feed := manyParams(t, optim.Adam(0.01), 24)
		train(t, s, feed)
		if s.prog.code.Compiled[0].Machine() {
			require.GreaterOrEqual(t, s.listed(), 24)
		}
		return paramBits(t, s, params)
	})
}

// While a profile is taken each kernel runs by itself, with the same result.
func TestProfileOfSmallKernels(t *testing.T) {
	s, params, feed := manyParams(t, optim.SGD(0.01), 24)
	profiled := s.Program().NewSession()
	for i := range trainingSteps {
		p, err := profiled.Profile(context.Background(), feed(float32(i)/4), 1)
		require.NoError(t, err)
		for kernel, time := range p.Kernels {
			require.Positive(t, time, "kernel %d", kernel)
		}
	}
	train(t, s, feed)
	require.Equal(t, paramBits(t, s, params), paramBits(t, profiled, params))
	train(t, profiled, feed)
	train(t, s, feed)
	require.Equal(t, paramBits(t, s, params), paramBits(t, profiled, params))
}

func TestSmallKernelsAllocateNothing(t *testing.T) {
	s, _, feed := manyParams(t, optim.Adam(0.01), 24)
	feeds, i := []Feed{feed(1), feed(2)}, 0
	step := func() {
		i++
		if _, err := s.Run(context.Background(), feeds[i%2]); err != nil {
			t.Fatal(err)
		}
	}
	step()
	allocs.RequireNone(t, 100, step)
}

// BenchmarkSmallParams is the time of a step on 50 parameters.
func BenchmarkSmallParams(b *testing.B) {
	benchmark := func(name string, o optim.Optimizer, list bool) {
		b.Run(name, func(b *testing.B) {
			s, _, feed := manyParams(b, o, 50)
			fed, ctx := feed(1), context.Background()
			_, err := s.Run(ctx, fed)
			require.NoError(b, err)
			for i := range s.bindings[0].Launches {
				if !list {
					s.bindings[0].Launches[i].Batch = nil
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Run(ctx, fed); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	benchmark("SGD", optim.SGD(0.01), true)
	benchmark("SGD one by one", optim.SGD(0.01), false)
	benchmark("Adam", optim.Adam(0.01), true)
	benchmark("Adam one by one", optim.Adam(0.01), false)
}
