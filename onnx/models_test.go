package onnx

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	osexec "os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/importer"
)

// writtenModel is a model that was written elsewhere, with what it computes there: by PyTorch, as testdata/models.py
// tells it, or node by node.
type writtenModel struct {
	Name  string
	Model []byte
	Cases []struct{ In, Out map[string][]byte }
}

// writtenModels are those in testdata; with BROADLOOM_PYTHON, an interpreter that has torch, they are written anew.
func modelsOfPyTorch(t *testing.T) (list []writtenModel) {
	t.Helper()
	var text io.Reader
	if python := os.Getenv("BROADLOOM_PYTHON"); python != "" && !testing.Short() {
		out, err := osexec.Command(python, "testdata/models.py").Output()
		require.NoError(t, err)
		text = bytes.NewReader(out)
	} else {
		text = unzipped(t, "testdata/models.jsonl.gz")
	}
	list = modelsIn(t, text)
	require.Equal(t, 15, len(list))
	return list
}

func unzipped(t *testing.T, path string) io.Reader {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	text, err := gzip.NewReader(file)
	require.NoError(t, err)
	return text
}

// modelsIn reads models, one a line.
func modelsIn(t *testing.T, text io.Reader) (list []writtenModel) {
	t.Helper()
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m writtenModel
		require.NoError(t, json.Unmarshal(lines.Bytes(), &m))
		list = append(list, m)
	}
	require.NoError(t, lines.Err())
	return list
}

// TestSmallModels builds 1087 models of few nodes once, with the names of their sizes, and runs them at several sizes:
// sizes that are computed in many ways, bounds of slices, windows, loops and branches. The expected values are ONNX
// Runtime's, version 1.32.
func TestSmallModels(t *testing.T) {
	list := modelsIn(t, unzipped(t, "testdata/small.jsonl.gz"))
	require.Equal(t, 1087, len(list))
	for _, m := range list {
		t.Run(m.Name, func(t *testing.T) { m.run(t, tolerance{1e-3, 1e-4}) })
	}
}

// TestModels builds models of PyTorch once, with the names of their sizes, and runs them at several sizes.
func TestModels(t *testing.T) {
	for _, m := range modelsOfPyTorch(t) {
		t.Run(m.Name, func(t *testing.T) {
			within := tolerance{1e-4, 1e-5}
			if m.Name == "halves, version 17" {
				within = tolerance{2e-3, 2e-3}
			}
			m.run(t, within)
		})
	}
}

// run compares what a model computes at all sizes.
func (m writtenModel) run(t *testing.T, within tolerance) {
	model, err := Parse(m.Model)
	require.NoError(t, err)
	net, err := model.Build()
	require.NoError(t, err)
	prog, err := exec.Compile(net.Graph, exec.Outputs(withCounts(net)...), exec.WarningsAreErrors())
	require.NoError(t, err)
	sess := prog.NewSession()
	require.NoError(t, net.Load(sess))
	for _, c := range m.Cases {
		feed := exec.Feed{}
		for name, proto := range c.In {
			if x := net.Input(name); x != nil {
				feed[x] = decoded(t, proto)
			}
		}
		got, err := sess.Run(context.Background(), feed)
		require.NoError(t, err)
		for name, proto := range c.Out {
			want := decoded(t, proto)
			i := slices.IndexFunc(net.all().Outputs, func(o importer.Output) bool { return o.Name == name })
			have, err := counted(net, i, got)
			require.NoError(t, err)
			allowed := within
			if dtype, _ := graph.DTypeOfSlice(want.Data); !dtype.IsFloat() {
				allowed = tolerance{}
			}
			require.NoError(t, differs(want, have, allowed), name)
		}
	}
}

func decoded(t *testing.T, proto []byte) exec.Array {
	t.Helper()
	a, err := arrayOf(proto)
	require.NoError(t, err)
	return a
}
