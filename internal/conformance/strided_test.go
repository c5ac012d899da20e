package conformance

// strided is a value in memory, as PyTorch has it.
type strided struct {
	cells          []float64 // shared with its views
	shape, strides []int
	offset         int
}

// dense makes a value with memory of its own.
func dense(shape []int, data []float64) *strided {
	m := &strided{cells: data, shape: shape, strides: make([]int, len(shape))}
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		m.strides[i] = step
		step *= shape[i]
	}
	return m
}

// places returns the cell of each element in row-major order.
func (m *strided) places() []int {
	list := []int{m.offset}
	for axis, n := range m.shape {
		var next []int
		for _, at := range list {
			for i := range n {
				next = append(next, at+i*m.strides[axis])
			}
		}
		list = next
	}
	return list
}

func (m *strided) elements() []float64 {
	list := []float64{}
	for _, at := range m.places() {
		list = append(list, m.cells[at])
	}
	return list
}

// view returns another arrangement of the same memory.
func (m *strided) view(shape, strides []int, offset int) *strided {
	return &strided{m.cells, shape, strides, offset}
}

// broadcast repeats the value to a shape without copying.
func (m *strided) broadcast(shape []int) *strided {
	strides := make([]int, len(shape))
	for i := range m.shape {
		if at := len(shape) - len(m.shape) + i; m.shape[i] != 1 {
			strides[at] = m.strides[i]
		}
	}
	return m.view(shape, strides, m.offset)
}

func (m *strided) shares(x *strided) bool { return &m.cells[0] == &x.cells[0] }

// fitsInto reports whether a shape broadcasts into another one as it is.
func fitsInto(x, dest []int) bool {
	if len(x) > len(dest) {
		return false
	}
	for i, n := range x {
		if n != 1 && n != dest[len(dest)-len(x)+i] {
			return false
		}
	}
	return true
}
