package eager

import "math"

// kind describes a dtype: its place in promotion, tens by category, its bits, and for a floating-point type the bits of
// its fraction and its least exponent.
type kind struct {
	order, bits     int
	unsigned        bool
	fraction, least int
	most            float64
}

var kinds = map[DType]kind{
	Bool:  {order: 0},
	Uint8: {order: 10, bits: 8, unsigned: true}, Int8: {order: 11, bits: 8}, Int16: {order: 12, bits: 16},
	Uint16: {order: 13, bits: 16, unsigned: true}, Int32: {order: 14, bits: 32},
	Uint32: {order: 15, bits: 32, unsigned: true},
	Int64:  {order: 16, bits: 64}, Uint64: {order: 17, bits: 64, unsigned: true},
	Float16:  {order: 20, bits: 16, fraction: 10, least: -14, most: 65504},
	BFloat16: {order: 21, bits: 16, fraction: 7, least: -126, most: math.Ldexp(255, 120)},
	Float32:  {order: 22, bits: 32, fraction: 23, least: -126, most: math.MaxFloat32},
	Float64:  {order: 23, bits: 64, fraction: 52, least: -1022, most: math.MaxFloat64},
}

// isNarrow reports whether elements are floating-point numbers of 16 bits.
func (t DType) isNarrow() bool { return t == Float16 || t == BFloat16 }

// IsWide reports whether t is one of the dtypes that nearly all operations take.
func (t DType) IsWide() bool {
	return t == Bool || t == Int32 || t == Int64 || t == Float32 || t == Float64
}

// fit wraps a whole number around to the dtype.
func (t DType) fit(i int64) int64 {
	switch t {
	case Uint8:
		return int64(uint8(i))
	case Int8:
		return int64(int8(i))
	case Int16:
		return int64(int16(i))
	case Uint16:
		return int64(uint16(i))
	case Int32:
		return int64(int32(i))
	case Uint32:
		return int64(uint32(i))
	}
	return i // of Uint64 the bits
}

// nearest rounds a number to the dtype, half to even.
func (t DType) nearest(v float64) float64 {
	switch k := kinds[t]; {
	case t == Float64 || v == 0 || !finite(v):
		return v
	case t == Float32:
		return float64(float32(v))
	default:
		return k.nearest(float64(float32(v))) // in which it is computed
	}
}

// nearest rounds a number to those of a kind, half to even.
func (k kind) nearest(v float64) float64 {
	_, exp := math.Frexp(v)
	unit := math.Ldexp(1, max(exp-1, k.least)-k.fraction)
	if v = math.Copysign(math.RoundToEven(v/unit)*unit, v); math.Abs(v) > k.most {
		return math.Inf(int(math.Copysign(1, v)))
	}
	return v
}

// turned returns a number that compares with others as a whole number of the dtype does.
func (t DType) turned(i int64) int64 {
	if t == Uint64 {
		return i ^ math.MinInt64
	}
	return i
}

// number returns a whole number of the dtype as a floating-point number.
func (t DType) number(i int64) float64 {
	if t == Uint64 {
		return float64(uint64(i))
	}
	return float64(i)
}

// common returns the dtype to which two operands of one kind are promoted.
func common(a, b DType) DType {
	low, high := a, b
	if kinds[low].order > kinds[high].order {
		low, high = high, low
	}
	barely := func(t DType) bool { return t == Uint16 || t == Uint32 || t == Uint64 }
	switch {
	case low == high || high.IsFloat() && !low.IsFloat():
		return high
	case low == Float16 && high == BFloat16:
		return Float32
	case low.IsFloat():
		return high
	case barely(low) || barely(high):
		refuse("%s beside %s", low, high)
	case low == Uint8 && high == Int8:
		return Int16
	}
	return high
}
