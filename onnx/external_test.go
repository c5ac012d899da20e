package onnx

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// TestExternal reads tensors in files beside the model, and nowhere else.
func TestExternal(t *testing.T) {
	folder := t.TempDir()
	open := func(change func(w *wire.Tensor)) error {
		g := line()
		w := g.Initializers[0]
		require.NoError(t, os.WriteFile(filepath.Join(folder, "data.bin"), append(make([]byte, 8), w.Raw...), 0o600))
		w.Raw, w.HasRaw, w.IsExternal = nil, false, true
		w.External = []wire.Pair{{Key: "location", Value: "data.bin"}, {Key: "offset", Value: "8"},
			{Key: "length", Value: "24"}}
		change(w)
		path := filepath.Join(folder, "m.onnx")
		require.NoError(t, os.WriteFile(path, file(t, g), 0o600))
		m, err := Open(path)
		require.NoError(t, err)
		require.Equal(t, "m", m.Name())
		defer m.Close()
		b, err := m.Build()
		require.NoError(t, err)
		prog, err := exec.Compile(b.Graph, exec.Outputs(b.Outputs()...))
		require.NoError(t, err)
		s := prog.NewSession()
		if err := b.Load(s); err != nil {
			return err
		}
		a, err := s.Param(b.Params()[0])
		require.NoError(t, err)
		require.Equal(t, []float32{1, 2, 3, 4, 5, 6}, a.Data)
		require.NoError(t, m.Close())
		require.ErrorContains(t, b.Load(s), "closed")
		_, err = m.Build()
		require.ErrorContains(t, err, "closed")
		return nil
	}
	require.NoError(t, open(func(*wire.Tensor) {}))
	set := func(key, value string) func(w *wire.Tensor) {
		return func(w *wire.Tensor) {
			for i := range w.External {
				if w.External[i].Key == key {
					w.External[i].Value = value
				}
			}
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(folder), "outside.bin"), make([]byte, 100), 0o600))
	require.NoError(t, os.Symlink("../outside.bin", filepath.Join(folder, "link.bin")))
	for _, c := range [][3]string{{"location", "../outside.bin", "not in the model's folder"},
		{"location", "/etc/passwd", "not in the model's folder"},
		{"location", "link.bin", "escapes"}, {"location", "none.bin", "no such file"},
		{"location", "", "not in the model's folder"},
		{"offset", "9", "it needs 24 bytes from byte 9"}, {"offset", "-1", "starts at byte -1"},
		{"offset", "x", "starts at byte x"},
		{"length", "20", "20 bytes, and shape [3 2] of float has 24"},
		{"length", "99999999999999999999", "needs 99999999999999999999 bytes"}} {
		require.ErrorContains(t, open(set(c[0], c[1])), c[2], c)
	}
	m, err := Parse(file(t, func() *wire.Graph {
		g := line()
		g.Initializers[0].IsExternal = true
		return g
	}()))
	require.NoError(t, err)
	b, err := m.Build()
	require.NoError(t, err)
	prog, err := exec.Compile(b.Graph, exec.Outputs(b.Outputs()...))
	require.NoError(t, err)
	require.ErrorContains(t, b.Load(prog.NewSession()), "open the model by its path")
}
