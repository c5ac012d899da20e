package raw

import (
	"cmp"
	"fmt"
)

// Info describes a tensor in a file.
type Info struct {
	Name  string
	DType DType
	Shape []int
	// Blocks names the format of quantised elements, which Tensor.Read turns into DType; it is empty for others.
	Blocks string
	// ScaleBlock is the number of consecutive elements that have a scale, if they are integers times scales, which
	// Tensor.ReadLevels reads; otherwise it is 0. The integers have LevelBits bits. With HasMinima they have no signs,
	// and each block also has a minimum, which is added to the products.
	ScaleBlock, LevelBits int
	HasMinima             bool
}

// Stored is how elements are stored: in blocks or as a dtype.
func (i Info) Stored() string { return cmp.Or(i.Blocks, string(i.DType)) }

// Tensor is a tensor in a file.
type Tensor struct {
	Info
	// Read reads the elements, in row-major order: see [Decode].
	Read func() (any, error)
	// ReadLevels reads the integers and the scales of a tensor with a ScaleBlock; it is nil for others.
	ReadLevels func() (Levels, error)
}

// Levels are elements as integers, with a scale and perhaps a minimum for each block of them.
type Levels struct {
	Integers       []int8
	Scales, Minima []float32 // without minima these are nil
}

// Shape turns sizes that [Bytes] accepted into Go's ints.
func Shape(sizes []int64) []int {
	shape := make([]int, len(sizes))
	for i, n := range sizes {
		shape[i] = int(n)
	}
	return shape
}

// CheckShape returns an error if a shape has a negative size, or not as many elements as there are.
func CheckShape(shape []int, d DType, count int) error {
	sizes := make([]int64, len(shape))
	for axis, n := range shape {
		sizes[axis] = int64(n)
	}
	bytes, err := Bytes(d, sizes)
	if err == nil && bytes != int64(count)*int64(d.Bits()/8) {
		err = fmt.Errorf("%d elements, and shape %v", count, shape)
	}
	return err
}
