package sidebyside

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// interpreter finds a Python that has NumPy and PyTorch: BROADLOOM_PYTHON, one beside the
// repository, or any.
func interpreter(t *testing.T) string {
	t.Helper()
	beside, err := filepath.Abs("../../../shared/peers/python")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{os.Getenv("BROADLOOM_PYTHON"), beside, "python3"} {
		if _, err := exec.LookPath(path); err == nil {
			return path
		}
	}
	t.Skip("no Python; BROADLOOM_PYTHON may name one")
	return ""
}

// TestPythonComputesTheSame expects NumPy and PyTorch to understand the requests as the
// tables mean them.
func TestPythonComputesTheSame(t *testing.T) {
	python, err := StartPython(t.Context(), interpreter(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range []Task{{
		DType: graph.Float64,
		Request: Request{"product": map[string]any{
			"m": 3, "n": 4, "k": 5, "transpose_a": true, "transpose_b": false, "dtype": "float64"}},
		Shapes: [][]int{{5, 3}, {5, 4}},
		Build:  func(in []*graph.Node) *graph.Node { return ops.MatMul(ops.Transpose(in[0], 0, 1), in[1]) },
	}, {
		DType: graph.Float32,
		Request: Request{"product": map[string]any{
			"m": 1, "n": 4, "k": 7, "transpose_a": false, "transpose_b": true, "dtype": "float32"}},
		Shapes: [][]int{{1, 7}, {4, 7}},
		Build:  func(in []*graph.Node) *graph.Node { return ops.MatMul(in[0], ops.Transpose(in[1], 0, 1)) },
	}, {
		DType: graph.Float64,
		Request: Request{"transform": map[string]any{
			"name": "fft2", "shape": []int{3, 4, 5, 2}, "pairs": true, "dtype": "float64"}},
		Shapes: [][]int{{3, 4, 5, 2}},
		Build:  func(in []*graph.Node) *graph.Node { return ops.FFT2(in[0]) },
	}, {
		DType: graph.Float32,
		Request: Request{"convolution": map[string]int{
			"batch": 2, "channels": 3, "size": 9, "filters": 4, "kernel": 3, "stride": 2, "padding": 1}},
		Shapes: [][]int{{2, 3, 9, 9}, {4, 3, 3, 3}},
		Build: func(in []*graph.Node) *graph.Node {
			return ops.Conv2D(in[0], in[1], nil, ops.Stride(2), ops.Padding(1))
		},
	}} {
		want, err := python.Prepare(task.Request)
		if err != nil {
			t.Skipf("this Python lacks NumPy or PyTorch: %v", err)
		}
		p, err := task.compile(1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.check()
		if err != nil || got < want*(1-tolerance) || got > want*(1+tolerance) {
			t.Errorf("%v: %v, want %v; %v", task.Request, got, want, err)
		}
		if took, err := python.Time(3); err != nil || took <= 0 {
			t.Errorf("%v: three calls take %v; %v", task.Request, took, err)
		}
	}
	if err := python.Close(); err != nil {
		t.Error(err)
	}
}
