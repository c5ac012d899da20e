package onnx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// external are the bytes of a tensor in a file beside the model. The file lies in the model's folder or below it:
// neither its name nor a link leads out.
func (m *Model) external(t *wire.Tensor) ([]byte, error) {
	if m.path == "" {
		return nil, errors.New("its elements are in another file: open the model by its path")
	}
	place := map[string]string{}
	for _, p := range t.External {
		place[p.Key] = p.Value
	}
	name := place["location"]
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("its elements are in %q, which is not in the model's folder", name)
	}
	folder := filepath.Dir(m.path)
	f, err := os.OpenInRoot(folder, filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	f.Close()
	data, err := m.file(name, filepath.Join(folder, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	from, to := int64(0), int64(len(data))
	if text := place["offset"]; text != "" {
		if from, err = strconv.ParseInt(text, 10, 64); err != nil || from < 0 || from > to {
			return nil, fmt.Errorf("it starts at byte %s of %s, which has %d bytes", text, name, len(data))
		}
	}
	if text := place["length"]; text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 || n > to-from {
			return nil, fmt.Errorf("it needs %s bytes from byte %d of %s on, which has %d bytes", text, from, name,
				len(data))
		}
		to = from + n
	}
	return data[from:to], nil
}
