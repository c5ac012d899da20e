package gguf

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/broadloom/broadloom/internal/raw"
)

// maxRank is ggml's.
const maxRank = 4

// alignmentKey is the metadata with the alignment of tensors, in bytes, and defaultAlignment applies without it.
const (
	alignmentKey     = "general.alignment"
	defaultAlignment = 32
)

// stored is a tensor of the header.
type stored struct {
	raw.Info
	format       format
	count        int   // elements
	begin, bytes int64 // in the data after the header
}

// Read reads the header of a file of the given size: its tensors and its metadata, whose values are numbers, booleans,
// strings, slices of these, and []any for arrays of arrays. Elements are read when those of a tensor are. Those of
// quantised formats become float32.
func Read(r io.ReaderAt, size int64) ([]raw.Tensor, map[string]any, error) {
	h := &header{bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 1<<16), size}
	tensors, fields, err := readHeader(h)
	if err != nil {
		return nil, nil, fmt.Errorf("gguf: %w", err)
	}
	alignment, err := alignmentOf(fields)
	if err != nil {
		return nil, nil, fmt.Errorf("gguf: %w", err)
	}
	start := (size - h.left + alignment - 1) / alignment * alignment
	if err := checkPlaces(tensors, alignment, size-start); err != nil {
		return nil, nil, fmt.Errorf("gguf: %w", err)
	}
	list := make([]raw.Tensor, len(tensors))
	for i, t := range tensors {
		data := func() io.Reader { return io.NewSectionReader(r, start+t.begin, t.bytes) }
		list[i] = raw.Tensor{Info: t.Info, Read: func() (any, error) { return t.format.read(data(), t.count) }}
		if t.ScaleBlock > 0 {
			list[i].ReadLevels = func() (raw.Levels, error) { return t.format.readLevels(data(), t.count) }
		}
	}
	return list, fields, nil
}

func readHeader(h *header) ([]stored, map[string]any, error) {
	count, values, err := h.begin()
	if err != nil {
		return nil, nil, err
	}
	fields, err := h.metadata(values)
	if err != nil {
		return nil, nil, err
	}
	tensors, seen := make([]stored, count), make(map[string]bool, count)
	for i := range tensors {
		t, err := h.tensor()
		if err != nil {
			return nil, nil, err
		}
		if seen[t.Name] {
			return nil, nil, fmt.Errorf("two tensors are called %q", t.Name)
		}
		tensors[i], seen[t.Name] = t, true
	}
	return tensors, fields, nil
}

func alignmentOf(fields map[string]any) (int64, error) {
	value, is := fields[alignmentKey]
	if !is {
		return defaultAlignment, nil
	}
	n, isNumber := value.(uint32)
	if !isNumber || n == 0 || n%8 != 0 {
		return 0, fmt.Errorf("%s is %v, but must be a multiple of 8, as a uint32", alignmentKey, value)
	}
	return int64(n), nil
}

// tensor reads the description of a tensor.
func (h *header) tensor() (t stored, err error) {
	if t.Name, err = h.text(); err != nil {
		return t, err
	}
	if t.Shape, err = h.shape(); err == nil {
		err = h.place(&t)
	}
	if err != nil {
		return t, fmt.Errorf("tensor %q: %w", t.Name, err)
	}
	return t, nil
}

// shape reads sizes, which are stored from the last axis to the first.
func (h *header) shape() ([]int, error) {
	rank, err := number[uint32](h)
	if err == nil && rank > maxRank {
		err = fmt.Errorf("it has %d axes, but at most %d are allowed", rank, maxRank)
	}
	if err != nil {
		return nil, err
	}
	shape := make([]int, rank)
	for axis := range slices.Backward(shape) {
		n, err := number[uint64](h)
		if err == nil && n > math.MaxInt {
			err = fmt.Errorf("its axis %d has size %d", axis, n)
		}
		if err != nil {
			return nil, err
		}
		shape[axis] = int(n)
	}
	return shape, nil
}

// place reads the format of a tensor, whose shape is known, and where it starts.
func (h *header) place(t *stored) error {
	id, err := number[uint32](h)
	if err != nil {
		return err
	}
	begin, err := number[uint64](h)
	if err != nil {
		return err
	}
	if t.format = formats[id]; t.format.elements == 0 {
		return fmt.Errorf("its format %d is unknown", id)
	}
	count, err := raw.Bytes(raw.U8, sizesOf(t.Shape))
	switch {
	case err != nil:
		return err
	case begin > math.MaxInt64:
		return fmt.Errorf("it starts at byte %d", begin)
	}
	t.count, t.begin = int(count), int64(begin)
	if per := t.format.elements; per > 1 && (len(t.Shape) == 0 || t.Shape[len(t.Shape)-1]%per != 0) {
		return fmt.Errorf("the last axis of %v does not consist of blocks of %d elements, as %s needs", t.Shape, per,
			t.format.name)
	}
	blocks := int64(t.count / t.format.elements)
	if blocks > math.MaxInt64/int64(t.format.bytes) {
		return fmt.Errorf("shape %v has more elements than can be addressed", t.Shape)
	}
	t.bytes = blocks * int64(t.format.bytes)
	t.DType, t.Blocks = t.format.reads()
	t.ScaleBlock, t.LevelBits, t.HasMinima = t.format.group, t.format.bits, t.format.hasMinima
	return nil
}

func sizesOf(shape []int) []int64 {
	sizes := make([]int64, len(shape))
	for axis, n := range shape {
		sizes[axis] = int64(n)
	}
	return sizes
}

// checkPlaces returns an error for tensors that are not aligned, not within the data or not disjoint.
func checkPlaces(tensors []stored, alignment, size int64) error {
	inOrder := slices.SortedFunc(slices.Values(tensors), func(a, b stored) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.bytes, b.bytes))
	})
	end := int64(0)
	for _, t := range inOrder {
		switch {
		case t.begin%alignment != 0:
			return fmt.Errorf("tensor %q starts at byte %d, which is no multiple of %d", t.Name, t.begin, alignment)
		case t.begin < end:
			return fmt.Errorf("tensor %q starts at byte %d, inside the one before it, which ends at %d", t.Name, t.begin, end)
		case t.begin > size || t.bytes > size-t.begin:
			return fmt.Errorf("the file is truncated: tensor %q needs %d bytes from %d on, but there are %d", t.Name,
				t.bytes, t.begin, max(size, 0))
		}
		end = t.begin + t.bytes
	}
	return nil
}

// errUnread is the error for elements of a format that has no decoder.
var errUnread = errors.New("convert it to Q8_0 or F16 before")
