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
	// decode turns a block into elements. It is nil for plain formats, and for those that cannot be read.
	decode func(block []byte, elements []float32)
}

// superblock is the number of elements of the larger blocks.
const superblock = 256

// formats are the formats of ggml (enum ggml_type of ggml.h), by number. Formats without a decoder are rare: their
// tables of vectors are long.
var formats = map[uint32]format{
	0:  {"F32", 1, 4, nil},
	1:  {"F16", 1, 2, nil},
	2:  {"Q4_0", 32, 18, q4By0},
	3:  {"Q4_1", 32, 20, q4By1},
	6:  {"Q5_0", 32, 22, q5By0},
	7:  {"Q5_1", 32, 24, q5By1},
	8:  {"Q8_0", 32, 34, q8By0},
	10: {"Q2_K", superblock, 84, q2K},
	11: {"Q3_K", superblock, 110, q3K},
	12: {"Q4_K", superblock, 144, q4K},
	13: {"Q5_K", superblock, 176, q5K},
	14: {"Q6_K", superblock, 210, q6K},
	16: {"IQ2_XXS", superblock, 66, nil},
	17: {"IQ2_XS", superblock, 74, nil},
	18: {"IQ3_XXS", superblock, 98, nil},
	19: {"IQ1_S", superblock, 50, nil},
	20: {"IQ4_NL", 32, 18, iq4NL},
	21: {"IQ3_S", superblock, 110, nil},
	22: {"IQ2_S", superblock, 82, nil},
	23: {"IQ4_XS", superblock, 136, iq4XS},
	24: {"I8", 1, 1, nil},
	25: {"I16", 1, 2, nil},
	26: {"I32", 1, 4, nil},
	27: {"I64", 1, 8, nil},
	28: {"F64", 1, 8, nil},
	29: {"IQ1_M", superblock, 56, nil},
	30: {"BF16", 1, 2, nil},
	34: {"TQ1_0", superblock, 54, nil},
	35: {"TQ2_0", superblock, 66, tq2By0},
	39: {"MXFP4", 32, 17, mxfp4},
}

// reads returns the dtype of the elements that are read, and the name of the blocks that store them if any do. The
// dtype of a format that cannot be read is its name.
func (f format) reads() (d raw.DType, blocks string) {
	if f.decode != nil {
		return raw.F32, f.name
	}
	return raw.DType(f.name), ""
}

// read reads elements.
func (f format) read(r io.Reader, count int) (any, error) {
	if f.elements > 1 && f.decode == nil {
		return nil, fmt.Errorf("%s cannot be read: %w", f.name, errUnread)
	}
	data := make([]byte, count/f.elements*f.bytes)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("gguf: %w", err)
	}
	if f.decode == nil {
		return raw.Decode(raw.DType(f.name), binary.LittleEndian, data)
	}
	out := make([]float32, count)
	for i := range count / f.elements {
		f.decode(data[i*f.bytes:(i+1)*f.bytes], out[i*f.elements:(i+1)*f.elements])
	}
	return out, nil
}
