package importer

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// maxSizes is how many elements a tensor of sizes has at most.
const maxSizes = 4096

// sizes is a tensor of which each element is a size of the program divided by a whole number, which is 1 but for
// floating-point dtypes: a model may halve a size as a float32.
type sizes struct {
	dtype graph.DType
	shape []int
	dims  []graph.Dim
	by    int64
	ends  bool // some elements are beyond [most], which stands in their place: they are bounds of slices, and no data
}

// vector is a vector of Int64.
func vector(dims ...graph.Dim) *sizes {
	return &sizes{dtype: graph.Int64, shape: []int{len(dims)}, dims: dims, by: 1}
}

func scalar(d graph.Dim) *sizes { return &sizes{dtype: graph.Int64, dims: []graph.Dim{d}, by: 1} }

// like has other elements in the same form.
func (s *sizes) like(dims []graph.Dim) *sizes {
	return &sizes{dtype: s.dtype, shape: s.shape, dims: dims, by: s.by}
}

// node computes the elements in each run.
func (s *sizes) node(g *graph.Graph) node {
	if a, ok := s.array(); ok {
		return graph.ConstantOf(g, a.Data, graph.MakeShape(a.Shape...)...)
	}
	if s.ends {
		refuse("a number beyond %d stands among sizes of which data are made", most)
	}
	var list []node
	for _, d := range s.dims {
		list = append(list, ops.Size(g, s.dtype, d))
	}
	y := list[0]
	if len(s.shape) > 0 {
		y = ops.Reshape(ops.Stack(0, list...), graph.MakeShape(s.shape...)...)
	}
	if s.by != 1 {
		y = ops.Div(y, graph.Num(float64(s.by)))
	}
	return y
}

// array returns the elements where all are numbers.
func (s *sizes) array() (exec.Array, bool) {
	if s.ends {
		return exec.Array{}, false
	}
	data := s.dtype.MakeSlice(len(s.dims))
	for i, d := range s.dims {
		n, ok := d.Int()
		if !ok {
			return exec.Array{}, false
		}
		graph.SetNumberAt(data, i, float64(n)/float64(s.by), n)
	}
	return exec.Array{Shape: s.shape, Data: data}, true
}

// sizesOfArray finds whole numbers, or fractions with one divisor of at most 64.
func sizesOfArray(a exec.Array) (*sizes, bool) {
	t, n := graph.DTypeOfSlice(a.Data)
	if n > maxSizes || !t.Valid() {
		return nil, false
	}
	s := &sizes{dtype: t, shape: a.Shape, by: 1}
	for i := range n {
		v, whole := graph.NumberAt(a.Data, i)
		if t.IsFloat() {
			for s.by <= 64 && v*float64(s.by) != math.Trunc(v*float64(s.by)) {
				s.by++
			}
			whole = 0
		}
		if whole > most || whole < -most {
			if whole < 1<<62 && whole > -1<<62 {
				return nil, false
			}
			whole, s.ends = min(max(whole, -most), most), true
		}
		s.dims = append(s.dims, graph.Dim(whole))
	}
	if !t.IsFloat() {
		return s, true
	}
	for i := range n {
		v, _ := graph.NumberAt(a.Data, i)
		v *= float64(s.by)
		if s.by > 64 || v != math.Trunc(v) || math.Abs(v) > most {
			return nil, false
		}
		s.dims[i] = graph.Dim(v)
	}
	return s, true
}

// most is the greatest number that is a size or a position: models use the greatest number of their dtype for "to the
// end", and the far ends of a graph.Dim represent expressions.
const most = 1<<31 - 1

// over brings the elements over another divisor.
func (s *sizes) over(by int64) []graph.Dim {
	if by == s.by {
		return s.dims
	}
	list := make([]graph.Dim, len(s.dims))
	for i, d := range s.dims {
		list[i] = d.Times(graph.Dim(by / s.by))
	}
	return list
}

// isWithin reports whether elements are sizes, or numbers of the dtype that are far from those that represent
// expressions, divided by a divisor that is not large.
func (s *sizes) isWithin() bool {
	low, high := s.dtype.Range()
	if s.by > 1<<20 {
		return false
	}
	for _, d := range s.dims {
		n, isNumber := d.Int()
		switch {
		case !isNumber && (d.IsMisused() || d.IsUnknown() || d == graph.InvalidDim):
			return false
		case isNumber && (n > 1<<40 || n < -1<<40 || float64(n) < low*float64(s.by) || float64(n) > high*float64(s.by)):
			return false
		}
	}
	return true
}

// count is the number of elements of a shape.
func count(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// eachIndex visits the indices of a shape in row-major order.
func eachIndex(shape []int, f func(index []int)) {
	index := make([]int, len(shape))
	for range count(shape) {
		f(index)
		for i := len(shape) - 1; i >= 0; i-- {
			if index[i]++; index[i] < shape[i] {
				break
			}
			index[i] = 0
		}
	}
}

// place is where the element at an index lies in a tensor of a shape, of which axes of size 1 are broadcast, and
// leading axes may lack.
func place(index, shape []int) (at int) {
	index = index[len(index)-len(shape):]
	for i, n := range shape {
		at *= n
		if n != 1 {
			at += index[i]
		}
	}
	return at
}

// picked has, at each place of a shape, the element that at says.
func (s *sizes) picked(shape []int, at func(index []int) int) *sizes {
	y := &sizes{dtype: s.dtype, shape: shape, by: s.by}
	if n, err := elementCount(int64s(shape)); err != nil || n > maxSizes {
		refuse("a tensor of sizes of the shape %v is too large", shape)
	}
	eachIndex(shape, func(index []int) { y.dims = append(y.dims, s.dims[at(index)]) })
	return y
}

// expanded broadcasts to a shape.
func (s *sizes) expanded(shape []int) *sizes {
	return s.picked(shape, func(index []int) int { return place(index, s.shape) })
}

// broadcast is the shape of two that are broadcast together.
func broadcast(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	a = slices.Clone(a)
	for i := range b {
		at := len(a) - len(b) + i
		switch {
		case a[at] == 1:
			a[at] = b[i]
		case b[i] != 1 && b[i] != a[at]:
			refuse("sizes %d and %d do not go together", a[at], b[i])
		}
	}
	return a
}
