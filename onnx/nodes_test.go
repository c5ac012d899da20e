package onnx

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	osexec "os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/importer"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// nodeCase is one of ONNX's node tests, as testdata/nodes.py writes it.
type nodeCase struct {
	Name, Op, Left string // why it has no values
	Model          []byte
	In, Out        [][][]byte // tensors, each a TensorProto
	Seq            []string
}

// TestNodes imports and runs the models of ONNX's node tests. Each that is not run has a reason, and how many are is
// known.
func TestNodes(t *testing.T) {
	cases := readCases(t)
	require.Len(t, cases, 1884)
	left, ran, bound := map[string]int{}, 0, 0
	for _, c := range cases {
		if because := c.because(); because != "" {
			left[because]++
			continue
		}
		isBound, err := c.run()
		if because := refusedBecause(err); because != "" {
			left[because]++
			continue
		}
		if ran++; isBound {
			bound++
		}
		t.Run(c.Name, func(t *testing.T) {
			require.NoError(t, err)
		})
	}
	for _, because := range slices.Sorted(maps.Keys(left)) {
		t.Logf("%4d are left out: %s", left[because], because)
	}
	fmt.Println(ran, "of ONNX's node tests were run,", bound, "of them with inputs that are constants")
	require.Contains(t, []int{1652, 1754}, ran, "the cases of few elements, or all")
}

func (c nodeCase) because() string {
	if c.Left == "" && len(c.Seq) > 0 {
		return "sequences and optional values cannot be fed"
	}
	if because := leftCases[c.Name]; because != "" {
		return because
	}
	return c.Left
}

// run imports the case's model, and returns what differs from the expected results. Where an input must be known before
// the model runs, all are.
func (c nodeCase) run() (isBound bool, err error) {
	m, err := Parse(c.Model)
	if err != nil {
		return false, err
	}
	var inputs []exec.Array
	for _, in := range c.In {
		a, err := arrayOf(in[0])
		if err != nil {
			return false, err
		}
		inputs = append(inputs, a)
	}
	names := []string{}
	var constants []Option
	for i, in := range m.model.Graph.Inputs {
		names = append(names, in.Name)
		constants = append(constants, Constant(in.Name, inputs[i]))
	}
	b, err := m.Build()
	if err != nil {
		isBound = true
		b, err = m.Build(constants...)
	}
	if err != nil {
		return isBound, err
	}
	prog, err := exec.Compile(b.Graph, exec.Outputs(withCounts(b)...), exec.OnWarning(nil))
	if err != nil {
		return isBound, err
	}
	feed := exec.Feed{}
	for i, name := range names {
		if x := b.Input(name); x != nil {
			feed[x] = inputs[i]
		}
	}
	sess := prog.NewSession()
	if err := b.Load(sess); err != nil {
		return isBound, err
	}
	got, err := sess.Run(context.Background(), feed)
	if err != nil {
		return isBound, err
	}
	return isBound, c.compare(b, got)
}

func (c nodeCase) compare(b *Built, got *exec.Results) error {
	for i, out := range slices.Concat(c.Out...) {
		want, err := arrayOf(out)
		if err != nil {
			return err
		}
		if i >= len(b.all().Outputs) {
			return fmt.Errorf("%d results, want more", len(b.all().Outputs))
		}
		have, err := counted(b, i, got)
		if err != nil {
			return err
		}
		t, _ := graph.DTypeOfSlice(want.Data)
		within := usual[t]
		if to, ok := tolerances[c.Name]; ok {
			within = to
		}
		if c.isDrawn() {
			within.absolute = math.Inf(1)
		}
		if err := differs(want, have, within); err != nil {
			return fmt.Errorf("result %d: %w", i, err)
		}
	}
	return nil
}

func arrayOf(proto []byte) (exec.Array, error) {
	t, err := wire.DecodeTensor(proto)
	if err != nil {
		return exec.Array{}, err
	}
	return importer.Elements(t, nil)
}

// tolerance is by how much results may differ from those of ONNX, of which many are computed in float32.
type tolerance struct{ relative, absolute float64 }

// usual are the tolerances of dtypes: of integers none.
var usual = map[graph.DType]tolerance{graph.Float64: {1e-7, 1e-7}, graph.Float32: {1e-5, 1e-6},
	graph.Float16: {2e-3, 1e-3}, graph.BFloat16: {1.6e-2, 1e-2}}

// tolerances are those of cases whose expected results are written with few digits, or are differences of hundreds.
var tolerances = map[string]tolerance{"test_averagepool_2d_ceil_last_window_starts_on_pad": {1e-3, 1e-7},
	"test_gridsample_bicubic":     {1e-3, 1e-7},
	"test_roialign_aligned_false": {0, 1e-4}, "test_roialign_aligned_true": {0, 1e-4},
	"test_stft_with_window": {1e-5, 1e-4}}

// differs compares dtype, shape and elements: integers exactly, and floats within a few units of their last digits.
func differs(want, got exec.Array, within tolerance) error {
	t, n := graph.DTypeOfSlice(want.Data)
	if u, _ := graph.DTypeOfSlice(got.Data); t != u || !slices.Equal(want.Shape, got.Shape) {
		return fmt.Errorf("%s%v, want %s%v", u, got.Shape, t, want.Shape)
	}
	for i := range n {
		w, whole := graph.NumberAt(want.Data, i)
		g, wholeToo := graph.NumberAt(got.Data, i)
		same := w == g && (t.IsFloat() || whole == wholeToo) || math.IsNaN(w) && math.IsNaN(g) ||
			math.Abs(w-g) <= within.absolute+within.relative*math.Abs(w)
		if !same {
			return fmt.Errorf("element %d of %v is %v, want %v", i, want.Shape, g, w)
		}
	}
	return nil
}

// python is the interpreter that writes the cases of many elements: that of BROADLOOM_XLA_PYTHON where it has the onnx
// of testdata/nodes.py. Another version has other cases.
func python(t *testing.T) string {
	t.Helper()
	program := os.Getenv("BROADLOOM_XLA_PYTHON")
	if program == "" || testing.Short() {
		return ""
	}
	version, err := osexec.Command(program, "-c", "import onnx; print(onnx.__version__)").Output()
	if err != nil || strings.TrimSpace(string(version)) != "1.23.2" {
		t.Log("the cases of many elements are left out: ", program, " has no onnx 1.23.2")
		return ""
	}
	return program
}

// readCases returns the cases, those of many elements too where a Python can write them.
func readCases(t *testing.T) (list []nodeCase) {
	t.Helper()
	var text io.Reader
	if program := python(t); program != "" {
		out, err := osexec.Command(program, "testdata/nodes.py").Output()
		require.NoError(t, err)
		text = bytes.NewReader(out)
	} else {
		file, err := os.Open("testdata/nodes.jsonl.gz")
		require.NoError(t, err)
		defer file.Close()
		text, err = gzip.NewReader(file)
		require.NoError(t, err)
	}
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var c nodeCase
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		list = append(list, c)
	}
	require.NoError(t, lines.Err())
	return list
}

// refusedBecause is why a model is refused, where it is meant to be.
func refusedBecause(err error) string {
	if err != nil {
		for _, words := range []string{"elements of dtype", "decision trees are not operations",
			"strings cannot be elements", "image files are not tensors",
			"version 8 of it is not supported", "it has bodies that change the scores"} {
			if strings.Contains(err.Error(), words) {
				return words
			}
		}
	}
	return ""
}

const places = "corners are aligned to a size that is no whole number, and an image has whole ones"

// leftCases are cases that are not run, and why.
var leftCases = map[string]string{
	"test_resize_downsample_scales_linear_align_corners": places,
	"test_resize_downsample_scales_cubic_align_corners":  places,
}

// drawn are operators whose results are random: only dtypes and shapes are compared.
var drawn = map[string]bool{"Bernoulli": true, "RandomUniformLike": true, "Dropout": true}

// exact are cases of such operators that draw nothing.
var exact = map[string]bool{"test_dropout_default": true, "test_dropout_default_mask": true,
	"test_dropout_default_mask_ratio": true, "test_dropout_default_ratio": true,
	"test_training_dropout_zero_ratio": true, "test_training_dropout_zero_ratio_mask": true}

// isDrawn reports whether the elements of a case's results are random.
func (c nodeCase) isDrawn() bool {
	return !exact[c.Name] && (drawn[c.Op] || strings.HasPrefix(c.Name, "test_bernoulli"))
}
