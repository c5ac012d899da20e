package opref

import (
	"fmt"
	"go/ast"
	"go/parser"
	"math"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestCallsAreGo expects every call to be one that Go can read, of the function of its row.
func TestCallsAreGo(t *testing.T) {
	rows, err := Rows()
	require.NoError(t, err)
	for _, r := range rows {
		e, err := parser.ParseExpr(r.Call)
		if assert.NoError(t, err, "%s is written as %s", r.Name, r.Call) {
			call, is := e.(*ast.CallExpr)
			assert.True(t, is && call.Fun.(*ast.Ident).Name == r.Name, r.Call)
		}
	}
}

// TestGorgoniaNames looks for the functions in the source of Gorgonia, which the benches are compared with.
func TestGorgoniaNames(t *testing.T) {
	cmd := osexec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "gorgonia.org/gorgonia")
	cmd.Dir = filepath.Join("..", "..", "bench")
	cmd.Env = append(os.Environ(), "GOPROXY=off")
	out, err := cmd.Output()
	folder := strings.TrimSpace(string(out))
	if err != nil || folder == "" {
		t.Skip("the source of Gorgonia is not in the cache of modules")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	known, declared := map[string]bool{}, regexp.MustCompile(`(?m)^func (\w+)\(`)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			known[string(m[1])] = true
		}
	}
	for _, f := range ops.Functions() {
		name := f.Names.Gorgonia
		assert.True(t, name == "" || known[name], "%s: Gorgonia has no %s", f.Name, name)
	}
}

// TestDTypesAsTold runs every example with each dtype that it takes: the result has the dtype that its node has.
func TestDTypesAsTold(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles some thousand programs")
	}
	for _, f := range ops.Functions() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for _, dtype := range graph.DTypes() {
				n, e, err := try(f, dtype)
				if err != nil {
					continue
				}
				wanted := results(n, e)
				_, out, err := runExample(t, wanted, 0)
				if err != nil && strings.Contains(err.Error(), "ZeroDivisionError") {
					continue
				}
				if assert.NoError(t, err, "%s of %s", f.Name, dtype) {
					for i, a := range out {
						assert.Equal(t, wanted[i].DType().String(), a.DType)
					}
				}
			}
		})
	}
}

// notMeasured are rows whose gradients are not those of differences, and why.
var notMeasured = map[string]string{
	"BoxCIoU":                          "no gradient flows through the weight of the ratios",
	"BoxIoU":                           "boxes with corners at random hardly ever have something in common",
	"CIoULoss":                         "no gradient flows through the weight of the ratios",
	"RoiAlign":                         "no gradient flows to boxes",
	"RoiPool":                          "no gradient flows to boxes",
	"Cholesky":                         "it reads one triangle, and the gradient is that of symmetric matrices",
	"Dirichlet":                        "draws jump where one more is rejected",
	"EigenvaluesH":                     "it reads one triangle, and the gradient is that of symmetric matrices",
	"Eigh":                             "it reads one triangle, and the gradient is that of symmetric matrices",
	"LU":                               "its first result is a permutation, which has none",
	"LUUnpack":                         "its first result is a permutation, which has none",
	"LDLSolve":                         "pivots at random are refused, and factors have none",
	"LDLFactor":                        "a gradient is refused",
	"GeQRF":                            "a gradient is refused",
	"Schur":                            "a gradient is refused",
	"Hessenberg":                       "a gradient is refused",
	"ChiSquare":                        "draws jump where one more is rejected",
	"FisherF":                          "draws jump where one more is rejected",
	"InverseGamma":                     "draws jump where one more is rejected",
	"LKJCholesky":                      "draws jump where one more is rejected",
	"Wishart":                          "draws jump where one more is rejected",
	"OneHotCategoricalStraightThrough": "the gradient is that of the probabilities",
	"FakeQuantize":                     "the gradient is as if nothing were rounded",
	"GeneralizedNormal":                "draws jump where one more is rejected",
	"StudentT":                         "draws jump where one more is rejected",
	"RandomBeta":                       "draws jump where one more is rejected",
	"RandomGamma":                      "draws jump where one more is rejected",
	"WithGradient":                     "the gradient is the user's",
}

// TestGradientsAsTold compares the gradients that rows claim to have, and their gradients, with central differences,
// and expects zeros for all others.
func TestGradientsAsTold(t *testing.T) {
	for _, f := range ops.Functions() {
		if notMeasured[f.Name] != "" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			n, _, err := try(f, graph.Float64)
			if err != nil || !n.DType().IsFloat() || n.DType().IsStorage() {
				return // the row says that there is none
			}
			row, err := Of(f)
			require.NoError(t, err)
			s := newSlope(t, n)
			if len(s.wrt) == 0 {
				return // of another dtype
			}
			flows := s.compare(t, strings.HasPrefix(row.Gradient, "none"))
			assert.Equal(t, flows, !strings.HasPrefix(row.Gradient, "none"), row.Gradient)
		})
	}
}

// slope is a program of the weighed sum of an example's elements, its gradients, the weighed sum of these, and its own.
type slope struct {
	prog           *exec.Program
	loss, total    *graph.Node
	wrt            []*graph.Node
	grads, seconds []*graph.Node
}

func newSlope(t *testing.T, n *graph.Node) *slope {
	g, s := n.Graph(), &slope{}
	for _, x := range g.Inputs() {
		if x.DType() == graph.Float64 {
			s.wrt = append(s.wrt, x)
		}
	}
	if len(s.wrt) == 0 {
		return s
	}
	s.loss = ops.Sum(ops.Mul(n, g.Input("weights of the sum", graph.Float64, n.Shape()...)))
	s.grads = autodiff.Grad(s.loss, s.wrt, autodiff.ZeroForUnused())
	s.total = g.Scalar(graph.Float64, 0)
	for i, dx := range s.grads {
		s.total = ops.Add(s.total,
			ops.Sum(ops.Mul(dx, g.Input(fmt.Sprint("weights of the gradient ", i), graph.Float64, dx.Shape()...))))
	}
	s.seconds = autodiff.Grad(s.total, s.wrt, autodiff.ZeroForUnused())
	require.NoError(t, g.Err())
	var err error
	s.prog, err = exec.Compile(g, exec.Outputs(slices.Concat(s.grads, s.seconds, []*graph.Node{s.loss, s.total})...),
		exec.OnWarning(nil))
	require.NoError(t, err)
	return s
}

// step is how far an element is moved.
const step = 1e-5

// compare moves some elements of all operands, and reports whether some gradient is not 0.
func (s *slope) compare(t *testing.T, flat bool) (flows bool) {
	ran := false
	for _, kind := range []int{shares, 1} {
		g, random := s.loss.Graph(), rand.New(rand.NewPCG(3, 4))
		feed, options := fed(t, g, kind, random)
		run := func() (loss, total float64, grads []exec.Array) {
			r, err := s.prog.NewSession(options...).Run(t.Context(), feed)
			require.NoError(t, err)
			for i, y := range []*graph.Node{s.loss, s.total} {
				v, err := r.Scalar(y)
				require.NoError(t, err)
				*[]*float64{&loss, &total}[i] = v
			}
			for _, dx := range slices.Concat(s.grads, s.seconds) {
				a, err := r.Array(dx)
				require.NoError(t, err)
				grads = append(grads, a.Clone())
			}
			return loss, total, grads
		}
		if _, err := s.prog.NewSession(options...).Run(t.Context(), feed); err != nil {
			continue
		}
		_, _, grads := run()
		for i, x := range s.wrt {
			data, dx, ddx := feed[x].(exec.Array).Data.([]float64), grads[i].Data.([]float64),
				grads[len(s.wrt)+i].Data.([]float64)
			flows = flows || slices.ContainsFunc(dx, func(v float64) bool { return v != 0 })
			for j := 0; j < len(data); j += 1 + len(data)/4 {
				was := data[j]
				data[j] = was + step
				up, upTotal, _ := run()
				data[j] = was - step
				down, downTotal, _ := run()
				data[j] = was
				same := func(what string, slope, have float64) {
					if !math.IsNaN(slope) && !math.IsInf(slope, 0) {
						assert.InDelta(t, slope, have, 1e-4*max(1, math.Abs(slope)), "run %d: the %s of %s[%d] at %v",
							kind, what, x.Name(), j, was)
					}
				}
				if !flat {
					same("gradient", (up-down)/(2*step), dx[j])
					same("gradient of the gradient", (upTotal-downTotal)/(2*step), ddx[j])
				}
			}
		}
		if ran = true; flows {
			return true
		}
	}
	assert.True(t, ran, "no numbers fit")
	return false
}
