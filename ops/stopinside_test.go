package ops_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// endsWhenAsked is a context that ends when it has been asked so many times.
type endsWhenAsked struct {
	context.Context
	left atomic.Int64
}

func endAfter(times int) *endsWhenAsked {
	c := &endsWhenAsked{Context: context.Background()}
	c.left.Store(int64(times))
	return c
}

func (c *endsWhenAsked) Done() <-chan struct{} { return make(chan struct{}) }

func (c *endsWhenAsked) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// stopsInside are operations of one large example, each a kernel that takes long.
var stopsInside = map[string]struct {
	t     graph.DType
	shape []int
	build func(x node) []node
	asks  int // at least, in a run
}{
	"Sort": {graph.Float32, []int{400_000},
		bothOf(func(x node) (node, node) { return ops.Sort(x, 0, true) }), 20},
	"Sort, 64 bits":  {graph.Float64, []int{400_000}, outOf(func(x node) node { return ops.ArgSort(x, 0, false) }), 20},
	"Sort, integers": {graph.Int64, []int{200_000}, outOf(func(x node) node { return ops.ArgSort(x, 0, false) }), 8},
	"TopK": {graph.Float32, []int{500_000},
		bothOf(func(x node) (node, node) { return ops.TopK(x, 50_000, 0, true) }), 8},
	"TopK, 64 bits": {graph.Float64, []int{500_000},
		bothOf(func(x node) (node, node) { return ops.TopK(x, 50_000, 0, false) }), 8},
	"TopK of few": {graph.Float32, []int{900_000},
		bothOf(func(x node) (node, node) { return ops.TopK(x, 3, 0, true) }), 8},
	"TopK of most": {graph.Float32, []int{300_000},
		bothOf(func(x node) (node, node) { return ops.TopK(x, 200_000, 0, true) }), 8},
	"Median": {graph.Float64, []int{300_000}, bothOf(func(x node) (node, node) { return ops.Median(x, 0) }), 8},
	"UniqueAlong": {graph.Float32, []int{30_000, 2}, func(x node) []node {
		v, i, c := ops.UniqueAlong(x, 0, 30_000, graph.Num(0))
		return []node{v, i, c}
	}, 4},
	"SearchSorted": {graph.Float32, []int{200_000}, outOf(func(x node) node {
		v, _ := ops.Sort(x, 0, false)
		return ops.SearchSorted(v, x, true)
	}), 30},
	"CumSum":            {graph.Float32, []int{900_000}, outOf(func(x node) node { return ops.CumSum(x, 0) }), 10},
	"CumSum of columns": {graph.Float32, []int{9000, 100}, outOf(func(x node) node { return ops.CumSum(x, 0) }), 10},
	"CumSum of rows":    {graph.Float64, []int{3, 300_000}, outOf(func(x node) node { return ops.CumSum(x, 1) }), 10},
	"CumProd":           {graph.Int64, []int{900_000}, outOf(func(x node) node { return ops.CumProd(x, 0) }), 10},
	"CumMax": {graph.Float32, []int{900_000},
		bothOf(func(x node) (node, node) { return ops.CumMax(x, 0) }), 20},
	"CumMin of columns": {graph.Int32, []int{300_000, 3},
		bothOf(func(x node) (node, node) { return ops.CumMin(x, 0) }), 20},
	"LinearRecurrence": {graph.Float32, []int{900_000},
		outOf(func(x node) node { return ops.LinearRecurrence(x, x, 0) }), 10},
	"LogCumSumExp": {graph.Float64, []int{300_000},
		outOf(func(x node) node { return ops.LogCumSumExp(x, 0) }), 8},
	"FFT":                   {graph.Float32, []int{1 << 20, 2}, outOf(func(x node) node { return ops.FFT(x) }), 20},
	"RFFT":                  {graph.Float64, []int{1 << 20}, outOf(func(x node) node { return ops.RFFT(x) }), 10},
	"FFT of a prime number": {graph.Float64, []int{100_003, 2}, outOf(func(x node) node { return ops.FFT(x) }), 20},
	"FFT of columns": {graph.Float32, []int{1 << 10, 500, 2},
		outOf(func(x node) node { return ops.FFT(x, ops.FFTAxis(0)) }), 10},
	"Put": {graph.Float32, []int{900_000}, outOf(func(x node) node {
		return ops.IndexCopy(x, 0, ops.Iota(x.Graph(), 0, 900_000), ops.Neg(x))
	}), 4},
	"Take": {graph.Float32, []int{900_000}, outOf(func(x node) node {
		return ops.Take(x, 0, ops.Reshape(ops.ArgSort(ops.Reshape(x, 900, 1000), 1, false), 900_000))
	}), 20},
	"EmbeddingBag": {graph.Float32, []int{1000, 64}, outOf(func(x node) node {
		index := ops.Reshape(ops.Remainder(ops.Iota(x.Graph(), 0, 100_000), graph.Num(1000)), 1000, 100)
		return ops.EmbeddingBag(index, x, ops.ReduceSum)
	}), 50},
	"SVD": {graph.Float32, []int{300, 200}, func(x node) []node {
		u, s, v := ops.SVD(x)
		return []node{u, s, v}
	}, 30},
	"SingularValues": {graph.Float64, []int{300, 300}, outOf(ops.SingularValues), 30},
	"Eigh":           {graph.Float64, []int{300, 300}, bothOf(func(x node) (node, node) { return ops.Eigh(x) }), 30},
	"EigenvaluesH":   {graph.Float32, []int{300, 300}, outOf(func(x node) node { return ops.EigenvaluesH(x) }), 20},
	"Eig":            {graph.Float64, []int{200, 200}, bothOf(ops.Eig), 30},
	"Eigenvalues":    {graph.Float64, []int{200, 200}, outOf(ops.Eigenvalues), 30},
	"Schur":          {graph.Float64, []int{200, 200}, bothOf(ops.Schur), 30},
	"Hessenberg":     {graph.Float64, []int{300, 300}, bothOf(ops.Hessenberg), 30},
	"QR":             {graph.Float64, []int{300, 300}, bothOf(ops.QR), 20},
	"Cholesky":       {graph.Float64, []int{500, 500}, outOf(func(x node) node { return ops.Cholesky(x) }), 20},
	"LUFactor":       {graph.Float64, []int{400, 400}, bothOf(ops.LUFactor), 20},
	"LDLFactor":      {graph.Float64, []int{400, 400}, bothOf(ops.LDLFactor), 20},
	"Solve":          {graph.Float64, []int{300, 300}, outOf(func(x node) node { return ops.Solve(x, x) }), 30},
	"SolveTriangular": {graph.Float64, []int{400, 400},
		outOf(func(x node) node { return ops.SolveTriangular(x, x) }), 20},
	"Inv":       {graph.Float32, []int{300, 300}, outOf(ops.Inv), 20},
	"Det":       {graph.Float64, []int{400, 400}, outOf(ops.Det), 20},
	"PInv":      {graph.Float64, []int{300, 200}, outOf(func(x node) node { return ops.PInv(x) }), 30},
	"Lstsq":     {graph.Float64, []int{300, 200}, outOf(func(x node) node { return ops.Lstsq(x, x) }), 30},
	"MatrixExp": {graph.Float64, []int{150, 150}, outOf(ops.MatrixExp), 20},
	"SqrtM":     {graph.Float64, []int{100, 100}, outOf(ops.SqrtM), 30},
	"LogM":      {graph.Float64, []int{100, 100}, outOf(ops.LogM), 30},
	"SolveSylvester": {graph.Float64, []int{100, 100},
		outOf(func(x node) node { return ops.SolveSylvester(x, x, x) }), 30},
	"Sin": {graph.Float64, []int{8_000_000},
		outOf(func(x node) node { return ops.Sin(ops.Exp(ops.Neg(ops.Square(x)))) }), 8},
	"Sum":         {graph.Float64, []int{8_000_000}, outOf(func(x node) node { return ops.Sum(ops.Sin(x)) }), 8},
	"Sum of rows": {graph.Float64, []int{4_000_000, 2}, outOf(func(x node) node { return ops.Sum(ops.Sin(x), 0) }), 8},
	"Softmax":     {graph.Float32, []int{8_000_000}, outOf(func(x node) node { return ops.Softmax(x, 0) }), 8},
	"Normal": {graph.Float32, []int{1}, outOf(func(x node) node {
		return ops.Normal(ops.Sum(ops.Cast(x, graph.Int64)), graph.Float32, 8_000_000)
	}), 8},
}

func outOf(f func(x node) node) func(x node) []node {
	return func(x node) []node { return []node{f(x)} }
}

func bothOf(f func(x node) (node, node)) func(x node) []node {
	return func(x node) []node {
		y, z := f(x)
		return []node{y, z}
	}
}

// TestRunsStopInsideOperations stops runs in the middle of each of these operations. The session then gives the same
// results as before.
func TestRunsStopInsideOperations(t *testing.T) {
	for name, c := range stopsInside {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := graph.New(name)
			var shape []graph.Dim
			count := 1
			for _, n := range c.shape {
				shape, count = append(shape, graph.Dim(n)), count*n
			}
			x := g.Input("x", c.t, shape...)
			outs := c.build(x)
			require.NoError(t, g.Err())
			p, err := exec.Compile(g, exec.Outputs(outs...), exec.OnWarning(nil))
			require.NoError(t, err)
			rng, numbers := rand.New(rand.NewPCG(1, 2)), make([]float64, count)
			for i := range numbers {
				numbers[i] = float64(int64(rng.NormFloat64()*1e4)) / 1e4
				if !c.t.IsFloat() {
					numbers[i] = float64(rng.Int64N(1 << 30))
				}
				if len(c.shape) == 2 && i/c.shape[1] == i%c.shape[1] {
					numbers[i] += 3 * float64(c.shape[1])
				}
			}
			feed := exec.Feed{x: exec.Array{Shape: c.shape, Data: reference.FromFloats(c.t, numbers, c.shape...).Data}}
			for _, threads := range []int{1, 2} {
				s := p.NewSession(exec.Threads(threads))
				result := func(ctx context.Context) (values []any) {
					r, err := s.Run(ctx, feed)
					require.NoError(t, err)
					for _, n := range outs {
						a, err := r.Array(n)
						require.NoError(t, err)
						values = append(values, a.Clone().Data)
					}
					return values
				}
				const most = 1 << 40
				result(endAfter(most)) // what is computed once, such as the factors of a Fourier transform
				ctx := endAfter(most)
				want := result(ctx)
				asked := int(most - ctx.left.Load())
				require.GreaterOrEqual(t, asked, c.asks, "how often a run asks")
				for _, share := range []int{1, 5, 9} {
					r, err := s.Run(endAfter(asked*share/10), feed)
					require.Nil(t, r)
					require.ErrorIs(t, err, context.Canceled)
					require.ErrorContains(t, err, "exec: the run was stopped")
				}
				require.Equal(t, want, result(endAfter(most)))
			}
		})
	}
}
