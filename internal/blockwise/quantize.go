package blockwise

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
)

// rule says how blocks are quantised: the integer of a block's element of the largest magnitude is first, whatever its
// sign if the range is symmetric; others lie between least and most.
type rule struct{ first, least, most int }

// rules are the rules by the bits of an integer: those of ggml's Q8_0 and Q4_0.
var rules = map[int]rule{8: {127, -127, 127}, 4: {-8, -8, 7}}

// Quantize returns the integers, of 8 or 4 bits, and the scales of a slice of floating-point numbers, whose blocks
// follow one another. The scale of a block is its largest magnitude / 127, or its element of the largest magnitude / -8
// if integers have 4 bits, rounded to the dtype of the numbers. An integer is the number divided by the scale, rounded
// half to even. The scales of ggml's Q8_0 and Q4_0 are the same, and those of LLM.int8() (Dettmers and others, 2022). A
// number that is not finite is an error.
func Quantize(values any, block, bits int) (levels []int8, scales any, err error) {
	t, _ := graph.DTypeOfSlice(values)
	of := rules[bits]
	switch values := values.(type) {
	case []float32:
		return quantize(values, block, of, func(scale float32) float32 { return scale })
	case []float64:
		return quantize(values, block, of, func(scale float64) float64 { return scale })
	case []half.Float16:
		levels, wide, err := quantize(half.ToFloat32(values), block, of,
			func(scale float32) float32 { return half.NewFloat16(scale).Float32() })
		return levels, half.ToFloat16(wide), err
	case []half.BFloat16:
		levels, wide, err := quantize(half.ToFloat32(values), block, of,
			func(scale float32) float32 { return half.NewBFloat16(scale).Float32() })
		return levels, half.ToBFloat16(wide), err
	}
	return nil, nil, fmt.Errorf("numbers of dtype %s have no scales", t)
}

// quantize is Quantize with scales that a function rounds.
func quantize[T float32 | float64](values []T, block int, of rule, round func(T) T) (levels []int8, scales []T,
	err error) {
	levels, scales = make([]int8, len(values)), make([]T, len(values)/block)
	for b := range scales {
		from := values[b*block : (b+1)*block]
		var largest T
		for i, v := range from {
			if err == nil && v-v != 0 {
				err = fmt.Errorf("element %d is %g, and a block with it has no scale", b*block+i, v)
			}
			if max(v, -v) > max(largest, -largest) {
				largest = v
			}
		}
		if largest == 0 {
			continue
		}
		if of.least == -of.most {
			largest = max(largest, -largest)
		}
		scale := round(largest / T(of.first))
		scales[b] = scale
		if scale == 0 || scale-scale != 0 {
			continue // they are too small, or there is an error
		}
		for i, v := range from {
			levels[b*block+i] = int8(math.RoundToEven(float64(min(max(v/scale, T(of.least)), T(of.most)))))
		}
	}
	return levels, scales, err
}

// Pack returns integers of 4 bits, two in a byte, the first in the lower half, as ops.PackInt4 does.
func Pack(levels []int8) []uint8 {
	packed := make([]uint8, len(levels)/2)
	for i := range packed {
		packed[i] = uint8(levels[2*i])&0x0f | uint8(levels[2*i+1])<<4
	}
	return packed
}
