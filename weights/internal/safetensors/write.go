package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/broadloom/broadloom/internal/raw"
)

// Tensor is a tensor to be written.
type Tensor struct {
	Name  string
	Shape []int
	Data  any // a slice of Go's numbers
}

// described is how the header describes a tensor.
type described struct {
	DType   raw.DType `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets [2]int64  `json:"data_offsets"`
}

// Write writes a file. Tensors are ordered by element size, then by name, as in the reference implementation, so that
// all elements are aligned.
func Write(w io.Writer, tensors []Tensor, metadata map[string]string) error {
	order := slices.Clone(tensors)
	widths := map[string]int{}
	for _, t := range order {
		d, count, err := raw.DTypeOf(t.Data)
		switch _, twice := widths[t.Name]; {
		case err != nil:
			return fmt.Errorf("safetensors: tensor %q: %w", t.Name, err)
		case twice:
			return fmt.Errorf("safetensors: two tensors are called %q", t.Name)
		case t.Name == "__metadata__" || !utf8.ValidString(t.Name):
			return fmt.Errorf("safetensors: %q is not a valid name of a tensor", t.Name)
		}
		if err := raw.CheckShape(t.Shape, d, count); err != nil {
			return fmt.Errorf("safetensors: tensor %q: %w", t.Name, err)
		}
		widths[t.Name] = d.Bits()
	}
	slices.SortFunc(order, func(a, b Tensor) int {
		return cmp.Or(cmp.Compare(widths[b.Name], widths[a.Name]), cmp.Compare(a.Name, b.Name))
	})
	header, err := headerOf(order, metadata)
	if err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, t := range order {
		if err := raw.Encode(w, t.Data); err != nil {
			return err
		}
	}
	return nil
}

// headerOf returns the file up to its data, which begins at a multiple of 8.
func headerOf(order []Tensor, metadata map[string]string) ([]byte, error) {
	text := bytes.NewBufferString("{")
	member := func(name string, value any) error {
		if text.Len() > 1 {
			text.WriteByte(',')
		}
		for i, part := range []any{name, value} {
			encoded, err := json.Marshal(part)
			if err != nil {
				return err
			}
			if i > 0 {
				text.WriteByte(':')
			}
			text.Write(encoded)
		}
		return nil
	}
	if len(metadata) > 0 {
		if err := member("__metadata__", metadata); err != nil {
			return nil, err
		}
	}
	at := int64(0)
	for _, t := range order {
		d, count, err := raw.DTypeOf(t.Data)
		if err != nil {
			return nil, err
		}
		end := at + int64(count)*int64(d.Bits()/8)
		if err := member(t.Name, described{d, append([]int{}, t.Shape...), [2]int64{at, end}}); err != nil {
			return nil, err
		}
		at = end
	}
	text.WriteByte('}')
	for text.Len()%8 != 0 {
		text.WriteByte(' ')
	}
	if text.Len() > maxHeader {
		return nil, fmt.Errorf("the names of %d tensors take more than %d bytes", len(order), maxHeader)
	}
	return append(binary.LittleEndian.AppendUint64(nil, uint64(text.Len())), text.Bytes()...), nil
}
