package half

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func Example() {
	v := NewFloat16(0.1)
	fmt.Println(v, v.Float32(), NewFloat16(1e6), NewBFloat16(1e6))
	// Output: 0.099976 0.099975586 +Inf 9.994e+05
}

// nearest finds the value by a search in all that there are: the nearest one, of two the one whose last bit is 0.
func nearest(v float64, value func(uint16) float64, infinite uint16) uint16 {
	low, high := uint16(0), infinite // value(low) <= v < value(high), infinity counting as the next power of two
	at := func(b uint16) float64 {
		if b == infinite {
			return 2*value(infinite-1) - value(infinite-2) // as far again as the one before
		}
		return value(b)
	}
	if v >= at(infinite) {
		return infinite
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; v >= at(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	switch below, above := v-at(low), at(high)-v; {
	case below < above || below == above && low&1 == 0:
		return low
	}
	return high
}

func TestEveryFloat16(t *testing.T) {
	value := func(b uint16) float64 { return float64(Float16(b).Float32()) }
	for b := range 1 << 16 {
		h := Float16(b)
		v := h.Float32()
		sign, exponent, fraction := float64(1-2*(b>>15)), b>>10&31, float64(b&1023)
		switch {
		case exponent == 31 && fraction != 0:
			require.True(t, v != v, b)
			require.Equal(t, h|0x200, NewFloat16(v))
			continue
		case exponent == 31:
			require.Equal(t, float32(math.Inf(int(sign))), v)
		case exponent == 0:
			require.Equal(t, float32(sign*math.Ldexp(fraction, -24)), v)
		default:
			require.Equal(t, float32(sign*math.Ldexp(1024+fraction, exponent-25)), v)
		}
		require.Equal(t, h, NewFloat16(v), "%#x", b)
		if b >= 0x7c00 {
			continue
		}
		// What lies around the middle between two neighbours.
		next := 2*value(uint16(b)) - value(uint16(max(b-1, 0)))
		if b+1 < 0x7c00 {
			next = value(uint16(b + 1))
		}
		middle := float32((float64(v) + next) / 2)
		for _, x := range []float32{middle, math.Nextafter32(middle, 0), math.Nextafter32(middle, math.MaxFloat32)} {
			require.Equal(t, Float16(nearest(float64(x), value, 0x7c00)), NewFloat16(x), "%v", x)
			require.Equal(t, NewFloat16(x)|0x8000, NewFloat16(-x), "%v", -x)
		}
	}
}

func TestEveryBFloat16(t *testing.T) {
	value := func(b uint16) float64 { return float64(BFloat16(b).Float32()) }
	for b := range 1 << 16 {
		h := BFloat16(b)
		v := h.Float32()
		if v != v {
			require.Equal(t, h|0x40, NewBFloat16(v))
			continue
		}
		require.Equal(t, h, NewBFloat16(v), "%#x", b)
		if b >= 0x7f7f {
			continue
		}
		middle := math.Float32frombits(uint32(b)<<16 | 0x8000)
		for _, x := range []float32{middle, math.Float32frombits(uint32(b)<<16 | 0x7fff),
			math.Float32frombits(uint32(b)<<16 | 0x8001)} {
			require.Equal(t, BFloat16(nearest(float64(x), value, 0x7f80)), NewBFloat16(x), "%v", x)
		}
	}
	assert.Equal(t, BFloat16(0x7f80), NewBFloat16(math.MaxFloat32), "infinite")
}

func TestSlices(t *testing.T) {
	values := []float32{0, 0.5, -2, float32(math.Inf(-1))}
	assert.Equal(t, values, ToFloat32(ToFloat16(values)))
	assert.Equal(t, values, ToFloat32(ToBFloat16(values)))
	assert.Empty(t, ToFloat32([]Float16(nil)))
	assert.Equal(t, "0.5", NewBFloat16(0.5).String())
}

func BenchmarkToFloat32(b *testing.B) {
	b.Run("float16", func(b *testing.B) { benchmarkToFloat32[Float16](b) })
	b.Run("bfloat16", func(b *testing.B) { benchmarkToFloat32[BFloat16](b) })
}

func benchmarkToFloat32[T Float16 | BFloat16](b *testing.B) {
	values := make([]T, 1<<20)
	for i := range values {
		values[i] = T(i)
	}
	for b.Loop() {
		ToFloat32(values)
	}
}
