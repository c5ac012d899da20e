package onnx_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/onnxrt"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/shapeinfer"
)

// trial is a graph that is exported, run here and run by ONNX Runtime.
type trial struct {
	name    string
	g       *graph.Graph
	outputs []*graph.Node
	cases   []fedCase
	// cancelled is what results are differences of: they err by parts of that.
	cancelled float64
	special   bool
	data      []byte
}

// fedCase is a run at some sizes: what is fed, and what comes of it.
type fedCase struct {
	sizes func(name string) int64
	fed   map[string]reference.Value
	want  []reference.Value
}

// sizesTried are those of the runs of one model, if it has names for them.
var sizesTried = []func(name string) int64{
	sizeOf,
	func(name string) int64 { return sizeOf(name) + 2 },
	func(string) int64 { return 1 },
	func(string) int64 { return 0 },
}

// sizeOf is the size that a name has in runs: most names have different ones.
func sizeOf(name string) int64 {
	if v, known := map[string]int64{"n": 3, "k": 4, "m": 5, "c": 2, "s": 2, "t": 6, "one": 1}[name]; known {
		return v
	}
	return 3
}

// specialFloats and specialInts are numbers at which operations differ.
var (
	specialFloats = []float64{0, math.Copysign(0, -1), 1, -1, 2, -2, 0.5, -0.5, 2.5, -2.5, 3, 7.25, -7.25, 1e-3, -1e-3,
		1e-7, 30, -30, 100, -100, 1e4, -1e4,
		1e9, -1e9, 3e18, -3e18, 1e20, -1e20, 3e38, math.Inf(1), math.Inf(-1), math.NaN()}
	specialInts = []float64{0, 1, -1, 2, -2, 3, -3, 7, -7, 62, 63, 64, 127, -128, 255, 32767, 1 << 31, -(1 << 31),
		1 << 40, 0x1p62, -0x1p63}
)

// numbers are those that an operand of an example is fed.
func numbers(x *graph.Node, shape []int, random *rand.Rand, special bool) reference.Value {
	count := 1
	for _, n := range shape {
		count *= n
	}
	list := make([]float64, count)
	last := len(shape) - 1
	isSquare := last >= 1 && shape[last] == shape[last-1]
	for i := range list {
		switch name := x.Name(); {
		case name == "edges" || name == "places" || name == "boundaries" || name == "sorted":
			if list[i] = float64(i)/4 - 0.5; x.DType() == graph.Bool {
				list[i] = float64(2 * i / count)
			}
		case name == "targets":
			list[i] = float64(1 + i%3)
		case name == "targetLengths":
			list[i] = float64(1 + i%2)
		case name == "inputLengths":
			list[i] = 3
		case name == "order":
			list[i] = 1.5 + float64(i)
		case special && x.DType().IsFloat():
			list[i] = specialFloats[random.IntN(len(specialFloats))]
		case special && x.DType() != graph.Bool:
			if list[i] = specialInts[random.IntN(len(specialInts))]; name == "y" && list[i] == 0 {
				list[i] = -1
			}
		case name == "y" && x.DType().IsInt() && isWhole(x.Graph()): // it may be a divisor
			if list[i] = float64(1 + i%3); i%2 == 1 && !x.DType().IsUnsigned() {
				list[i] = -list[i]
			}
		case name == "values" && x.DType() == graph.Bool:
			list[i] = float64(i % 2)
		case name == "x" && x.DType().IsInt() && last == 0 && isWhole(x.Graph()):
			if list[i] = float64(i * 5 % 13); i%2 == 1 && !x.DType().IsUnsigned() {
				list[i] = -list[i]
			}
		case !x.DType().IsFloat():
			list[i] = float64(i % 2)
		case isSquare && i%shape[last] == i/shape[last]%shape[last]:
			list[i] = 1
		default:
			list[i] = math.Round((0.1+0.8*random.Float64())*4096) / 4096
		}
	}
	return reference.FromFloats(x.DType(), list, shape...)
}

// isWhole reports whether no input of a graph has floating-point numbers, of which others would be places or classes.
func isWhole(g *graph.Graph) bool {
	return !slices.ContainsFunc(g.Inputs(), func(x *graph.Node) bool { return x.DType().IsFloat() })
}

// run computes the outputs of the graph, at several sizes.
func (tr *trial) run(t *testing.T, isBound bool) error {
	prog, err := exec.Compile(tr.g, exec.Outputs(tr.outputs...), exec.OnWarning(nil))
	if err != nil {
		return err
	}
	for i, sizes := range sizesTried {
		if i > 0 && (isBound || len(tr.g.DimNames()) == 0) {
			break
		}
		c, err := tr.runAt(t, prog, sizes)
		if err == nil {
			tr.cases = append(tr.cases, *c)
		} else if i == 0 {
			return err
		}
	}
	return nil
}

// runAt feeds the program.
func (tr *trial) runAt(t *testing.T, prog *exec.Program, sizes func(name string) int64) (*fedCase, error) {
	random := rand.New(rand.NewPCG(1, 2))
	feed, options := exec.Feed{}, []exec.SessionOption{exec.PrintTo(io.Discard)}
	c := &fedCase{sizes: sizes, fed: map[string]reference.Value{}}
	for _, x := range tr.g.Inputs() {
		shape := make([]int, x.Rank())
		for i, d := range x.Shape() {
			v, err := d.Eval(func(name string) (int64, bool) { return sizes(name), true })
			if err != nil || v < 0 {
				return nil, fmt.Errorf("there is no size %s", d)
			}
			shape[i] = int(v)
		}
		v := numbers(x, shape, random, tr.special)
		c.fed[x.Name()] = v
		feed[x] = exec.Array{Shape: v.Shape, Data: v.Data}
	}
	for _, name := range tr.g.DimNames() {
		options = append(options, exec.Size(name, int(sizes(name))))
	}
	r, err := prog.NewSession(options...).Run(t.Context(), feed)
	if err != nil {
		return nil, err
	}
	for _, n := range tr.outputs {
		a, err := r.Array(n)
		require.NoError(t, err)
		a = a.Clone()
		c.want = append(c.want, reference.Value{DType: n.DType(), Shape: a.Shape, Data: a.Data})
	}
	return c, nil
}

// boundSizes are those of all names of the graph.
func (tr *trial) boundSizes() shapeinfer.Sizes {
	s := shapeinfer.Sizes{}
	for _, name := range tr.g.DimNames() {
		s[name] = sizeOf(name)
	}
	return s
}

// model is the trial as ONNX Runtime is asked it.
func (tr *trial) model() onnxrt.Model {
	m := onnxrt.Model{Name: tr.name, Data: tr.data}
	inputs, _ := namesOf(tr.data)
	for _, c := range tr.cases {
		run := onnxrt.Run{}
		for _, name := range inputs {
			switch v, is := c.fed[name]; {
			case is:
				run[name] = onnxrt.Arg{Value: v}
			case strings.HasPrefix(name, "size:"):
				run[name] = onnxrt.Arg{Value: reference.Of([]int64{c.sizes(name[len("size:"):])})}
			}
		}
		m.Runs = append(m.Runs, run)
	}
	return m
}

// differs says where ONNX Runtime's result differs from the wanted one, or returns "".
func (tr *trial) differs(o onnxrt.Outcome) string {
	if o.Error != "" {
		return o.Error
	}
	_, outputNames := namesOf(tr.data)
	for at, c := range tr.cases {
		for i, want := range c.want {
			got, is := o.Results[at][outputNames[i]]
			if !is {
				return fmt.Sprintf("no output %s", outputNames[i])
			}
			if d := tr.differsAt(got, want); d != "" {
				return fmt.Sprintf("run %d, output %d%s", at, i, d)
			}
		}
	}
	return ""
}

// differsAt says where a value differs from the wanted one.
func (tr *trial) differsAt(got, want reference.Value) string {
	if !slices.Equal(got.Shape, want.Shape) || got.DType != want.DType {
		return fmt.Sprintf(" is %s%v, want %s%v", got.DType, got.Shape, want.DType, want.Shape)
	}
	if tr.isUnlike() && want.DType.IsFloat() {
		return ""
	}
	bound := tr.tolerance(want)
	x, y := got.Floats(), want.Floats()
	if slices.Contains(ofSign, tr.name) {
		for k := range y {
			x[k], y[k] = math.Abs(x[k]), math.Abs(y[k])
		}
	}
	for k := range y {
		if !(x[k] == y[k] || math.IsNaN(x[k]) && math.IsNaN(y[k]) ||
			!math.IsInf(y[k], 0) && math.Abs(x[k]-y[k]) <= bound*max(math.Abs(y[k]), scale(y)/8, tr.cancelled)+
				least(want.DType)) {
			return fmt.Sprintf(", element %d is %v, want %v", k, x[k], y[k])
		}
	}
	return ""
}

// isUnlike reports whether ONNX Runtime computes the function otherwise.
func (tr *trial) isUnlike() bool { return tr.special && unlike[tr.name] != "" }

// sees reports whether a change of the last element is found, of the last result that has one.
func (tr *trial) sees(o onnxrt.Outcome) bool {
	if tr.isUnlike() {
		return true
	}
	for i, want := range slices.Backward(tr.cases[0].want) {
		list := want.Floats()
		last := len(list) - 1
		if last < 0 {
			continue
		}
		changed := *tr
		changed.cases = slices.Clone(tr.cases)
		changed.cases[0].want = slices.Clone(tr.cases[0].want)
		switch v := list[last]; {
		case want.DType == graph.Bool:
			list[last] = 1 - v
		case math.IsNaN(v) || math.IsInf(v, 0):
			list[last] = 0.5
		default:
			list[last] = v + max(math.Abs(v), scale(list), 1)/4
		}
		changed.cases[0].want[i] = reference.FromFloats(want.DType, list, want.Shape...)
		if slices.Equal(changed.cases[0].want[i].Floats(), want.Floats()) {
			return true // the dtype has no such number
		}
		return changed.differs(o) != ""
	}
	return true
}

// scale is the greatest finite size of elements.
func scale(list []float64) (s float64) {
	for _, v := range list {
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			s = max(s, math.Abs(v))
		}
	}
	return s
}

// unlike are functions that ONNX Runtime computes otherwise where numbers are infinite, NaN or nearly so.
var unlike = map[string]string{
	"MaxPool1D": noNaN, "MaxPool2D": noNaN, "MaxPool3D": noNaN, "MaxPoolIndex": noNaN,
	"FFT": infinite, "FFT2": infinite, "FFTN": infinite, "IFFT": infinite, "IFFT2": infinite, "IFFTN": infinite,
	"STFT": infinite, "ISTFT": infinite,
	"RFFT": infinite, "RFFT2": infinite, "RFFTN": infinite, "IRFFT": infinite, "IRFFT2": infinite, "IRFFTN": infinite,
	"HFFT": infinite, "HFFT2": infinite, "HFFTN": infinite, "IHFFT": infinite, "IHFFT2": infinite, "IHFFTN": infinite,
	"CausalConv1D": order, "ConvTranspose3D": order, "Correlate": order, "Prod": order, "NanProd": order,
	"ScaledDotProductAttention": order,
	"BatchNormInference":        order, "Polar": order, "QR": order, "QRComplete": order,
	"Binomial":         "a rounding error decides of a draw",
	"Unwrap":           "sums of numbers of which one is far greater than the others",
	"LKJCholesky":      "differences of numbers that are nearly equal",
	"RelaxedBernoulli": "its Sigmoid is 0 where it is less than a rounding error of 1",
	"RandomBeta":       nearLeast, "BetaIncInv": nearLeast,
}

const (
	noNaN     = "its MaxPool leaves NaN out"
	infinite  = "an infinity is multiplied with 0, or is not"
	order     = "in another order of sums or products another one overflows first"
	nearLeast = "numbers near the least one"
)

// ofSign are functions whose vectors may point to one side or the other.
var ofSign = []string{"Eigh", "EighTridiagonal", "SVD"}

// tolerance is the relative error that rounding may make of a dtype's numbers.
func (tr *trial) tolerance(v reference.Value) float64 {
	bound := 0.0
	switch v.DType {
	case graph.Float64:
		bound = 1e-10
	case graph.Float32:
		bound = 2e-5
	case graph.Float16:
		bound = 2e-3
	}
	return bound * max(1, coarse[tr.name])
}

// least is a number below which a dtype's are not normal: they may be taken for 0.
func least(t graph.DType) float64 {
	return map[graph.DType]float64{graph.Float32: 0x1p-126, graph.Float64: 0x1p-1022}[t]
}

// coarse are functions whose sums ONNX Runtime rounds more often: so much more may they differ.
var coarse = map[string]float64{
	"FFTConvolve": 50,
	"GLU":         4, // its Sigmoid is coarser
	"SwiGLU":      4,
	"FisherF":     100, // quotients of draws that lie near 0
}
