package claims

import (
	"math"
	"strconv"

	"github.com/broadloom/broadloom/graph"
)

// floats are the limits of the floating-point dtypes, and some numbers between. A number that a dtype does not have is
// rounded to one of its own limits.
var floats = []float64{0, math.Copysign(0, -1), 1, -1, 2, 0.5, -0.3, 3, 49, -7.25, 1e-3, 448, 57344, 65504, -65504,
	6e-8, 6.1e-5, 1 << 24, 3.3895314e38,
	math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, -1e-310, math.SmallestNonzeroFloat64, 1.1754944e-38,
	math.MaxFloat64,
	math.Inf(1), math.Inf(-1), math.NaN()}

// integers are those for the integer dtypes. A dtype of fewer bits takes the lower bits.
var integers = []int64{0, 1, -1, 2, 3, -7, 100, math.MaxInt8, math.MinInt8, math.MaxInt16, math.MinInt16, math.MaxInt32,
	math.MinInt32, 1<<53 + 1,
	math.MaxInt64, math.MinInt64}

// edges returns the numbers on which an operation of some dtype is tried.
func edges(t graph.DType) any {
	if t == graph.Bool {
		return []bool{false, true}
	}
	if !t.IsFloat() {
		data := t.MakeSlice(len(integers))
		for i, whole := range integers {
			graph.SetNumberAt(data, i, float64(whole), whole)
		}
		return data
	}
	data := t.MakeSlice(len(floats))
	for i, v := range floats {
		graph.SetNumberAt(data, i, v, 0)
	}
	return data
}

// distinct returns numbers of which no two neighbours are equal.
func distinct(t graph.DType, count int) any {
	data := t.MakeSlice(count)
	for i := range count {
		v := i
		if t == graph.Bool {
			v = i * (i + 1) / 2 % 3 % 2
		}
		graph.SetNumberAt(data, i, float64(v), int64(v))
	}
	return data
}

func lengthOf(data any) int {
	_, count := graph.DTypeOfSlice(data)
	return count
}

// picked returns elements of data by index.
func picked(data any, index []int) any {
	t, _ := graph.DTypeOfSlice(data)
	out := t.MakeSlice(len(index))
	for to, from := range index {
		v, whole := graph.NumberAt(data, from)
		graph.SetNumberAt(out, to, v, whole)
	}
	return out
}

// same reports whether elements have the same bits. All NaNs are equal.
func same(a any, i int, b any, k int) bool {
	v, whole := graph.NumberAt(a, i)
	w, other := graph.NumberAt(b, k)
	return whole == other && (math.Float64bits(v) == math.Float64bits(w) || math.IsNaN(v) && math.IsNaN(w))
}

// text formats an element.
func text(data any, i int) string {
	t, _ := graph.DTypeOfSlice(data)
	v, whole := graph.NumberAt(data, i)
	switch {
	case t == graph.Bool:
		return strconv.FormatBool(whole != 0)
	case t == graph.Uint64:
		return strconv.FormatUint(uint64(whole), 10)
	case !t.IsFloat():
		return strconv.FormatInt(whole, 10)
	case t == graph.Float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 32)
}
