package language

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest"
)

// sizes are the sizes of names; the first ones are drawn most often.
var sizes = []int{3, 2, 4, 1, 0, 5, 8, 17, 33}

// most bounds the elements of an input.
const most = 1 << 14

// feeds draws sizes and the elements of all inputs.
func (p *program) feeds(r *rand.Rand) (feed exec.Feed, at map[string]int64, err error) {
	at = map[string]int64{}
	largest := len(sizes)
	for {
		for _, name := range p.g.DimNames() {
			at[name] = int64(sizes[min(r.IntN(largest), r.IntN(largest))])
		}
		feed, err = exec.Feed{}, nil
		fits := true
		for _, x := range p.g.Inputs() {
			shape, count := make([]int, x.Rank()), 1
			for i, d := range x.Shape() {
				v, errSize := d.Eval(func(name string) (int64, bool) { n, known := at[name]; return n, known })
				if errSize != nil || v < 0 {
					return nil, at, fmt.Errorf("the size %s: %w", d, errSize)
				}
				shape[i] = int(v)
				count *= shape[i]
			}
			if fits = fits && count <= most; fits {
				feed[x] = exec.Array{Shape: shape, Data: elements(r, x.DType(), shape, count)}
			}
		}
		if fits {
			return feed, at, nil
		}
		largest = max(1, largest-1)
	}
}

// special are numbers with special cases in functions.
var special = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 0.5, 1e-40, 1e30, -1e-3,
	65504, 3e38}

// elements draws numbers of a kind, mostly ones that every operation accepts.
func elements(r *rand.Rand, t graph.DType, shape []int, count int) any {
	numbers := make([]float64, count)
	kind, last := r.IntN(8), len(shape)-1
	isSquare := last >= 1 && shape[last] == shape[last-1]
	for i := range numbers {
		switch {
		case !t.IsFloat() && kind < 6:
			numbers[i] = float64(r.IntN(2))
		case !t.IsFloat() && t.IsUnsigned():
			numbers[i] = float64(r.IntN(7))
		case !t.IsFloat():
			numbers[i] = float64(r.IntN(10) - 4)
		case isSquare && i%shape[last] == i/shape[last]%shape[last] && kind < 5:
			numbers[i] = 1 + r.Float64()
		case kind < 4:
			numbers[i] = float64(i%5+1)/8 + r.Float64()/32
		case kind == 4:
			numbers[i] = 0.05 + 0.9*r.Float64()
		case kind == 5 && r.IntN(3) == 0:
			numbers[i] = special[r.IntN(len(special))]
		default:
			numbers[i] = 2 * r.NormFloat64()
		}
	}
	return difftest.Elements(t, numbers)
}

// nan represents the bits of all NaN.
const nan = 1

// bits returns the bits of all elements; floating-point numbers as float64.
func bits(a exec.Array) []uint64 {
	v := reflect.ValueOf(a.Widened().Data)
	list := make([]uint64, v.Len())
	for i := range list {
		switch x := v.Index(i); {
		case x.Kind() == reflect.Bool && x.Bool():
			list[i] = 1
		case x.CanInt():
			list[i] = uint64(x.Int())
		case x.CanUint():
			list[i] = x.Uint()
		case x.CanFloat():
			if list[i] = math.Float64bits(x.Float()); math.IsNaN(x.Float()) {
				list[i] = nan
			}
		}
	}
	return list
}

// nearly reports whether arrays differ only by rounding: floating-point numbers by a small part of the greatest one.
func nearly(x, y []exec.Array) bool {
	for k := range x {
		if !slices.Equal(x[k].Shape, y[k].Shape) || !nearlyOne(x[k], y[k]) {
			return false
		}
	}
	return true
}

func nearlyOne(x, y exec.Array) bool {
	a, b := bits(x), bits(y)
	v := reflect.ValueOf(x.Widened().Data)
	if kind := v.Type().Elem().Kind(); kind != reflect.Float32 && kind != reflect.Float64 {
		return slices.Equal(a, b)
	}
	part := map[reflect.Kind]float64{reflect.Uint8: 0.3, reflect.Uint16: 0.05, reflect.Float32: 1e-3,
		reflect.Float64: 1e-3}[reflect.TypeOf(x.Data).Elem().Kind()]
	most := 0.
	for _, v := range b {
		if size := math.Abs(math.Float64frombits(v)); v != nan && !math.IsInf(size, 0) {
			most = max(most, size)
		}
	}
	for i := range a {
		d := math.Abs(math.Float64frombits(a[i]) - math.Float64frombits(b[i]))
		if a[i] != b[i] && (a[i] == nan || b[i] == nan || !(d <= part*most)) {
			return false
		}
	}
	return true
}
