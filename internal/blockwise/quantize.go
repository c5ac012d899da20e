package blockwise

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
)

// most is the magnitude of the integer of a block's largest element: the range is symmetric.
const most = 127

// Quantize returns the integers and the scales of a slice of floating-point numbers, whose blocks follow one another.
// The scale of a block is its largest magnitude / 127, rounded to the dtype of the numbers, and an integer is the
// number divided by the scale, rounded half to even: those of ops.QuantizeBlocks with this scale. The scales of ggml's
// Q8_0 and of LLM.int8() (Dettmers and others, 2022) are the same. A number that is not finite is an error.
func Quantize(values any, block int) (levels []int8, scales any, err error) {
	t, _ := graph.DTypeOfSlice(values)
	switch values := values.(type) {
	case []float32:
		return quantize(values, block, func(scale float32) float32 { return scale })
	case []float64:
		return quantize(values, block, func(scale float64) float64 { return scale })
	case []half.Float16:
		levels, wide, err := quantize(half.ToFloat32(values), block,
			func(scale float32) float32 { return half.NewFloat16(scale).Float32() })
		return levels, half.ToFloat16(wide), err
	case []half.BFloat16:
		levels, wide, err := quantize(half.ToFloat32(values), block,
			func(scale float32) float32 { return half.NewBFloat16(scale).Float32() })
		return levels, half.ToBFloat16(wide), err
	}
	return nil, nil, fmt.Errorf("numbers of dtype %s have no scales", t)
}

// quantize is Quantize with scales that a function rounds.
func quantize[T float32 | float64](values []T, block int, round func(T) T) (levels []int8, scales []T, err error) {
	levels, scales = make([]int8, len(values)), make([]T, len(values)/block)
	for b := range scales {
		from := values[b*block : (b+1)*block]
		var largest T
		for i, v := range from {
			if err == nil && v-v != 0 {
				err = fmt.Errorf("element %d is %g, and a block with it has no scale", b*block+i, v)
			}
			largest = max(largest, v, -v)
		}
		scale := round(largest / most)
		scales[b] = scale
		if !(scale > 0) || math.IsInf(float64(scale), 1) {
			continue // all are zero, or there is an error
		}
		for i, v := range from {
			levels[b*block+i] = int8(math.RoundToEven(float64(min(max(v/scale, -most), most))))
		}
	}
	return levels, scales, err
}
