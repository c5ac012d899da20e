package graph

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Layout describes where a view's elements are in the storage of its root, in elements: element (i0, i1, …) is at
// Offset + i0*Strides[0] + i1*Strides[1] + …. A stride may be 0 (the axis is repeated), negative (it runs backwards),
// or less than what it steps over (windows that overlap). Strides and offset are expressions like sizes, so that a view
// of a value whose size is known only at run time still has an exact layout.
type Layout struct {
	Shape   Shape
	Strides []Dim
	Offset  Dim
}

// RowMajor returns the layout of a dense value, last axis innermost.
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

// IsView reports whether the node is a view of its operand's memory. A movement that strides cannot express is a copy.
func (n *Node) IsView() bool {
	r := n.residence()
	return r != nil && r.isView
}

// Layout returns where the node's elements are in their memory: for a view and a write that of an operand.
func (n *Node) Layout() Layout {
	if r := n.residence(); r != nil {
		return r.layout
	}
	return RowMajor(n.shape)
}

// Viewed follows views to the value that they show.
func (n *Node) Viewed() *Node {
	if r := n.residence(); r != nil && r.isView {
		return r.viewed
	}
	return n
}

// Storage returns the value whose memory holds the node's elements: it follows views, writes and After.
func (n *Node) Storage() *Node {
	if r := n.residence(); r != nil {
		return r.storage
	}
	return n
}

// residence is where the elements of a node lie that may live in its operand's memory.
type residence struct {
	layout  Layout // in storage
	viewed  *Node
	storage *Node
	isView  bool
}

// residence returns the node's residence; nil if the node has memory of its own by its class.
func (n *Node) residence() *residence {
	switch {
	case !n.mayLiveInOperand():
		return nil
	case n.g == nil:
		return n.reside(n.in[0].residence())
	}
	return n.g.residences.of(n)
}

func (n *Node) mayLiveInOperand() bool {
	switch {
	case len(n.in) == 0 || n.in[0] == nil:
		return false
	case n.op.Class == Update || n.op.Class == Version:
		return true
	}
	return n.op.View != nil && n.judged && n.bad == nil
}

// reside finds the residence of a node from that of its first operand.
func (n *Node) reside(operand *residence) *residence {
	x := n.in[0]
	if operand == nil {
		operand = &residence{layout: RowMajor(x.shape), viewed: x, storage: x}
	}
	if n.op.View == nil {
		return &residence{layout: operand.layout, viewed: n, storage: operand.storage}
	}
	l, ok := n.arranged(operand.layout)
	if !ok {
		return &residence{layout: RowMajor(n.shape), viewed: n, storage: n}
	}
	l.Shape, l.Strides = slices.Clip(l.Shape), slices.Clip(l.Strides) // appending copies
	return &residence{layout: l, viewed: operand.viewed, storage: operand.storage, isView: true}
}

// arranged asks the operation for the node's layout, given that of its operand. One that
// fails at it, or gives another rank, has none: the check tells the user.
func (n *Node) arranged(operand Layout) (l Layout, ok bool) {
	defer func() {
		if recover() != nil {
			l, ok = Layout{}, false
		}
	}()
	l, ok = n.op.View(n, operand)
	return l, ok && len(l.Shape) == len(n.shape) && len(l.Strides) == len(n.shape)
}

// residences keeps what passes ask for again and again. The zero value is ready for use, by
// several goroutines.
type residences struct {
	known atomic.Pointer[[]atomic.Pointer[residence]] // by the number of a node of the graph
	sync.RWMutex
	other map[*Node]*residence // of nodes that are only tried out
}

// of finds a residence from those of the operands on which it depends, the first one first:
// chains of views and writes can be long.
func (c *residences) of(n *Node) *residence {
	var chain []*Node
	r := c.get(n)
	for x := n; r == nil; x = x.in[0] {
		if x.g != n.g || !x.mayLiveInOperand() {
			r = x.residence()
			break
		}
		if r = c.get(x); r == nil {
			chain = append(chain, x)
		}
	}
	for _, x := range slices.Backward(chain) {
		r = x.reside(r)
		c.put(x, r)
	}
	return r
}

func (c *residences) get(n *Node) *residence {
	if n.isNumbered() {
		if known := c.known.Load(); known != nil && int(n.id) < len(*known) {
			return (*known)[n.id].Load()
		}
		return nil
	}
	c.RLock()
	defer c.RUnlock()
	return c.other[n]
}

func (c *residences) put(n *Node, r *residence) {
	if known := c.known.Load(); known != nil && n.isNumbered() && int(n.id) < len(*known) {
		(*known)[n.id].Store(r)
		return
	}
	c.Lock()
	defer c.Unlock()
	if !n.isNumbered() {
		if c.other == nil {
			c.other = map[*Node]*residence{}
		}
		c.other[n] = r
		return
	}
	more := make([]atomic.Pointer[residence], max(len(n.g.nodes), 2*int(n.id)))
	if known := c.known.Load(); known != nil {
		for i := range *known {
			more[i].Store((*known)[i].Load())
		}
	}
	more[n.id].Store(r)
	c.known.Store(&more)
}

// truncate forgets all nodes but the first ones.
func (c *residences) truncate(nodes int) {
	c.Lock()
	defer c.Unlock()
	if known := c.known.Load(); known != nil {
		for i := nodes; i < len(*known); i++ {
			(*known)[i].Store(nil)
		}
	}
	c.other = nil
}

// keep forgets all nodes but those that had the given numbers, which they have lost to their places in the list.
func (c *residences) keep(was []int32) {
	c.Lock()
	defer c.Unlock()
	c.other = nil
	known := c.known.Load()
	if known == nil {
		return
	}
	for i := range *known {
		var r *residence
		if i < len(was) && int(was[i]) < len(*known) {
			r = (*known)[was[i]].Load()
		}
		(*known)[i].Store(r)
	}
}

// isNumbered reports whether the node is found in its graph by its number.
func (n *Node) isNumbered() bool { return int(n.id) < len(n.g.nodes) && n.g.nodes[n.id] == n }
