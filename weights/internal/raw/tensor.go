package raw

// Info describes a tensor in a file.
type Info struct {
	Name  string
	DType DType
	Shape []int
}

// Tensor is one in a file.
type Tensor struct {
	Info
	// Read reads the elements, in row-major order: see [Decode].
	Read func() (any, error)
}

// Shape turns sizes that [Bytes] accepted into Go's ints.
func Shape(sizes []int64) []int {
	shape := make([]int, len(sizes))
	for i, n := range sizes {
		shape[i] = int(n)
	}
	return shape
}

// Count returns the number of elements.
func Count(shape []int) int {
	count := 1
	for _, n := range shape {
		count *= n
	}
	return count
}
