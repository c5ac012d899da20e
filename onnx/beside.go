package onnx

import (
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/broadloom/broadloom/internal/atomicfile"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// writeModel writes a model, and its parameters beside it where they take more bytes than limit.
func writeModel(path string, m *wire.Model, limit int64) error {
	total := int64(0)
	for _, t := range m.Graph.Initializers {
		total += int64(len(t.Raw))
	}
	if total > limit {
		if err := writeBeside(path, m); err != nil {
			return err
		}
	}
	data, err := m.Encode()
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Tensors of fewer bytes stay in the model; others begin at multiples of an alignment, as whoever maps the file wants
// it.
const (
	leastBeside = 1024
	alignment   = 4096
)

// writeBeside moves tensors of a model into a file beside it.
func writeBeside(path string, m *wire.Model) error {
	hash := sha256.New()
	var moved []*wire.Tensor
	for _, t := range m.Graph.Initializers {
		if len(t.Raw) >= leastBeside {
			moved = append(moved, t)
			hash.Write(t.Raw)
		}
	}
	name := fmt.Sprintf("%s-%x.data", filepath.Base(path), hash.Sum(nil)[:8])
	err := atomicfile.Write(filepath.Join(filepath.Dir(path), name), func(w io.Writer) error {
		at := 0
		for _, t := range moved {
			gap := -at & (alignment - 1)
			if _, err := w.Write(make([]byte, gap)); err != nil {
				return err
			}
			at += gap
			if _, err := w.Write(t.Raw); err != nil {
				return err
			}
			t.External = []wire.Pair{{Key: "location", Value: name}, {Key: "offset", Value: strconv.Itoa(at)},
				{Key: "length", Value: strconv.Itoa(len(t.Raw))}}
			at += len(t.Raw)
		}
		return nil
	})
	for _, t := range moved {
		t.IsExternal, t.HasRaw, t.Raw = true, false, nil
	}
	return err
}
