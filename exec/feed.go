package exec

import (
	"reflect"
	"slices"

	"gorgonia.org/tensor"

	"github.com/broadloom/broadloom/exec/internal/engine"
	"github.com/broadloom/broadloom/graph"
)

// Feed returns the values of inputs for one run: each a *tensor.Dense, an [Array], or,
// for a scalar, a Go number or bool.
type Feed map[*graph.Node]any

// Array is a value as a plain slice in row-major order with its shape. Data is a
// []float32, []float64, []int32, []int64, []int or []bool. It can hold what
// tensor.Dense cannot: values without elements.
type Array struct {
	Shape []int
	Data  any
}

// Clone returns a copy that has memory of its own: what a run has left in the session's
// memory is kept by it beyond the next run.
func (a Array) Clone() Array {
	a.Shape = slices.Clone(a.Shape)
	if d := reflect.ValueOf(a.Data); d.Kind() == reflect.Slice && !d.IsNil() {
		c := reflect.MakeSlice(d.Type(), d.Len(), d.Len())
		reflect.Copy(c, d)
		a.Data = c.Interface()
	}
	return a
}

// take finds the memory of what is given for a value of dtype t.
func take(m *engine.Memory, v any, t graph.DType) error {
	switch v := v.(type) {
	case Array:
		return m.SetSlice(v.Shape, v.Data)
	case *tensor.Dense:
		return m.SetDense(v)
	}
	return m.SetNumber(v, t)
}
