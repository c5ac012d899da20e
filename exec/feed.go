package exec

import (
	"fmt"
	"reflect"
	"slices"

	"gorgonia.org/tensor"

	"github.com/broadloom/broadloom/exec/internal/memory"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Feed holds the values of inputs for one run. Each is
//
//   - a *tensor.Dense or an [Array], whose memory is used without a copy;
//   - a slice such as []float32, used without a copy too: its shape is the input's, in which at most one size may be
//     unknown;
//   - nested slices or arrays, such as [][]float32, whose elements are copied in each run;
//   - for a scalar, a Go number or bool.
type Feed map[*graph.Node]any

// Array is a value as a plain slice in row-major order with its shape. Data is a slice of one of the types of
// [graph.Element], such as []float32, []uint8 or []half.BFloat16, or a []int. It can hold what
// tensor.Dense cannot: values without elements, and the floating-point types of package half.
type Array struct {
	Shape []int
	Data  any
}

// Clone returns a copy in its own memory: it keeps a result of a run beyond the session's next run.
func (a Array) Clone() Array {
	a.Shape = slices.Clone(a.Shape)
	if d := reflect.ValueOf(a.Data); d.Kind() == reflect.Slice && !d.IsNil() {
		c := reflect.MakeSlice(d.Type(), d.Len(), d.Len())
		reflect.Copy(c, d)
		a.Data = c.Interface()
	}
	return a
}

// Widened returns the array with 16-bit and 8-bit floats converted to []float32, and other elements unchanged.
func (a Array) Widened() Array {
	switch data := a.Data.(type) {
	case []half.Float16:
		a.Data = half.ToFloat32(data)
	case []half.BFloat16:
		a.Data = half.ToFloat32(data)
	case []half.Float8E4M3FN:
		a.Data = half.ToFloat32(data)
	case []half.Float8E5M2:
		a.Data = half.ToFloat32(data)
	}
	return a
}

// take finds the memory of a value given for n. known are the sizes of n's axes, as [knownSizes] returns them, and
// named those that were given to a session.
func take(m *memory.Value, given any, n *graph.Node, known []int, named shapeinfer.Sizes) error {
	switch v := given.(type) {
	case Array:
		return m.SetSlice(v.Shape, v.Data)
	case *tensor.Dense:
		return m.SetDense(v)
	case []int:
		return takeSlice(m, given, len(v), n, known, named)
	}
	if t, count := graph.DTypeOfSlice(given); t.Valid() {
		return takeSlice(m, given, count, n, known, named)
	}
	if r := reflect.ValueOf(given); isList(r) {
		return takeNested(m, r)
	}
	return m.SetNumber(given, n.DType())
}

// feedAs says what to do if a fed value has another dtype than the input.
func feedAs(want, got graph.DType) string {
	return fmt.Sprintf("feed %s, or declare the input as graph.%s", sliceOf(want), got.GoName())
}

// sliceOf formats the Go type of a slice of elements.
func sliceOf(t graph.DType) string {
	if t.IsFloat() && t.Bits() < graph.Float32.Bits() {
		return "[]half." + t.GoName()
	}
	return "[]" + t.String()
}
