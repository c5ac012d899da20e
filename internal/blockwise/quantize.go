package blockwise

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
)

// rule says how blocks without minima are quantised: the integer of a block's element of the largest magnitude is
// first, whatever its sign if the range is symmetric; others lie between least and most.
type rule struct{ first, least, most int }

// rules are the rules by the bits of an integer: those of ggml's Q8_0 and Q4_0.
var rules = map[int]rule{8: {127, -127, 127}, 4: {-8, -8, 7}}

// Quantize returns the values of a weight's parameters, in the order of [Weight.Params], from a slice of floating-point
// numbers, whose blocks follow one another. The scale of a block is its largest magnitude / 127, or its element of the
// largest magnitude / -8 if integers have 4 bits, rounded to the dtype of the numbers. An integer is the number divided
// by the scale, rounded half to even. The scales of ggml's Q8_0 and Q4_0 are the same, and those of LLM.int8()
// (Dettmers and others, 2022). With minima, the minimum is the block's least number, and the scale is the distance from
// there to the largest one / 255 or 15, as in ggml's Q4_1. A number that is not finite is an error, and
// so is a block without a finite scale.
func (f Format) Quantize(values any) (held []any, err error) {
	t, _ := graph.DTypeOfSlice(values)
	none := func(v float32) float32 { return v }
	switch values := values.(type) {
	case []float32:
		return quantize(f, values, none, func(v []float32) any { return v })
	case []float64:
		return quantize(f, values, func(v float64) float64 { return v }, func(v []float64) any { return v })
	case []half.Float16:
		return quantize(f, half.ToFloat32(values), func(v float32) float32 { return half.NewFloat16(v).Float32() },
			func(v []float32) any { return half.ToFloat16(v) })
	case []half.BFloat16:
		return quantize(f, half.ToFloat32(values), func(v float32) float32 { return half.NewBFloat16(v).Float32() },
			func(v []float32) any { return half.ToBFloat16(v) })
	}
	return nil, fmt.Errorf("numbers of dtype %s have no scales", t)
}

// quantize is Quantize with scales that a function rounds, and another one makes the slice of the dtype of.
func quantize[T float32 | float64](f Format, values []T, round func(T) T, narrow func([]T) any) ([]any, error) {
	for i, v := range values {
		if v-v != 0 {
			return nil, fmt.Errorf("element %d is %g, and a block with it has no scale", i, v)
		}
	}
	levels := make([]int16, len(values))
	scales, minima := make([]T, len(values)/f.Block), make([]T, len(values)/f.Block)
	for b := range scales {
		from, to := values[b*f.Block:][:f.Block], levels[b*f.Block:][:f.Block]
		least, most := rules[f.Bits].least, rules[f.Bits].most
		if f.HasMinima {
			least, most = 0, 1<<f.Bits-1
			scales[b], minima[b] = spread(from, T(most))
		} else {
			scales[b] = scaleOf(from, rules[f.Bits])
		}
		switch scales[b] = round(scales[b]); {
		case scales[b] == 0:
			continue // they are alike, or too small
		case scales[b]-scales[b] != 0:
			return nil, fmt.Errorf("elements %d to %d reach too far for a scale", b*f.Block, (b+1)*f.Block-1)
		}
		for i, v := range from {
			level := (v - minima[b]) / scales[b]
			to[i] = int16(math.RoundToEven(float64(min(max(level, T(least)), T(most)))))
		}
	}
	held := []any{f.Store(levels), narrow(scales)}
	if f.HasMinima {
		held = append(held, narrow(minima))
	}
	return held, nil
}

// scaleOf returns the scale of a block without minimum.
func scaleOf[T float32 | float64](block []T, of rule) T {
	var largest T
	for _, v := range block {
		if max(v, -v) > max(largest, -largest) {
			largest = v
		}
	}
	if of.least == -of.most {
		largest = max(largest, -largest)
	}
	return largest / T(of.first)
}

// spread returns the scale and the minimum of a block whose integers reach from 0 to most.
func spread[T float32 | float64](block []T, most T) (scale, minimum T) {
	minimum, largest := block[0], block[0]
	for _, v := range block {
		minimum, largest = min(minimum, v), max(largest, v)
	}
	return (largest - minimum) / most, minimum
}

// Store returns integers as the parameter for them holds them: of 4 bits, two in a byte, the first in the lower half,
// as ops.PackInt4 does.
func (f Format) Store(levels []int16) any {
	switch {
	case f.Bits == 4:
		packed := make([]uint8, len(levels)/2)
		for i := range packed {
			packed[i] = uint8(levels[2*i])&0x0f | uint8(levels[2*i+1])<<4
		}
		return packed
	case f.HasMinima:
		bytes := make([]uint8, len(levels))
		for i, q := range levels {
			bytes[i] = uint8(q)
		}
		return bytes
	}
	bytes := make([]int8, len(levels))
	for i, q := range levels {
		bytes[i] = int8(q)
	}
	return bytes
}
