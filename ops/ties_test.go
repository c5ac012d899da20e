package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// tied is a symmetric matrix with the eigenvalues 2, 2 and 5, and tiedInverse its inverse: 2 + 3·v·vᵀ with v = (2, 1,
// 2)/3.
var (
	tied        = []float64{10. / 3, 2. / 3, 4. / 3, 2. / 3, 7. / 3, 2. / 3, 4. / 3, 2. / 3, 10. / 3}
	tiedInverse = []float64{11. / 30, -1. / 15, -2. / 15, -1. / 15, 7. / 15, -1. / 15, -2. / 15, -1. / 15, 11. / 30}
)

// gradientOf is the gradient of a function of a matrix of 3 rows.
func gradientOf(t *testing.T, f func(a node) node, at []float64) []float64 {
	g := graph.New("ties")
	a := g.Input("a", graph.Float64, 3, 3)
	da := autodiff.Grad(f(a), []node{a})[0]
	p, err := exec.Compile(g, exec.Outputs(da))
	require.NoError(t, err)
	r, err := p.NewSession().Run(t.Context(), exec.Feed{a: exec.Array{Shape: []int{3, 3}, Data: at}})
	require.NoError(t, err)
	v, err := exec.Values[float64](r, da)
	require.NoError(t, err)
	return v
}

// Gradients of functions of the eigenvalues or singular values alone are exact where some are equal.
func TestGradientsAtEqualEigenvalues(t *testing.T) {
	one := []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
	ofEigh := func(f func(values node) node) func(a node) node {
		return func(a node) node { values, _ := ops.Eigh(a); return ops.Sum(f(values)) }
	}
	ofSVD := func(f func(values node) node) func(a node) node {
		return func(a node) node { _, s, _ := ops.SVD(a); return ops.Sum(f(s)) }
	}
	twice := make([]float64, len(tied))
	for i, v := range tied {
		twice[i] = 2 * v
	}
	for name, of := range map[string]func(func(node) node) func(node) node{"Eigh": ofEigh, "SVD": ofSVD} {
		same := func(x node) node { return x }
		assert.InDeltaSlice(t, one, gradientOf(t, of(same), tied), 1e-13, name)
		assert.InDeltaSlice(t, tiedInverse, gradientOf(t, of(ops.Log), tied), 1e-13, name)
		assert.InDeltaSlice(t, twice, gradientOf(t, of(ops.Square), tied), 1e-12, name)
		assert.InDeltaSlice(t, one, gradientOf(t, of(same), one), 1e-13, name)
	}
}

// By way of the vectors, the gradient of a function of the matrix lacks what changes between equal eigenvalues, as the
// documentation of Eigh says: at the unit matrix, all but the diagonal. The same function of products has it.
func TestGradientsOfFunctionsAtEqualEigenvalues(t *testing.T) {
	one := []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
	weighted := func(square func(a node) node) func(a node) node {
		return func(a node) node {
			w := graph.Constant(a.Graph(), []float64{1, 2, 3, 2, 4, 5, 3, 5, 6}, 3, 3)
			return ops.Sum(ops.Mul(square(a), w))
		}
	}
	byVectors := weighted(func(a node) node {
		values, v := ops.Eigh(a)
		return ops.MatMul(ops.Mul(v, ops.Unsqueeze(ops.Square(values), 0)), ops.Transpose(v, 0, 1))
	})
	byProducts := weighted(func(a node) node { return ops.MatMul(a, a) })
	assert.InDeltaSlice(t, []float64{2, 4, 6, 4, 8, 10, 6, 10, 12}, gradientOf(t, byProducts, one), 1e-12)
	assert.InDeltaSlice(t, []float64{2, 0, 0, 0, 8, 0, 0, 0, 12}, gradientOf(t, byVectors, one), 1e-12)
	apart := []float64{1, 0.5, 0, 0.5, 3, 0.25, 0, 0.25, 7}
	assert.InDeltaSlice(t, gradientOf(t, byProducts, apart), gradientOf(t, byVectors, apart), 1e-11)
}
