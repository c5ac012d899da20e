package onnxnodes

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	osexec "os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
)

type node = *graph.Node

// nodeCase is one of ONNX's node tests.
type nodeCase struct {
	Name, Op, Left string // why its values are not told
	Version        int    // of the operators
	Nodes          []oneNode
	In, Out        []string
	Values         map[string]array
}

type oneNode struct {
	Op      string
	In, Out []string
	Attrs   map[string]json.RawMessage
}

type array struct {
	DType string
	Shape []int
	Data  []byte
}

func (a array) value() (reference.Value, error) {
	return reference.FromBytes(a.DType, a.Data, a.Shape...)
}

// python is the interpreter that writes the cases of many elements: that of BROADLOOM_XLA_PYTHON where it has the onnx of testdata/nodes.py.
// Another version has other cases.
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

// run computes the case's nodes in order, and returns what differs from the expected results.
func (c nodeCase) run() error {
	values := map[string]reference.Value{}
	for _, name := range c.In {
		v, err := c.Values[name].value()
		if err != nil {
			return err
		}
		values[name] = v
	}
	for _, n := range c.Nodes {
		if err := c.compute(n, values); err != nil {
			return fmt.Errorf("%s: %w", n.Op, err)
		}
	}
	for _, name := range c.Out {
		want, err := c.Values[name].value()
		if err != nil {
			return err
		}
		within := usual[want.DType]
		if t, ok := tolerances[c.Name]; ok {
			within = t
		}
		if c.isDrawn() || drawn[c.Nodes[0].Op] && len(c.Nodes) > 1 {
			within.absolute = math.Inf(1)
		}
		if err := differs(want, values[name], within); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// compute makes a graph of one node, and runs it.
func (c nodeCase) compute(n oneNode, values map[string]reference.Value) (err error) {
	rule := operators[n.Op]
	if rule == nil {
		return fmt.Errorf("no line")
	}
	k := &call{g: graph.New(n.Op), attrs: n.Attrs, version: c.Version, outs: n.Out}
	feed := exec.Feed{}
	for i, name := range n.In {
		v, given := values[name]
		if !given {
			k.in, k.values = append(k.in, nil), append(k.values, reference.Value{})
			continue
		}
		x := k.g.Input(fmt.Sprint("x", i), v.DType, graph.MakeShape(v.Shape...)...)
		feed[x] = exec.Array{Shape: v.Shape, Data: v.Data}
		k.in, k.values = append(k.in, x), append(k.values, v)
	}
	for _, name := range n.Out {
		v, _ := c.Values[name].value()
		k.want = append(k.want, v)
	}
	results := rule(k)
	var outputs []node
	var names []string
	for i, name := range n.Out {
		if name == "" || i >= len(results) {
			continue
		}
		if results[i] == nil || results[i].Err() != nil {
			return fmt.Errorf("refused: %w", results[i].Err())
		}
		outputs, names = append(outputs, results[i]), append(names, name)
	}
	prog, err := exec.Compile(k.g, exec.Outputs(outputs...), exec.OnWarning(nil))
	if err != nil {
		return err
	}
	got, err := prog.NewSession().Run(context.Background(), feed)
	if err != nil {
		return err
	}
	for i, y := range outputs {
		a, err := got.Array(y)
		if err != nil {
			return err
		}
		values[names[i]] = reference.Value{DType: y.DType(), Shape: a.Shape, Data: a.Data}
	}
	return nil
}

// tolerance is by how much results may differ from those of ONNX, of which many are computed in float32.
type tolerance struct{ relative, absolute float64 }

// usual are the tolerances of dtypes: of integers none.
var usual = map[graph.DType]tolerance{graph.Float64: {1e-7, 1e-7}, graph.Float32: {1e-5, 1e-6}, graph.Float16: {2e-3, 1e-3}, graph.BFloat16: {1.6e-2, 1e-2}}

// tolerances are those of cases whose expected results are written with few digits, or are differences of hundreds.
var tolerances = map[string]tolerance{"test_averagepool_2d_ceil_last_window_starts_on_pad": {1e-3, 1e-7}, "test_gridsample_bicubic": {1e-3, 1e-7},
	"test_roialign_aligned_false": {0, 1e-4}, "test_roialign_aligned_true": {0, 1e-4}, "test_stft_with_window": {1e-5, 1e-4}}

// differs compares dtype, shape and elements: integers exactly, and floats within a few units of their last digits.
func differs(want, got reference.Value, within tolerance) error {
	if want.DType != got.DType || !slices.Equal(want.Shape, got.Shape) {
		return fmt.Errorf("%s%v, want %s%v", got.DType, got.Shape, want.DType, want.Shape)
	}
	g := got.Floats()
	for i, w := range want.Floats() {
		same := w == g[i] || math.IsNaN(w) && math.IsNaN(g[i]) || math.Abs(w-g[i]) <= within.absolute+within.relative*math.Abs(w)
		if !same {
			return fmt.Errorf("element %d of %v is %v, want %v", i, want.Shape, g[i], w)
		}
	}
	return nil
}
