package npy

import (
	"fmt"
	"io"
	"slices"

	"github.com/broadloom/broadloom/internal/raw"
)

// Read reads the header of an array in a file of the given size. Elements are read when those of the tensor are; it
// has the given name.
func Read(r io.ReaderAt, size int64, name string) (raw.Tensor, error) {
	h, err := readHeader(io.NewSectionReader(r, 0, size))
	switch {
	case err != nil:
		return raw.Tensor{}, fmt.Errorf("npy: %w", err)
	case h.unsupported != nil:
		return raw.Tensor{}, fmt.Errorf("npy: %w", h.unsupported)
	case size-h.start != h.bytes:
		return raw.Tensor{},
			fmt.Errorf("npy: %d bytes follow the header, but %s %v needs %d", size-h.start, h.dtype, h.shape, h.bytes)
	}
	return raw.Tensor{Info: raw.Info{Name: name, DType: h.dtype, Shape: h.shape}, Read: func() (any, error) {
		return readElements(io.NewSectionReader(r, h.start, h.bytes), h)
	}}, nil
}

// readElements reads the elements of an array, in row-major order.
func readElements(r io.Reader, h header) (any, error) {
	data := make([]byte, h.bytes)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	if h.isColumn && len(h.shape) > 1 {
		data = toRows(data, h.shape, h.dtype.Bits()/8)
	}
	return raw.Decode(h.dtype, h.order, data)
}

// toRows brings elements whose first axis is the innermost into row-major order.
func toRows(data []byte, shape []int, width int) []byte {
	out := make([]byte, 0, len(data))
	strides := make([]int, len(shape))
	stride := width
	for axis, n := range shape {
		strides[axis] = stride
		stride *= n
	}
	at := 0
	index := make([]int, len(shape))
	for len(out) < len(data) {
		out = append(out, data[at:at+width]...)
		for axis := range slices.Backward(shape) {
			index[axis]++
			at += strides[axis]
			if index[axis] < shape[axis] {
				break
			}
			at -= strides[axis] * shape[axis]
			index[axis] = 0
		}
	}
	return out
}
