package main

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/weights"
)

// format is how the weights of a layer are held: as integers of so many bits with a scale, and perhaps a minimum, for
// each block; as float32 with 0 bits.
type format struct {
	bits, block int
	hasMinima   bool
}

// String is what the format is called.
func (f format) String() string {
	switch {
	case f.bits == 0:
		return "float32"
	case f.hasMinima:
		return fmt.Sprintf("uint%d", f.bits)
	}
	return fmt.Sprintf("int%d", f.bits)
}

// option makes layers hold their weights so.
func (f format) option() nn.Option {
	switch f {
	case format{4, f.block, false}:
		return nn.Int4Weights(f.block)
	case format{4, f.block, true}:
		return nn.Uint4Weights(f.block)
	case format{8, f.block, false}:
		return nn.Int8Weights(f.block)
	case format{8, f.block, true}:
		return nn.Uint8Weights(f.block)
	}
	return nn.Option{}
}

// usualBlock is the block of the simpler formats of llama.cpp, and of weights that are rounded.
const usualBlock = 32

// exact are the formats that hold the tensors of llama.cpp's formats as they are. Others than these and those of
// floating-point numbers are rounded to 8 bits.
var exact = map[string]format{
	"Q8_0": {8, usualBlock, false}, "Q4_0": {4, usualBlock, false}, "Q4_1": {4, usualBlock, true},
	"Q5_0": {8, usualBlock, false}, "Q5_1": {8, usualBlock, true}, "Q2_K": {4, 16, true}, "Q3_K": {4, 16, false},
	"Q4_K": {4, usualBlock, true}, "Q5_K": {8, usualBlock, true}, "Q6_K": {8, 16, false},
	"F64": {}, "F32": {}, "F16": {}, "BF16": {},
}

// and holds what either format holds.
func (f format) and(other format) format {
	if f.bits == 0 || other.bits == 0 {
		return format{}
	}
	return format{max(f.bits, other.bits), min(f.block, other.block), f.hasMinima || other.hasMinima}
}

// as is the format for weights that should be held as int8 or int4. Those that do not fit are rounded.
func (f format) as(bits int) format {
	if f.bits == 0 || f.bits > bits {
		return format{bits, usualBlock, f.hasMinima}
	}
	return f
}

// layerOf is the layer to which a matrix belongs. The projections of attention have one option.
func layerOf(tensor string) string {
	if block, _, is := strings.Cut(tensor, ".attn_"); is {
		return block + ".attn"
	}
	return strings.TrimSuffix(tensor, ".weight")
}

// formatsOf chooses the formats of layers: those that hold the tensors of a file as they are, or int8, int4 or float32.
// Tables of tokens, of which files of 4 bits have more, are held in 8 bits then.
func formatsOf(tensors []weights.Info, held string) (map[string]format, error) {
	bits, known := map[string]int{"": 0, "int8": 8, "int4": 4, "float32": 0}[held]
	if !known {
		return nil, fmt.Errorf("weights are held as int8, int4 or float32, not %q", held)
	}
	formats := map[string]format{}
	for _, t := range tensors {
		if len(t.Shape) < 2 {
			continue
		}
		layer := layerOf(t.Name)
		f, isKnown := exact[t.DType]
		if !isKnown {
			f = format{8, usualBlock, false}
		}
		switch ofTokens := layer == "token_embd" || layer == "output"; {
		case held == "float32":
			f = format{}
		case ofTokens && held == "int4":
			f = f.as(8)
		case held != "":
			f = f.as(bits)
		}
		if other, is := formats[layer]; is {
			f = f.and(other)
		}
		formats[layer] = f
	}
	return formats, nil
}
