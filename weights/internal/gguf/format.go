package gguf

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/broadloom/broadloom/internal/raw"
)

// format says how elements are stored: plainly, as a dtype, or in blocks of quantised elements.
type format struct {
	name     string
	elements int // of a block; 1 if the format is plain
	bytes    int // of a block
	decoder
}

// decoder turns a block into integers, and a scale and perhaps a minimum for each group of them. It has nothing for
// plain formats, and for those that cannot be read.
type decoder struct {
	decode    func(block []byte, to raw.Levels)
	group     int // elements that have a scale
	bits      int // of integers
	hasMinima bool
}

// scaled decodes blocks of integers of so many bits with a scale for each group of them.
func scaled(group, bits int, decode func(block []byte, levels []int8, scales []float32)) decoder {
	return decoder{func(block []byte, to raw.Levels) { decode(block, to.Integers, to.Scales) }, group, bits, false}
}

// shifted decodes blocks of integers without signs, of so many bits, with a scale and a minimum for each group of them.
func shifted(group, bits int, decode func(block []byte, levels []int8, scales, minima []float32)) decoder {
	return decoder{func(block []byte, to raw.Levels) { decode(block, to.Integers, to.Scales, to.Minima) }, group, bits,
		true}
}

// superblock is the number of elements of the larger blocks.
const superblock = 256

// formats are the formats of ggml (enum ggml_type of ggml.h), by number. Formats without a decoder are rare: their
// tables of vectors are long.
var formats = map[uint32]format{
	0:  {"F32", 1, 4, decoder{}},
	1:  {"F16", 1, 2, decoder{}},
	2:  {"Q4_0", 32, 18, scaled(32, 4, q4By0)},
	3:  {"Q4_1", 32, 20, shifted(32, 4, q4By1)},
	6:  {"Q5_0", 32, 22, scaled(32, 5, q5By0)},
	7:  {"Q5_1", 32, 24, shifted(32, 5, q5By1)},
	8:  {"Q8_0", 32, 34, scaled(32, 8, q8By0)},
	10: {"Q2_K", superblock, 84, shifted(16, 2, q2K)},
	11: {"Q3_K", superblock, 110, scaled(16, 3, q3K)},
	12: {"Q4_K", superblock, 144, shifted(32, 4, q4K)},
	13: {"Q5_K", superblock, 176, shifted(32, 5, q5K)},
	14: {"Q6_K", superblock, 210, scaled(16, 6, q6K)},
	16: {"IQ2_XXS", superblock, 66, decoder{}},
	17: {"IQ2_XS", superblock, 74, decoder{}},
	18: {"IQ3_XXS", superblock, 98, decoder{}},
	19: {"IQ1_S", superblock, 50, decoder{}},
	20: {"IQ4_NL", 32, 18, scaled(32, 8, iq4NL)},
	21: {"IQ3_S", superblock, 110, decoder{}},
	22: {"IQ2_S", superblock, 82, decoder{}},
	23: {"IQ4_XS", superblock, 136, scaled(32, 8, iq4XS)},
	24: {"I8", 1, 1, decoder{}},
	25: {"I16", 1, 2, decoder{}},
	26: {"I32", 1, 4, decoder{}},
	27: {"I64", 1, 8, decoder{}},
	28: {"F64", 1, 8, decoder{}},
	29: {"IQ1_M", superblock, 56, decoder{}},
	30: {"BF16", 1, 2, decoder{}},
	34: {"TQ1_0", superblock, 54, decoder{}},
	35: {"TQ2_0", superblock, 66, scaled(superblock, 2, tq2By0)},
	39: {"MXFP4", 32, 17, scaled(32, 5, mxfp4)},
}

// reads returns the dtype of the elements that are read, and the name of the blocks that store them if any do. The
// dtype of a format that cannot be read is its name.
func (f format) reads() (d raw.DType, blocks string) {
	if f.isQuantised() {
		return raw.F32, f.name
	}
	return raw.DType(f.name), ""
}

// isQuantised reports whether elements are in blocks that can be read.
func (f format) isQuantised() bool { return f.decode != nil }

// read reads elements.
func (f format) read(r io.Reader, count int) (any, error) {
	if f.isQuantised() {
		levels, err := f.readLevels(r, count)
		return f.numbers(levels), err
	}
	data, err := f.bytesOf(r, count)
	if err != nil {
		return nil, err
	}
	return raw.Decode(raw.DType(f.name), binary.LittleEndian, data)
}

// numbers are the numbers of integers. Products are rounded before sums, as ggml does.
func (f format) numbers(levels raw.Levels) []float32 {
	out := make([]float32, len(levels.Integers))
	for i, q := range levels.Integers {
		out[i] = levels.Scales[i/f.group] * float32(q)
	}
	for i := range out[:len(levels.Minima)*f.group] {
		out[i] += levels.Minima[i/f.group]
	}
	return out
}

// readLevels reads elements as integers, scales and minima.
func (f format) readLevels(r io.Reader, count int) (all raw.Levels, err error) {
	data, err := f.bytesOf(r, count)
	if err != nil {
		return all, err
	}
	all.Integers, all.Scales = make([]int8, count), make([]float32, count/f.group)
	if f.hasMinima {
		all.Minima = make([]float32, count/f.group)
	}
	for i := range count / f.elements {
		from, to := i*f.elements, (i+1)*f.elements
		part := raw.Levels{Integers: all.Integers[from:to], Scales: all.Scales[from/f.group : to/f.group]}
		if f.hasMinima {
			part.Minima = all.Minima[from/f.group : to/f.group]
		}
		f.decode(data[i*f.bytes:(i+1)*f.bytes], part)
	}
	return all, nil
}

// bytesOf reads the bytes of elements.
func (f format) bytesOf(r io.Reader, count int) ([]byte, error) {
	if f.elements > 1 && !f.isQuantised() {
		return nil, fmt.Errorf("%s cannot be read: %w", f.name, errUnread)
	}
	data := make([]byte, count/f.elements*f.bytes)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("gguf: %w", err)
	}
	return data, nil
}
