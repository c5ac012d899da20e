package ops_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
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

// functionsOfSeveral are those of testdata/incomplete.json and testdata/orders.json: of which operands there are derivatives, and how far off values may be, relative
// to themselves or to least. Derivatives by shapes are less exact where these are small.
var functionsOfSeveral = map[string]functionOfSeveral{
	"gammainc":  {func(in []node) node { return ops.GammaInc(in[0], in[1]) }, []int{0, 1}, 1e-13, 0},
	"gammaincc": {func(in []node) node { return ops.GammaIncC(in[0], in[1]) }, []int{0, 1}, 1e-13, 0},
	"betainc":   {func(in []node) node { return ops.BetaInc(in[0], in[1], in[2]) }, []int{0, 1, 2}, 1e-13, 0},
	"betaln":    {func(in []node) node { return ops.BetaLn(in[0], in[1]) }, nil, 1e-14, 1},
	"zeta":      {func(in []node) node { return ops.Zeta(in[0], in[1]) }, nil, 1e-12, 0},
	"factorial": {func(in []node) node { return ops.Factorial(in[0]) }, []int{0}, 2e-14, 0},
	"comb":      {func(in []node) node { return ops.Comb(in[0], in[1]) }, []int{0, 1}, 1e-12, 0},
	"poch":      {func(in []node) node { return ops.Poch(in[0], in[1]) }, []int{0, 1}, 1e-12, 0},
	"owens_t":   {func(in []node) node { return ops.OwensT(in[0], in[1]) }, []int{0, 1}, 2e-14, 0},
	"besselj2":  besselOf(2), "besselj3": besselOf(3), "besselj10": besselOf(10), "besselj33": besselOf(33), "besselj64": besselOf(64),
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
						least = max(least, 1e-3*math.Abs(rows[k].Value), 1e-300) // a derivative may be near a zero of its own, or too small
					}
					assert.LessOrEqual(t, math.Abs(got-want)/least, off, "%s%v, result %d, is %v, want %v", name, rows[k].At, i, got, want)
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
		require.InEpsilon(t, row.Grads[0], value(t, fed, autodiff.Grad(y, []node{x})[0]).Floats()[0], 1e-12, "the slope of %v", row.At)
	}
}
