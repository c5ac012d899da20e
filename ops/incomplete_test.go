package ops_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

type functionOfSeveral struct {
	build      func(in []node) node
	wrt        []int
	off, least float64
}

// functionsOfSeveral are those of testdata/incomplete.json and testdata/orders.json: of which operands there are
// derivatives, and how far off values may be, relative to themselves or to least. Derivatives by shapes are less exact
// where these are small.
var functionsOfSeveral = map[string]functionOfSeveral{
	"gammainc":     {func(in []node) node { return ops.GammaInc(in[0], in[1]) }, []int{0, 1}, 1e-13, 0},
	"gammaincc":    {func(in []node) node { return ops.GammaIncC(in[0], in[1]) }, []int{0, 1}, 1e-13, 0},
	"betainc":      {func(in []node) node { return ops.BetaInc(in[0], in[1], in[2]) }, []int{0, 1, 2}, 1e-13, 0},
	"betaln":       {func(in []node) node { return ops.BetaLn(in[0], in[1]) }, nil, 1e-14, 1},
	"gammaincinv":  {func(in []node) node { return ops.GammaIncInv(in[0], in[1]) }, []int{0, 1}, 1e-12, 0},
	"gammainccinv": {func(in []node) node { return ops.GammaIncCInv(in[0], in[1]) }, []int{0, 1}, 1e-12, 0},
	"betaincinv":   {func(in []node) node { return ops.BetaIncInv(in[0], in[1], in[2]) }, []int{0, 1, 2}, 1e-12, 0},
	"zeta":         {func(in []node) node { return ops.Zeta(in[0], in[1]) }, nil, 1e-12, 0},
	"factorial":    {func(in []node) node { return ops.Factorial(in[0]) }, []int{0}, 2e-14, 0},
	"comb":         {func(in []node) node { return ops.Comb(in[0], in[1]) }, []int{0, 1}, 1e-12, 0},
	"poch":         {func(in []node) node { return ops.Poch(in[0], in[1]) }, []int{0, 1}, 1e-12, 0},
	"owens_t":      {func(in []node) node { return ops.OwensT(in[0], in[1]) }, []int{0, 1}, 2e-14, 0},
	"besselj2":     besselOf(2), "besselj3": besselOf(3), "besselj10": besselOf(10), "besselj33": besselOf(33),
	"besselj64": besselOf(64),
}

func besselOf(n int) functionOfSeveral {
	return functionOfSeveral{func(in []node) node { return ops.BesselJ(n, in[0]) }, []int{0}, 2e-13, 0.05}
}

// rowOfSeveral is a point, the value there and derivatives.
type rowOfSeveral struct {
	At    []float64
	Value float64
	Grads []float64
}

func readSeveral(t *testing.T, file string) (rows map[string][]rowOfSeveral) {
	text, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &rows))
	return rows
}

// TestFunctionsOfSeveralNumbers compares values and derivatives with those of 40 digits, in Float64.
func TestFunctionsOfSeveralNumbers(t *testing.T) { compareSeveral(t, "incomplete.json") }

// TestInversesOfShares compares quantiles, tails included, and their derivatives.
func TestInversesOfShares(t *testing.T) { compareSeveral(t, "inverses.json") }

func compareSeveral(t *testing.T, file string) {
	for name, rows := range readSeveral(t, file) {
		f, known := functionsOfSeveral[name]
		if !known {
			continue
		}
		t.Run(name, func(t *testing.T) {
			require.NotEmpty(t, rows)
			g := graph.New("several")
			var in, wrt []node
			feed := exec.Feed{}
			for i := range rows[0].At {
				column := make([]float64, len(rows))
				for k, r := range rows {
					column[k] = r.At[i]
				}
				in = append(in, g.Input(string(rune('a'+i)), graph.Float64, graph.Dim(len(rows))))
				feed[in[i]] = exec.Array{Shape: []int{len(rows)}, Data: column}
			}
			y := f.build(in)
			for _, i := range f.wrt {
				wrt = append(wrt, in[i])
			}
			results := []node{y}
			if wrt != nil {
				results = append(results, autodiff.Grad(ops.Sum(y), wrt)...)
			}
			prog, err := exec.Compile(g, exec.Outputs(results...), exec.OnWarning(nil))
			require.NoError(t, err)
			r, err := prog.NewSession().Run(t.Context(), feed)
			require.NoError(t, err)
			for i, result := range results {
				array, err := r.Array(result)
				require.NoError(t, err)
				for k, got := range array.Data.([]float64) {
					want, off := rows[k].Value, f.off
					if i > 0 {
						want, off = rows[k].Grads[i-1], 1e-9
					}
					least := max(math.Abs(want), f.least)
					if i > 0 {
						// a derivative may be near a zero of its own, or too small
						least = max(least, 1e-3*math.Abs(rows[k].Value), 1e-300)
					}
					assert.LessOrEqual(t, math.Abs(got-want)/least, off, "%s%v, result %d, is %v, want %v", name,
						rows[k].At, i, got, want)
				}
			}
		})
	}
}

// TestExponentialIntegrals compares those of whole orders, and their slopes.
func TestExponentialIntegrals(t *testing.T) {
	for _, row := range readSeveral(t, "incomplete.json")["expn"] {
		g := graph.New("expn")
		x := g.Input("x", graph.Float64)
		y := ops.ExpN(int(row.At[0]), x)
		fed := feeds{x: reference.Of(row.At[1:])}
		require.InEpsilon(t, row.Value, value(t, fed, y).Floats()[0], 1e-13, "%v", row.At)
		require.InEpsilon(t, row.Grads[0], value(t, fed, autodiff.Grad(y, []node{x})[0]).Floats()[0], 1e-12,
			"the slope of %v", row.At)
	}
}

// TestSlopesOfInversesAtTheEnds: there the reciprocal of the density is 0, a number or infinite, and shapes change
// nothing.
func TestSlopesOfInversesAtTheEnds(t *testing.T) {
	g := graph.New("ends")
	a, p := g.Input("a", graph.Float64, 6), g.Input("p", graph.Float64, 6)
	in := feeds{a: reference.Of([]float64{0.5, 1, 2, 0.5, 1, 2}, 6), p: reference.Of([]float64{0, 0, 0, 1, 1, 1}, 6)}
	inf := math.Inf(1)
	for _, c := range []struct {
		y   node
		byP []float64
	}{
		{ops.GammaIncInv(a, p), []float64{0, 1, inf, inf, inf, inf}},
		{ops.GammaIncCInv(a, p), []float64{-inf, -inf, -inf, 0, -1, -inf}},
		{ops.BetaIncInv(a, g.Scalar(graph.Float64, 1), p), []float64{0, 1, inf, 2, 1, 0.5}},
	} {
		slopes := autodiff.Grad(ops.Sum(c.y), []node{a, p})
		requireClose(t, make([]float64, 6), value(t, in, slopes[0]).Floats(), 0, "by a")
		requireClose(t, c.byP, value(t, in, slopes[1]).Floats(), 1e-14, "by p")
	}
}

// TestInversesOfBatches: they undo the shares, those of batches and of single numbers with the same bits.
func TestInversesOfBatches(t *testing.T) {
	shapes, shares := []float64{0.05, 0.7, 3, 40, 900}, []float64{1e-9, 0.2, 0.5, 0.9, 0.999}
	invert := func(shapes, shares []float64) []float64 {
		g := graph.New("batch")
		n := len(shapes)
		a, p := g.Input("a", graph.Float64, graph.Dim(n)), g.Input("p", graph.Float64, graph.Dim(len(shares)), 1)
		in := feeds{a: reference.Of(shapes, n), p: reference.Of(shares, len(shares), 1)}
		x := ops.GammaIncInv(a, p)
		requireClose(t, value(t, in, ops.Add(ops.Mul(a, graph.Num(0)), p)).Floats(),
			value(t, in, ops.GammaInc(a, x)).Floats(), 1e-13, "GammaInc of GammaIncInv")
		return slices.Concat(value(t, in, x).Floats(),
			value(t, in, ops.BetaIncInv(a, g.Scalar(graph.Float64, 0.3), p)).Floats())
	}
	all := invert(shapes, shares)
	for i, p := range shares {
		for k, a := range shapes {
			require.Equal(t, []float64{all[5*i+k], all[25+5*i+k]}, invert([]float64{a}, []float64{p}))
		}
	}
}
