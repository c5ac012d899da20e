package graph

import (
	"slices"
	"sync"
)

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

// IsView reports whether the node shows its operand's elements where they lie. A
// movement that strides cannot express is a copy.
func (n *Node) IsView() bool {
	_, ok := n.view()
	return ok
}

// Layout gives where the node's elements lie in the memory that they live in: for a view
// and a write that of an operand.
func (n *Node) Layout() Layout {
	if n.op.Class == Update || n.op.Class == Version {
		return n.in[0].Layout()
	}
	if l, ok := n.view(); ok {
		return l
	}
	return RowMajor(n.shape)
}

// view gives the node's layout if it is a view.
func (n *Node) view() (Layout, bool) {
	if n.op.View == nil || !n.judged || n.bad != nil {
		return Layout{}, false
	}
	if n.g == nil {
		return n.arranged()
	}
	return n.g.views.of(n)
}

// arranged asks the operation for the node's layout. One that fails at it, or gives another
// rank, has none: the check tells the user.
func (n *Node) arranged() (l Layout, ok bool) {
	defer func() {
		if recover() != nil {
			l, ok = Layout{}, false
		}
	}()
	l, ok = n.op.View(n, n.in[0].Layout())
	return l, ok && len(l.Shape) == len(n.shape) && len(l.Strides) == len(n.shape)
}

// viewCache keeps the layouts of views, which passes ask for again and again. The zero
// value is ready for use, by several goroutines.
type viewCache struct {
	sync.Mutex
	known map[*Node]viewed
}

type viewed struct {
	layout Layout
	ok     bool
}

func (c *viewCache) of(n *Node) (Layout, bool) {
	c.Lock()
	v, known := c.known[n]
	c.Unlock()
	if !known {
		v.layout, v.ok = n.arranged()
		v.layout.Shape, v.layout.Strides = slices.Clip(v.layout.Shape), slices.Clip(v.layout.Strides) // appending copies
		c.Lock()
		if c.known == nil {
			c.known = map[*Node]viewed{}
		}
		c.known[n] = v
		c.Unlock()
	}
	return v.layout, v.ok
}
