package data

import (
	"fmt"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/weights"
)

// Array makes a column of an array, whose first axis is that of the examples. The memory is used as it is.
func Array(a exec.Array) (Column, error) {
	if len(a.Shape) == 0 {
		return nil, fmt.Errorf("data: a scalar (%T) has no axis of examples", a.Data)
	}
	var c Column
	var err error
	switch v := a.Data.(type) {
	case []bool:
		c, err = Of(v, a.Shape[1:]...)
	case []int32:
		c, err = Of(v, a.Shape[1:]...)
	case []int64:
		c, err = Of(v, a.Shape[1:]...)
	case []float32:
		c, err = Of(v, a.Shape[1:]...)
	case []float64:
		c, err = Of(v, a.Shape[1:]...)
	case []int:
		c, err = Converted(v, func(i int) int64 { return int64(i) }, a.Shape[1:]...)
	default:
		return nil, fmt.Errorf("data: an array of %T: the elements are bool, int, int32, int64, float32 or float64", a.Data)
	}
	if err == nil && c.Len() != a.Shape[0] {
		return nil, fmt.Errorf("data: shape %v does not fit the array's %d examples", a.Shape, c.Len())
	}
	return c, err
}

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
