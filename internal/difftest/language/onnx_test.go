package language

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest"
	"github.com/broadloom/broadloom/internal/testkit/onnxrt"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/onnx"
)

// exported is a random program as a model, with what its runs here give.
type exported struct {
	seed  uint64
	calls []string
	model onnxrt.Model
	want  [][]exec.Array
	sizes []map[string]int64
}

// TestONNX exports programs of random functions, and runs them by ONNX Runtime.
func TestONNX(t *testing.T) {
	onnxrt.Python(t)
	count := uint64(Functions())
	if os.Getenv("BROADLOOM_XLA_ALL") != "" {
		count *= 4
	}
	var list []*exported
	var models []onnxrt.Model
	for seed := range count {
		if e := export(t, seed); e != nil {
			list, models = append(list, e), append(models, e.model)
		}
	}
	good := 0
	for i, o := range onnxrt.Do(t, models) {
		if d := list[i].differs(o); d != "" &&
			!slices.ContainsFunc(list[i].calls, func(name string) bool { return otherwise[name] != "" }) {
			t.Errorf("seed %d, %v: %s", list[i].seed, list[i].calls, d)
			continue
		}
		good++
	}
	t.Logf("of %d programs, %d exported and can be judged, %d agree", count, len(list), good)
}

// export makes the model of a program, and runs it here; nil where one or the other cannot be.
func export(t *testing.T, seed uint64) *exported {
	p := draw(seed, false) // gradients through a tanh of large sums consist of rounding errors
	v := difftest.Verdict{Seed: seed}
	prog, _, ok := p.compile(&v)
	if !ok {
		return nil
	}
	for _, n := range p.outputs {
		if n.DType() == graph.BFloat16 || n.DType().IsStorage() {
			return nil // NumPy has it not
		}
	}
	for _, x := range p.g.Inputs() {
		if x.DType().IsStorage() {
			return nil // ONNX Runtime tells no shape of it
		}
	}
	data, err := onnx.Encode(p.g, onnx.WithOutputs(p.outputs...))
	if err != nil {
		if !strings.Contains(err.Error(), "function of Go") && !strings.Contains(err.Error(), "sizes are numbers") &&
			!strings.Contains(err.Error(), "dtypes of the same size") {
			t.Errorf("seed %d: %v", seed, err)
		}
		return nil
	}
	e := &exported{seed: seed, calls: p.calls, model: onnxrt.Model{Data: data}}
	c := &checker{p: p, v: &v}
	for k := range uint64(bindings) {
		feed, at, err := p.feeds(rand.New(rand.NewPCG(seed, k)))
		if err != nil {
			continue
		}
		_, arrays, err := c.once(prog, 1, feed, at)
		if err != nil {
			continue
		}
		run := onnxrt.Run{}
		for x, v := range feed {
			a := v.(exec.Array)
			run[x.Name()] = onnxrt.Arg{Value: reference.Value{DType: x.DType(), Shape: a.Shape, Data: a.Data}}
		}
		for name, n := range at {
			run["size:"+name] = onnxrt.Arg{Value: reference.Of([]int64{n})}
		}
		e.model.Runs, e.want, e.sizes = append(e.model.Runs, run), append(e.want, arrays), append(e.sizes, at)
	}
	if len(e.want) == 0 {
		return nil
	}
	return e
}

// differs tells where ONNX Runtime gives something else; "" where nowhere.
func (e *exported) differs(o onnxrt.Outcome) string {
	if o.Error != "" {
		return o.Error
	}
	for k, want := range e.want {
		for i, w := range want {
			v := o.Results[k][o.Order[i]]
			got := exec.Array{Shape: v.Shape, Data: v.Data}
			if !nearly([]exec.Array{got}, []exec.Array{w}) && !(areResidues(got) && areResidues(w)) {
				return fmt.Sprintf("run %d at %v, output %d is %v, want %v", k, e.sizes[k], i, got, w)
			}
		}
	}
	return ""
}

// areResidues reports whether all numbers are so small that they may be what is left of differences.
func areResidues(a exec.Array) bool {
	t, count := graph.DTypeOfSlice(a.Data)
	for i := range count {
		if v, _ := graph.NumberAt(a.Data, i); !t.IsFloat() || !(math.Abs(v) < 1e-3) {
			return false
		}
	}
	return true
}

// otherwise are functions of which ONNX Runtime gives something else for some of the numbers that are drawn.
var otherwise = func() map[string]string {
	found := map[string]string{}
	for why, names := range map[string]string{
		"a pivot that rounding decides":    "LUFactor LU LUUnpack",
		"an infinity less another":         "BetaIncInv",
		"NaN":                              "MaxPool1D MaxPool2D MaxPool3D MaxPoolIndex",
		"sequences that are not sorted":    "Histogram HistogramDD SearchSorted Bucketize Interp",
		"transforms of numbers not finite": "FFT FFT2 FFTN IFFT IFFT2 IFFTN RFFT RFFT2 RFFTN IRFFT IRFFT2 IRFFTN HFFT HFFT2 HFFTN IHFFT IHFFT2 IHFFTN STFT ISTFT CSD Welch",
	} {
		for _, name := range strings.Fields(names) {
			found[name] = why
		}
	}
	return found
}()
