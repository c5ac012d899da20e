package ops_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
)

// roundedCase is a call as testdata/rounded.py writes it: operands, the gradient that arrives, and those of the
// operands: by PyTorch in 16 bits, and by PyTorch in 32 bits from the same operands, rounded at the end.
type roundedCase struct {
	Name, DType string
	In          []struct {
		Shape []int
		Bits  string
	}
	Dy          string
	Shape       []int
	Grads, Wide []*string
}

// oneOfRows are the functions of one operand of the table.
var oneOfRows = map[string]func(x node) node{
	"exp": ops.Exp, "expm1": ops.Expm1, "exp2": ops.Exp2, "log": ops.Log, "log1p": ops.Log1p, "log2": ops.Log2,
	"log10": ops.Log10, "sqrt": ops.Sqrt,
	"rsqrt": ops.Rsqrt, "reciprocal": ops.Reciprocal, "square": ops.Square, "tanh": ops.Tanh, "sigmoid": ops.Sigmoid,
	"erf": ops.Erf, "erfc": ops.Erfc,
	"sin": ops.Sin, "cos": ops.Cos, "tan": ops.Tan, "asin": ops.Asin, "acos": ops.Acos, "atan": ops.Atan,
	"sinh": ops.Sinh, "cosh": ops.Cosh,
	"asinh": ops.Asinh, "acosh": ops.Acosh, "atanh": ops.Atanh, "erfinv": ops.Erfinv, "sinc": ops.Sinc,
	"logit": ops.Logit, "relu": ops.Relu,
	"gelu": ops.Gelu, "gelu_tanh": ops.GeluTanh, "silu": ops.Silu, "mish": ops.Mish, "softplus": ops.Softplus,
	"logsigmoid": ops.LogSigmoid,
	"selu":       ops.Selu, "hardsigmoid": ops.HardSigmoid, "hardswish": ops.HardSwish, "abs": ops.Abs,
	"elu":        func(x node) node { return ops.Elu(x, 1.5) },
	"celu":       func(x node) node { return ops.Celu(x, 1.5) },
	"leaky_relu": func(x node) node { return ops.LeakyRelu(x, 0.3) },
	"hardtanh":   func(x node) node { return ops.HardTanh(x, -1, 1) },
	"softshrink": func(x node) node { return ops.SoftShrink(x, 0.5) },
	"glu":        func(x node) node { return ops.GLU(x, 1) },
	"softmax":    func(x node) node { return ops.Softmax(x, 1) }, "log_softmax": func(x node) node {
		return ops.LogSoftmax(x, 1)
	},
	"logsumexp":     func(x node) node { return ops.LogSumExp(x, 1) },
	"cross_entropy": func(x node) node { return ops.CrossEntropy(x, classes(x), ops.EachLoss()) },
	"cross_entropy_mean": func(x node) node {
		return ops.CrossEntropy(x, classes(x))
	},
	"var": func(x node) node { return ops.Var(x, 1, 1) }, "std": func(x node) node { return ops.Std(x, 1, 1) },
	"norm": func(x node) node { return ops.Norm(x, 2, 1) }, "normalize": func(x node) node {
		return ops.Normalize(x, 2, 1, 1e-12)
	},
	"prod": func(x node) node { return ops.Prod(x, 1) }, "cumsum": func(x node) node { return ops.CumSum(x, 1) },
	"logcumsumexp": func(x node) node { return ops.LogCumSumExp(x, 1) },
	"mean":         func(x node) node { return ops.Mean(x, 1) }, "sum": func(x node) node { return ops.Sum(x, 1) },
}

// moreOfRows are those of several operands.
var moreOfRows = map[string]func(in []node) node{
	"mul": pairOf(ops.Mul), "div": pairOf(ops.Div), "pow": pairOf(ops.Pow), "atan2": pairOf(ops.Atan2),
	"hypot": pairOf(ops.Hypot), "logaddexp": pairOf(ops.LogAddExp),
	"xlogy": pairOf(ops.XLogY), "prelu": pairOf(ops.PRelu), "matmul": pairOf(ops.MatMul),
	"maximum":           pairOf(ops.Maximum),
	"where":             func(in []node) node { return ops.Where(ops.Greater(in[0], graph.Num(0)), in[0], in[1]) },
	"layer_norm":        func(in []node) node { return ops.LayerNorm(in[0], in[1], in[2], 1e-5) },
	"rms_norm":          func(in []node) node { return ops.RMSNorm(in[0], in[1], 1e-5) },
	"group_norm":        func(in []node) node { return ops.GroupNorm(in[0], 2, in[1], in[2], 1e-5) },
	"batch_norm":        func(in []node) node { y, _, _ := ops.BatchNorm(in[0], in[1], in[2], 1e-5); return y },
	"mse":               func(in []node) node { return ops.MSE(in[0], in[1], ops.EachLoss()) },
	"mse_mean":          func(in []node) node { return ops.MSE(in[0], in[1]) },
	"huber":             func(in []node) node { return ops.Huber(in[0], in[1], 0.7, ops.EachLoss()) },
	"smooth_l1":         func(in []node) node { return ops.SmoothL1(in[0], in[1], 0.7, ops.EachLoss()) },
	"l1":                func(in []node) node { return ops.L1(in[0], in[1], ops.EachLoss()) },
	"bce":               func(in []node) node { return ops.BCE(in[0], in[1], ops.EachLoss()) },
	"bce_logits":        func(in []node) node { return ops.BCEWithLogits(in[0], in[1], ops.EachLoss()) },
	"kl_div":            func(in []node) node { return ops.KLDiv(in[0], in[1], ops.EachLoss()) },
	"soft_margin":       func(in []node) node { return ops.SoftMargin(in[0], ops.Sign(in[1]), ops.EachLoss()) },
	"cosine_similarity": func(in []node) node { return ops.CosineSimilarity(in[0], in[1], 1, 1e-8) },
}

func pairOf(f func(x, y node) node) func(in []node) node {
	return func(in []node) node { return f(in[0], in[1]) }
}

// classes are the targets of a loss: a class for each row.
func classes(x node) node {
	n, _ := x.Shape()[0].Int()
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	return graph.Constant(x.Graph(), list, x.Shape()[0])
}

// TestGradientsOf16BitsAsPyTorch compares the bits of gradients in 16 bits.
func TestGradientsOf16BitsAsPyTorch(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "rounded.json"))
	require.NoError(t, err)
	var cases []roundedCase
	require.NoError(t, json.Unmarshal(text, &cases))
	for _, c := range cases {
		t.Run(c.Name+" "+c.DType, func(t *testing.T) {
			dtype, err := graph.ParseDType(c.DType)
			require.NoError(t, err)
			g, feed := graph.New(c.Name), exec.Feed{}
			in := make([]node, len(c.In))
			for i, x := range c.In {
				in[i] = g.Input(fmt.Sprint("x", i), dtype, sizes(x.Shape)...)
				feed[in[i]] = exec.Array{Shape: x.Shape, Data: fromBits(dtype, x.Bits)}
			}
			var y node
			if f := oneOfRows[c.Name]; f != nil {
				y = f(in[0])
			} else {
				y = moreOfRows[c.Name](in)
			}
			dy := g.Input("dy", dtype, sizes(c.Shape)...)
			feed[dy] = exec.Array{Shape: c.Shape, Data: fromBits(dtype, c.Dy)}
			grads := autodiff.Grad(y, in, autodiff.Upstream(dy), autodiff.ZeroForUnused())
			prog, err := exec.Compile(g, exec.Outputs(grads...), exec.OnWarning(nil))
			require.NoError(t, err)
			r, err := prog.NewSession().Run(t.Context(), feed)
			require.NoError(t, err)
			for i := range grads {
				if c.Grads[i] == nil {
					continue
				}
				got, err := r.Array(grads[i])
				require.NoError(t, err)
				compareBits(t, c.Name, i, dtype, *c.Grads[i], *c.Wide[i], got.Data)
			}
		})
	}
}

// ownSteps are the functions that one of the two computes in several steps, each of which rounds, such as PyTorch's
// softmax, which rounds the sum, or from a result that was rounded: the gradient is nowhere that of float32, rounded
// once.
var ownSteps = map[string]bool{"expm1": true, "exp2": true, "rsqrt": true, "reciprocal": true, "sigmoid": true,
	"tan": true, "erfinv": true, "sinc": true, "div": true, "pow": true,
	"hypot": true, "softmax": true, "log_softmax": true, "logsumexp": true, "mse_mean": true, "std": true,
	"norm": true, "cosine_similarity": true, "normalize": true, "logcumsumexp": true, "smooth_l1": true}

// fewOff is how many elements of a row may be rounded to the other side, where a function of float32 differs in its
// last bit.
const fewOff = 2

// compareBits requires the bits of PyTorch where it rounds once, or those of float32 rounded once; of functions of
// several steps, that they are as near to float32's as PyTorch's are.
func compareBits(t *testing.T, name string, operand int, dtype graph.DType, own, wide string, got any) {
	asOwn, asWide := fromBits(dtype, own), fromBits(dtype, wide)
	var notOwn, notWide, far, farOwn, sum float64
	count := len(own) / 4
	for i := range count {
		a, _ := graph.NumberAt(got, i)
		b, _ := graph.NumberAt(asOwn, i)
		c, _ := graph.NumberAt(asWide, i)
		if a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
			notOwn++
		}
		if a != c && !(math.IsNaN(a) && math.IsNaN(c)) {
			notWide++
		}
		if !math.IsNaN(a) && !math.IsInf(a, 0) && !math.IsNaN(c) && !math.IsNaN(b) {
			far, farOwn, sum = far+math.Abs(a-c), farOwn+math.Abs(b-c), sum+math.Abs(c)
		}
	}
	about := fmt.Sprintf("%s of %s, operand %d: of %d elements %v are not PyTorch's, and %v not those of float32", name,
		dtype, operand, count, notOwn, notWide)
	if ownSteps[name] {
		require.LessOrEqual(t, far, 1.3*farOwn+
			sum/float64(int(1)<<map[graph.DType]int{graph.Float16: 13, graph.BFloat16: 10}[dtype]), about)
		return
	}
	require.LessOrEqual(t, min(notOwn, notWide), float64(fewOff), about)
}

func sizes(shape []int) (dims []graph.Dim) {
	for _, n := range shape {
		dims = append(dims, graph.Dim(n))
	}
	return dims
}

// fromBits reads four digits for each element.
func fromBits(dtype graph.DType, digits string) any {
	f16, bf16 := make([]half.Float16, len(digits)/4), make([]half.BFloat16, len(digits)/4)
	for i := range f16 {
		v, err := strconv.ParseUint(digits[4*i:4*i+4], 16, 16)
		if err != nil {
			panic(err)
		}
		f16[i], bf16[i] = half.Float16(v), half.BFloat16(v)
	}
	if dtype == graph.Float16 {
		return f16
	}
	return bf16
}
