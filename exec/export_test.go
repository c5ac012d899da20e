package exec

import (
	"context"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec/internal/engine"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/launch"
)

// TestMain has all programs of the tests verified after every pass.
func TestMain(m *testing.M) {
	if os.Getenv(VerifyVariable) == "" {
		os.Setenv(VerifyVariable, "1")
	}
	os.Exit(m.Run())
}

// Shuffled puts nodes that do not depend on each other into another order before each pass.
func Shuffled(seed uint64) Option { return shuffled(seed) }

// ArrayOf returns an output of a run, which must be one.
func ArrayOf(t testing.TB, r *Results, n *graph.Node) Array {
	t.Helper()
	a, err := r.Array(n)
	require.NoError(t, err)
	return a
}

// ScalarOf returns the one element of an output of a run.
func ScalarOf(t testing.TB, r *Results, n *graph.Node) float64 {
	t.Helper()
	v, err := r.Scalar(n)
	require.NoError(t, err)
	return v
}

// Hold has the session's parameters read or written until the function that it gives is called.
func (s *Session) Hold(t testing.TB, write bool) (release func()) {
	require.NoError(t, s.store.Acquire(write))
	return func() { s.store.Release(write) }
}

// RunApart is Run with each kernel by itself, as where their times are taken.
func (s *Session) RunApart(ctx context.Context, feed Feed, _ ...RunOption) (*Results, error) {
	_, err := s.Profile(ctx, feed, 1)
	return &s.results, err
}

// CheckArguments verifies the arguments of all row programs that the session has bound.
func (s *Session) CheckArguments() error {
	for _, b := range s.bindings {
		for _, l := range b.Launches {
			switch k := l.Task.(type) {
			case *engine.LoopTask:
				if l.Chained { // whose operands are with the threads that run it
					continue
				}
				if err := launch.Check(k.Loop.Program, k.Args); err != nil {
					return err
				}
			case *engine.AssembleTask:
				for _, part := range k.Parts {
					part.SetPointers(part.Args, 0)
					if err := launch.Check(part.Program, part.Args); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// AllTiles has kernels run on the tiles of products of any size.
func AllTiles() Option {
	return func(r *request) { r.thresholds.TileBytes, r.thresholds.TileRows, r.thresholds.FactorBytes = 0, 0, 0 }
}

// ChainsOf has chains of kernels run in blocks of some rows, whatever the sizes; 0 has none run so.
func ChainsOf(rows int) Option {
	return func(r *request) {
		if r.thresholds.ChainBytes, r.thresholds.ChainRows = 0, rows; rows == 0 {
			r.thresholds.ChainBytes = math.MaxInt
		}
	}
}

// MasksFrom has products look at masks in memory of at least some columns.
func MasksFrom(columns int) Option { return func(r *request) { r.thresholds.MaskedColumns = columns } }

// SharedChainsOf is [ChainsOf] with each block shared by all threads.
func SharedChainsOf(rows int) Option {
	return func(r *request) {
		ChainsOf(rows)(r)
		r.thresholds.ChainFactor = 0
	}
}

// Chained counts the kernels that are members of chains.
func (s *Session) Chained() (count int) {
	for _, b := range s.bindings {
		for _, l := range b.Launches {
			if l.Chained {
				count++
			}
		}
	}
	return count
}

// WithoutPass compiles without a pass until the function that it gives is called.
func WithoutPass(name string) (restore func()) {
	all := passes
	passes = slices.DeleteFunc(slices.Clone(all), func(p pass) bool { return p.name == name })
	return func() { passes = all }
}

// Plain compiles without the passes that make programs faster until the function that it gives is called.
func Plain() (restore func()) {
	all := passes
	passes = slices.DeleteFunc(slices.Clone(all), func(p pass) bool { return !p.needed })
	return func() { passes = all }
}

// RowsFrom has kernels run on rows of products from a size in bytes on.
func RowsFrom(bytes int) Option { return func(r *request) { r.thresholds.RowBytes = bytes } }

// Tiled counts the products whose tiles a kernel runs on.
func (s *Session) Tiled() int {
	tiled, _ := s.countTaken()
	return tiled
}

// FactorSums counts the products whose second matrix a kernel sums.
func (s *Session) FactorSums() int {
	_, sums := s.countTaken()
	return sums
}

func (s *Session) countTaken() (tiled, sums int) {
	for _, b := range s.bindings {
		for _, l := range b.Launches {
			isTiled, isSummed := taken(l.Task)
			if isTiled {
				tiled++
			}
			if isSummed {
				sums++
			}
		}
	}
	return tiled, sums
}

// taken reports whether a product passes tiles of its result, and panels of its second matrix, to an epilogue.
func taken(k engine.Task) (tiled, summed bool) {
	switch t := k.(type) {
	case *engine.MatMulTask[float32]:
		return t.Tiles != nil, t.Reduction != nil
	case *engine.MatMulTask[float64]:
		return t.Tiles != nil, t.Reduction != nil
	}
	return false, false
}

// FusedWithMatMul counts the kernels that run on parts of a product.
func (s *Session) FusedWithMatMul() (count int) {
	for _, b := range s.bindings {
		for _, l := range b.Launches {
			if l.Fused {
				count++
			}
		}
	}
	return count
}

// PackedBytes is the memory of the parameters' copies that products read.
func (s *Session) PackedBytes() (bytes int) {
	for _, n := range s.store.Nodes() {
		bytes += s.store.Find(n).Packed.Bytes()
	}
	return bytes
}
