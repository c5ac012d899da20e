package exec

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/memory"
	"github.com/broadloom/broadloom/graph"
)

// basicTypes are the types of numbers and bools by kind. A value of a named type, such as a user's ID, is copied as its
// basic type.
var basicTypes = map[reflect.Kind]reflect.Type{
	reflect.Bool: reflect.TypeFor[bool](), reflect.Float32: reflect.TypeFor[float32](),
	reflect.Float64: reflect.TypeFor[float64](),
	reflect.Int:     reflect.TypeFor[int](), reflect.Int8: reflect.TypeFor[int8](),
	reflect.Int16: reflect.TypeFor[int16](),
	reflect.Int32: reflect.TypeFor[int32](), reflect.Int64: reflect.TypeFor[int64](),
	reflect.Uint8:  reflect.TypeFor[uint8](),
	reflect.Uint16: reflect.TypeFor[uint16](), reflect.Uint32: reflect.TypeFor[uint32](),
	reflect.Uint64: reflect.TypeFor[uint64](),
}

// maxNesting limits the nesting of lists: a list may contain itself.
const maxNesting = 64

// takeNested takes nested slices and arrays, such as [][]float32, by copying their elements.
func takeNested(m *memory.Value, v reflect.Value) error {
	if v.Kind() == reflect.Array { // an addressable copy
		p := reflect.New(v.Type()).Elem()
		p.Set(v)
		v = p
	}
	shape, elem, err := nestedShape(v)
	if err != nil {
		return err
	}
	if basic := basicTypes[elem.Kind()]; basic != nil && !graph.DTypeOfGo(elem).Valid() {
		elem = basic
	}
	list := reflect.SliceOf(elem)
	if err := m.SetSlice([]int{0}, reflect.Zero(list).Interface()); err != nil {
		return err // no dtype has such elements
	}
	count := memory.CountOf(shape)
	all := m.Room(list, count)
	rest, err := copyNested(unsafe.Slice((*byte)(all.UnsafePointer()), count*int(elem.Size())), v, shape,
		make([]int, 0, len(shape)))
	if err != nil {
		return err
	}
	if len(rest) != 0 {
		panic("nested lists do not match their shape")
	}
	err = m.SetSlice(shape, all.Interface())
	m.Keep = all.Interface()
	return err
}

func isList(v reflect.Value) bool { return v.Kind() == reflect.Slice || v.Kind() == reflect.Array }

// nestedShape returns the sizes of nested lists, according to the first list at each level, and the type of elements.
func nestedShape(v reflect.Value) (shape []int, elem reflect.Type, err error) {
	for isList(v) {
		if shape = append(shape, v.Len()); len(shape) > maxNesting {
			return nil, nil, fmt.Errorf("lists are nested more than %d deep", maxNesting)
		}
		if v.Len() > 0 {
			v = v.Index(0)
			continue
		}
		// Further sizes are unknown, except those of arrays.
		if v = reflect.Zero(v.Type().Elem()); v.Kind() == reflect.Slice {
			return nil, nil, errors.New(
				"it has no elements, so its shape is unknown: use exec.Array{Shape: …, Data: …}")
		}
	}
	return shape, v.Type(), nil
}

// copyNested copies the elements of v, a list of the given shape at some place of nested lists, and returns the rest of
// room.
func copyNested(room []byte, v reflect.Value, shape, place []int) ([]byte, error) {
	if v.Len() != shape[0] {
		return nil, fmt.Errorf(
			"the list at %v has %d elements, but the first one at its level has %d: all must have the same number",
			place, v.Len(), shape[0])
	}
	if v.Len() == 0 || v.Type().Elem().Size() == 0 {
		return room, nil
	}
	if len(shape) == 1 {
		size := v.Len() * int(v.Type().Elem().Size())
		copy(room, unsafe.Slice((*byte)(v.Index(0).Addr().UnsafePointer()), size))
		return room[size:], nil
	}
	for i := range v.Len() {
		var err error
		if room, err = copyNested(room, v.Index(i), shape[1:], append(place, i)); err != nil {
			return nil, err
		}
	}
	return room, nil
}
