package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// edges are numbers on which a law that holds almost always fails.
var edges = []float64{0, math.Copysign(0, -1), 1, -1, 2, 0.5, -0.3, 3, 1e-45, -1e-310, math.MaxFloat32, -math.MaxInt32,
	math.MaxInt32, math.Inf(1), math.Inf(-1), math.NaN()}

// edgesOf returns the edges that a dtype holds, and its least and greatest number.
func edgesOf(dt graph.DType) reference.Value {
	switch dt {
	case graph.Int64:
		return reference.Of([]int64{0, 1, -1, 2, math.MaxInt64, math.MinInt64, 1<<53 + 1}, 7)
	case graph.Int32:
		return reference.Of([]int32{0, 1, -1, 2, math.MaxInt32, math.MinInt32, 1<<24 + 1}, 7)
	}
	return reference.FromFloats(dt, edges, len(edges))
}

// requireBits requires that a value has the bits of another one; NaN is one value.
func requireBits(t *testing.T, want, got reference.Value, about string) {
	t.Helper()
	require.Equal(t, want.Shape, got.Shape, about)
	if !want.DType.IsFloat() {
		require.Equal(t, want.Data, got.Data, about)
		return
	}
	for i, w := range want.Floats() {
		g := got.Floats()[i]
		require.True(t, math.Float64bits(w) == math.Float64bits(g) ||
			math.IsNaN(w) && math.IsNaN(g), "%s: %v became %v", about, w, g)
	}
}

// What an operation states as its identity element leaves every number as it is, whether
// the compiler knows it or it is fed.
func TestIdentities(t *testing.T) {
	stated := 0
	for _, op := range ops.Entries() {
		for _, dt := range graph.DTypes() {
			for i := 0; i < 2 && op.Identity != nil; i++ {
				e, ok := op.Identity(dt, i)
				if !ok {
					continue
				}
				g := graph.New(op.Name)
				x, fed := g.Input("x", dt, graph.Dim(edgesOf(dt).Shape[0])), g.Input("e", dt)
				in := feeds{x: edgesOf(dt), fed: reference.FromFloats(dt, []float64{e})}
				for _, number := range []*graph.Node{g.Scalar(dt, e), fed} {
					pair := []*graph.Node{x, x}
					pair[i] = number
					y := ops.Apply(op, nil, pair...)
					if y.Err() != nil || y.DType() != dt {
						continue // the operation is not defined for the dtype, or gives another one
					}
					stated++
					about := graph.Describe(y) + " of " + dt.String()
					requireBits(t, in[x], value(t, in, y), about)
					requireBits(t, in[x], compiled(t, 1, in, y)[0], "compiled: "+about)
				}
			}
		}
	}
	require.Greater(t, stated, 60)
}

// An operation that claims to be an involution undoes itself for every number.
func TestInvolutions(t *testing.T) {
	stated := 0
	for _, op := range ops.Entries() {
		for _, dt := range graph.DTypes() {
			if !op.Involution {
				continue
			}
			g := graph.New(op.Name)
			x := g.Input("x", dt, graph.Dim(edgesOf(dt).Shape[0]))
			once := graph.Apply(op, nil, x)
			if once.Err() != nil || once.DType() != dt {
				continue
			}
			stated++
			in := feeds{x: edgesOf(dt)}
			requireBits(t, in[x], value(t, in, graph.Apply(op, nil, once)), op.Name)
			requireBits(t, in[x], compiled(t, 1, in, graph.Apply(op, nil, ops.Copy(once)))[0], op.Name+" by its kernel")
		}
	}
	require.GreaterOrEqual(t, stated, 5)
}
