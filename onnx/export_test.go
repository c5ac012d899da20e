package onnx_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/opref"
	"github.com/broadloom/broadloom/internal/testkit/onnxrt"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/onnx"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// trial is a graph that is exported, run here and run by ONNX Runtime.
type trial struct {
	name    string
	g       *graph.Graph
	outputs []*graph.Node
	fed     map[string]reference.Value
	want    []reference.Value
	data    []byte
}

// sizeOf is the size that a name has in runs: most names have different ones.
func sizeOf(name string) int64 {
	if v, known := map[string]int64{"n": 3, "k": 4, "m": 5, "c": 2, "s": 2, "t": 6}[name]; known {
		return v
	}
	return 3
}

// numbers are those that an operand of an example is fed.
func numbers(x *graph.Node, shape []int, random *rand.Rand) reference.Value {
	count := 1
	for _, n := range shape {
		count *= n
	}
	list := make([]float64, count)
	last := len(shape) - 1
	isSquare := last >= 1 && shape[last] == shape[last-1]
	for i := range list {
		switch name := x.Name(); {
		case name == "edges" || name == "boundaries" || name == "sorted":
			list[i] = float64(i)/4 - 0.5
		case name == "targets":
			list[i] = float64(1 + i%3)
		case name == "targetLengths":
			list[i] = float64(1 + i%2)
		case name == "inputLengths":
			list[i] = 3
		case name == "order":
			list[i] = 1.5 + float64(i)
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

// run feeds the graph and computes what is wanted of it.
func (tr *trial) run(t *testing.T) error {
	prog, err := exec.Compile(tr.g, exec.Outputs(tr.outputs...), exec.OnWarning(nil))
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	feed, options := exec.Feed{}, []exec.SessionOption{exec.PrintTo(io.Discard)}
	tr.fed = map[string]reference.Value{}
	for _, x := range tr.g.Inputs() {
		shape := make([]int, x.Rank())
		for i, d := range x.Shape() {
			v, err := d.Eval(func(name string) (int64, bool) { return sizeOf(name), true })
			require.NoError(t, err)
			shape[i] = int(v)
		}
		v := numbers(x, shape, random)
		tr.fed[x.Name()] = v
		feed[x] = exec.Array{Shape: v.Shape, Data: v.Data}
	}
	for _, name := range tr.g.DimNames() {
		options = append(options, exec.Size(name, int(sizeOf(name))))
	}
	r, err := prog.NewSession(options...).Run(t.Context(), feed)
	if err != nil {
		return err
	}
	for _, n := range tr.outputs {
		a, err := r.Array(n)
		require.NoError(t, err)
		a = a.Clone()
		tr.want = append(tr.want, reference.Value{DType: n.DType(), Shape: a.Shape, Data: a.Data})
	}
	return nil
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
	run := onnxrt.Run{}
	inputs := inputsOf(tr.data)
	for _, name := range inputs {
		switch v, is := tr.fed[name]; {
		case is:
			run[name] = onnxrt.Arg{Value: v}
		case strings.HasPrefix(name, "size:"):
			run[name] = onnxrt.Arg{Value: reference.Of([]int64{sizeOf(name[len("size:"):])})}
		}
	}
	return onnxrt.Model{Name: tr.name, Data: tr.data, Runs: []onnxrt.Run{run}}
}

// differs tells where what ONNX Runtime gives is not what is wanted; "" where it is.
func (tr *trial) differs(o onnxrt.Outcome) string {
	if o.Error != "" {
		return o.Error
	}
	for i, want := range tr.want {
		name := tr.outputs[i].Name()
		if name == "" {
			name = fmt.Sprintf("output_%d", i)
		}
		got, is := o.Results[0][name]
		if !is {
			return fmt.Sprintf("no output %s", name)
		}
		if !slices.Equal(got.Shape, want.Shape) || got.DType != want.DType {
			return fmt.Sprintf("output %d is %s%v, want %s%v", i, got.DType, got.Shape, want.DType, want.Shape)
		}
		bound := tolerance(want)
		x, y := got.Floats(), want.Floats()
		for k := range y {
			if !(x[k] == y[k] || math.IsNaN(x[k]) && math.IsNaN(y[k]) || math.Abs(x[k]-y[k]) <= bound*max(math.Abs(y[k]), scale(y)/8)) {
				return fmt.Sprintf("output %d, element %d is %v, want %v", i, k, x[k], y[k])
			}
		}
	}
	return ""
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

func tolerance(v reference.Value) float64 {
	switch v.DType {
	case graph.Float64:
		return 1e-9
	case graph.Float32:
		return 2e-5
	case graph.Float16:
		return 2e-3
	}
	return 0
}

// TestExamples exports the example of each operation, with named sizes and with numbers, in Float32 and in Float64, and runs it by
// ONNX Runtime.
func TestExamples(t *testing.T) {
	onnxrt.Python(t)
	var trials []*trial
	refused := map[string]string{}
	only := os.Getenv("ONNX_ONLY")
	for _, f := range ops.Functions() {
		if only != "" && f.Name != only {
			continue
		}
		for _, dt := range []graph.DType{graph.Float32, graph.Int64} {
			outputs, err := opref.Example(f, dt)
			if err != nil {
				continue
			}
			tr := &trial{name: fmt.Sprintf("%s %s", f.Name, dt), g: outputs[0].Graph(), outputs: outputs}
			if err := tr.run(t); err != nil {
				t.Logf("%s: %v", tr.name, err)
				continue
			}
			if tr.data, err = onnx.Encode(tr.g, onnx.WithOutputs(outputs...)); err != nil {
				refused[tr.name] = err.Error()
				continue
			}
			if only != "" {
				require.NoError(t, os.WriteFile("/tmp/export_only.onnx", tr.data, 0o666))
			}
			trials = append(trials, tr)
		}
	}
	_ = autodiff.Grad
	t.Logf("%d exported, %d refused", len(trials), len(refused))
	for name, err := range refused {
		t.Logf("REFUSED %s: %s", name, err)
	}
	var models []onnxrt.Model
	for _, tr := range trials {
		models = append(models, tr.model())
	}
	good := 0
	for i, o := range onnxrt.Do(t, models) {
		if d := trials[i].differs(o); d != "" {
			t.Errorf("DIFFERS %s: %s", trials[i].name, d)
			continue
		}
		good++
	}
	t.Logf("%d agree", good)
}
