package exec

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/broadloom/broadloom/exec/internal/engine"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// takeSlice takes a plain slice, whose shape the value's declaration tells: one size at most may be
// unknown.
func takeSlice(m *engine.Memory, data any, count int, n *graph.Node, known []int, named shapeinfer.Sizes) error {
	shape, each, open := m.OwnShape(n.Rank()), 1, -1
	for axis, size := range known {
		if size < 0 && len(named) > 0 {
			size = namedSize(n.Shape()[axis], named)
		}
		switch {
		case size >= 0:
			shape[axis] = size
			each *= size
		case open >= 0:
			return fmt.Errorf("a slice does not tell the sizes %s and %s of %s: give exec.Array{Shape: …, Data: …}", n.Shape()[open], n.Shape()[axis], n.Shape())
		default:
			open = axis
		}
	}
	switch {
	case open >= 0 && each > 0 && count%each == 0:
		shape[open] = count / each
	case open >= 0 && each == 0:
		return fmt.Errorf("a slice does not tell the size %s of %s, which has no elements: give exec.Array{Shape: …, Data: …}", n.Shape()[open], n.Shape())
	case open >= 0:
		return fmt.Errorf("the slice has %d elements, and %s wants a multiple of %d", count, n.Shape(), each)
	case count != each:
		return fmt.Errorf("the slice has %d elements, and %s wants %d", count, n.Shape(), each)
	}
	return m.SetSlice(shape, data)
}

// knownSizes returns the sizes of a value's axes, -1 where only a run tells.
func knownSizes(n *graph.Node) []int {
	sizes := make([]int, n.Rank())
	for axis, d := range n.Shape() {
		sizes[axis] = -1
		if v, is := n.Graph().Known(d); is {
			sizes[axis] = int(v)
		}
	}
	return sizes
}

// namedSize returns a size that is a name, or -1.
func namedSize(d graph.Dim, named shapeinfer.Sizes) int {
	if names := d.Symbols(); len(names) == 1 && d == graph.SymbolicDim(names[0]) {
		if v, is := named[names[0]]; is {
			return int(v)
		}
	}
	return -1
}

// takeNested takes nested slices and arrays, such as [][]float32, by copying their elements.
func takeNested(m *engine.Memory, v reflect.Value) error {
	shape, elem := []int(nil), v
	for isList(elem) {
		shape = append(shape, elem.Len())
		if elem.Len() == 0 { // sizes behind it are not told, but those of arrays
			if elem = reflect.Zero(elem.Type().Elem()); elem.Kind() == reflect.Slice {
				return errors.New("it has no elements, and so does not tell its sizes: give exec.Array{Shape: …, Data: …}")
			}
			continue
		}
		elem = elem.Index(0)
	}
	kind := elem.Type()
	for k, t := range map[reflect.Kind]reflect.Type{reflect.Float32: reflect.TypeFor[float32](), reflect.Float64: reflect.TypeFor[float64](), reflect.Int32: reflect.TypeFor[int32](),
		reflect.Int64: reflect.TypeFor[int64](), reflect.Int: reflect.TypeFor[int](), reflect.Bool: reflect.TypeFor[bool]()} {
		if kind.Kind() == k {
			kind = t
		}
	}
	all := reflect.MakeSlice(reflect.SliceOf(kind), 0, 0)
	all, err := appendNested(all, v, shape, nil)
	if err != nil {
		return err
	}
	err = m.SetSlice(shape, all.Interface())
	m.Keep = all.Interface()
	return err
}

func isList(v reflect.Value) bool { return v.Kind() == reflect.Slice || v.Kind() == reflect.Array }

// appendNested appends the elements of v, which stands at a place of nested lists and has the given
// shape.
func appendNested(all, v reflect.Value, shape, place []int) (reflect.Value, error) {
	if v.Len() != shape[0] {
		return all, fmt.Errorf("the list at %v has %d elements, and the first one beside it %d: all must have as many", place, v.Len(), shape[0])
	}
	for i := range v.Len() {
		if len(shape) == 1 {
			all = reflect.Append(all, v.Index(i).Convert(all.Type().Elem()))
			continue
		}
		var err error
		if all, err = appendNested(all, v.Index(i), shape[1:], append(place[:len(place):len(place)], i)); err != nil {
			return all, err
		}
	}
	return all, nil
}
