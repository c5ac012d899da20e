package graph

// Layout says where a view's elements lie in the storage of its root, in elements:
// element (i0, i1, …) is at Offset + i0*Strides[0] + i1*Strides[1] + …. A stride may be 0
// (the axis is repeated), negative (it runs backwards), or less than what it steps over
// (windows that overlap). Strides and offset are expressions like sizes, so that a view
// of a value whose size is known only at run time still has an exact layout.
type Layout struct {
	Shape   Shape
	Strides []Dim
	Offset  Dim
}

// RowMajor is the layout of a value stored densely, last axis innermost.
func RowMajor(s Shape) Layout {
	l := Layout{Shape: s, Strides: make([]Dim, len(s))}
	step := Dim(1)
	for i := len(s) - 1; i >= 0; i-- {
		l.Strides[i] = step
		step = step.Times(s[i])
	}
	return l
}

// IsRowMajor reports whether l is provably dense from its root's first element on.
// Strides of axes of size 1 do not matter.
func (l Layout) IsRowMajor() bool { return l.Offset == 0 && l.IsDense() }

// IsDense reports whether l is provably dense from its own first element on.
func (l Layout) IsDense() bool {
	step := Dim(1)
	for i := len(l.Shape) - 1; i >= 0; i-- {
		if l.Shape[i] == 1 {
			continue
		}
		if l.Strides[i] != step {
			return false
		}
		step = step.Times(l.Shape[i])
	}
	return true
}
