package data

import (
	"fmt"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/weights"
)

// Array makes a column of an array, whose first axis is that of the examples. The memory is used as it is.
func Array(a exec.Array) (Column, error) {
	if len(a.Shape) == 0 {
		return nil, fmt.Errorf("data: a scalar (%T) has no axis of examples", a.Data)
	}
	var c Column
	var err error
	if v, is := a.Data.([]int); is {
		c, err = Converted(v, func(i int) int64 { return int64(i) }, a.Shape[1:]...)
	} else if t, _ := graph.DTypeOfSlice(a.Data); t.Valid() {
		c, err = columns[t](a.Data, a.Shape[1:])
	} else {
		return nil, fmt.Errorf("data: an array of %T: its elements have no dtype", a.Data)
	}
	if err == nil && c.Len() != a.Shape[0] {
		return nil, fmt.Errorf("data: shape %v does not match the array's %d examples", a.Shape, c.Len())
	}
	return c, err
}

// columns make a column of a slice of elements.
var columns = map[graph.DType]func(data any, example []int) (Column, error){
	graph.Bool: column[bool], graph.Uint8: column[uint8], graph.Int8: column[int8], graph.Int16: column[int16],
	graph.Uint16: column[uint16],
	graph.Int32:  column[int32], graph.Uint32: column[uint32], graph.Int64: column[int64], graph.Uint64: column[uint64],
	graph.Float8E4M3FN: column[half.Float8E4M3FN], graph.Float8E5M2: column[half.Float8E5M2],
	graph.Float16: column[half.Float16], graph.BFloat16: column[half.BFloat16], graph.Float32: column[float32],
	graph.Float64: column[float64],
}

func column[T Element](data any, example []int) (Column, error) { return Of(data.([]T), example...) }

// File reads a column from a file of NumPy or of safetensors: see [weights.Open]. In a .npy the name is
// empty.
func File(path, name string) (Column, error) {
	f, err := weights.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if tensors := f.Tensors(); name == "" && len(tensors) == 1 {
		name = tensors[0].Name
	}
	a, err := f.Read(name)
	if err != nil {
		return nil, err
	}
	c, err := Array(a)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}
