package exec

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// operand is what a kernel reads or writes in memory.
type operand struct {
	base   *graph.Node  // whose memory; nil for a size of the program
	layout graph.Layout // over the kernel's domain, in the memory of base
	// undecided marks axes on which the size of from decides when sizes are bound: 1
	// is repeated.
	undecided []bool
	from      graph.Shape
	size      graph.Dim // the size itself, where base is nil
	write     bool
}

// fault is what a failing check in a kernel means.
type fault struct {
	message string
	node    *graph.Node
}

// lowerPass writes each kernel as a row program, or notes the operands of a kernel of
// another class.
func lowerPass(u *unit) error {
	users := map[*graph.Node][]*graph.Node{}
	for _, n := range u.order {
		for _, x := range n.Operands() {
			users[x] = append(users[x], n)
		}
	}
	roots := map[*graph.Node]bool{}
	for _, n := range u.roots {
		roots[n] = true
	}
	for _, k := range u.kernels {
		if k.class != graph.Elementwise {
			if err := u.lowerSingle(k); err != nil {
				return err
			}
			continue
		}
		l := lowering{u: u, k: k, p: &part{domain: k.domain}, users: users, roots: roots, values: map[*graph.Node]rowprog.Value{}}
		if err := l.run(); err != nil {
			return &BugError{Pass: "lower", Node: k.nodes[0], Err: err}
		}
	}
	return nil
}

// lowering writes one kernel's row program.
type lowering struct {
	u      *unit
	k      *kernel
	p      *part
	b      *rowprog.Builder
	users  map[*graph.Node][]*graph.Node
	roots  map[*graph.Node]bool
	values map[*graph.Node]rowprog.Value
	node   *graph.Node // whose meaning is being written
	axisOf []int       // the program's axis of each axis of the domain, -1 where it has size 1
}

func (l *lowering) run() error {
	l.arrange()
	outer := max(len(l.p.axes)-1, 0)
	if outer > rowprog.MaxOuter {
		return fmt.Errorf("%d axes that cannot be merged, more than %d", outer+1, rowprog.MaxOuter+1)
	}
	l.b = rowprog.NewBuilder(l.k.nodes[0].Label(), outer)
	for _, n := range l.k.nodes {
		l.node = n
		if n.Op().Class == graph.Reduce {
			l.reduce(n, ops.Axes(n), reducedLayout(n))
			continue
		}
		in := make([]graph.Value, len(n.Operands()))
		for i := range in {
			in[i] = graph.Value(l.operandValue(n, i))
		}
		l.values[n] = rowprog.Value(n.Op().Emit(l, n, in))
		if n.Op().Class == graph.Update || l.isNeeded(n) {
			l.store(n, operand{base: n, layout: shapeinfer.LayoutOf(n), write: true})
		}
	}
	return l.finish()
}

// isNeeded reports whether an elementwise node must be in memory: it is a result, or
// somebody does not take it from a register.
func (l *lowering) isNeeded(n *graph.Node) bool {
	if l.roots[n] {
		return true
	}
	for _, user := range l.users[n] {
		if !l.k.member[user] {
			return true
		}
		for i, x := range user.Operands() {
			if x == n && !takenFromRegister(user, i) {
				return true
			}
		}
	}
	return false
}

func takenFromRegister(n *graph.Node, i int) bool { return (&fuser{}).inRegister(n, i) }

// operandValue gives operand i of n: the value just computed, a number, or a load.
func (l *lowering) operandValue(n *graph.Node, i int) rowprog.Value {
	x := n.In(i)
	if v, ok := l.values[x]; ok && l.k.member[x] && takenFromRegister(n, i) {
		return v
	}
	if v, ok := x.ScalarValue(); ok {
		return rowprog.Value(l.constant(x, v))
	}
	layout := shapeinfer.LayoutOf(x)
	kinds := n.Stretch(i)
	o := operand{base: shapeinfer.Viewed(x), layout: shapeinfer.BroadcastView(layout, l.p.domain, kinds)}
	for axis, kind := range kinds {
		if kind == graph.Undecided {
			if o.undecided == nil {
				o.undecided, o.from = make([]bool, len(kinds)), make(graph.Shape, len(kinds))
			}
			o.undecided[axis], o.from[axis] = true, x.Shape()[axis-len(kinds)+x.Rank()]
		}
	}
	return l.b.Load(l.operand(o, x.DType(), rowprog.In))
}

// constant writes a number, with all the bits of an integer.
func (l *lowering) constant(x *graph.Node, v float64) graph.Value {
	switch d := x.ConstData().(type) {
	case []int64:
		return graph.Value(l.b.ConstInt(rowprog.I64, d[0]))
	case []int32:
		return graph.Value(l.b.ConstInt(rowprog.I32, int64(d[0])))
	}
	return l.Const(x.DType(), v)
}

// operand gives the program's operand for a place in memory, a new one if need be.
func (l *lowering) operand(o operand, t graph.DType, access rowprog.Access) int {
	if access == rowprog.In {
		for i, old := range l.p.operands {
			if !old.write && old.base == o.base && old.size == o.size && sameLayout(old, o) {
				return i
			}
		}
	}
	l.p.operands = append(l.p.operands, o)
	spec := rowprog.Operand{Name: l.operandName(o), Type: typeOf(t), Access: access, Domain: l.domainOf(o)}
	return l.b.Operand(spec)
}

func (l *lowering) operandName(o operand) string {
	if o.base == nil {
		return o.size.String()
	}
	return o.base.Label()
}

func sameLayout(a, b operand) bool {
	return a.layout.Offset == b.layout.Offset && slices.Equal(a.layout.Strides, b.layout.Strides) && slices.Equal(a.undecided, b.undecided)
}

// domainOf says how often an operand's element changes: once a call, once a row, or
// along the row.
func (l *lowering) domainOf(o operand) rowprog.Domain {
	if o.write {
		return rowprog.Vec
	}
	d := rowprog.Uniform
	for axis, at := range l.axisOf {
		if at < 0 || o.base == nil || o.layout.Strides[axis] == 0 {
			continue
		}
		if at == len(l.p.axes)-1 {
			return rowprog.Vec
		}
		d = rowprog.Row
	}
	return d
}

func (l *lowering) store(n *graph.Node, o operand) {
	l.b.Store(l.operand(o, n.DType(), rowprog.Out), l.values[n])
}

// reduce writes a reduction over axes of the domain: along the row to one value, over
// outer axes into memory.
func (l *lowering) reduce(n *graph.Node, axes []int, result graph.Layout) {
	v := l.operandValue(n, 0)
	kind := reductionOf(n.Op().Fold)
	row, over := l.reducedAxes(axes)
	if row {
		v = l.b.Reduce(kind, v)
	} else if kind.GivesIndex() {
		v = l.b.ConstInt(rowprog.I64, 0) // of one element
	}
	o := operand{base: n, layout: result, write: true}
	spec := rowprog.Operand{Name: n.Label(), Type: typeOf(n.DType()), Access: rowprog.Out, Domain: rowprog.Vec, Reduced: over}
	if row {
		spec.Domain = rowprog.Row
	}
	if over != 0 {
		spec.Access = rowprog.Acc
	}
	l.p.operands = append(l.p.operands, o)
	at := l.b.Operand(spec)
	if over != 0 {
		l.b.Accumulate(at, kind, v)
	} else {
		l.b.Store(at, v)
	}
}

// reducedAxes gives the program's axes that a reduction folds: the row, and outer ones.
func (l *lowering) reducedAxes(axes []int) (row bool, over rowprog.AxisSet) {
	for _, axis := range axes {
		switch at := l.axisOf[axis]; {
		case at < 0:
		case at == len(l.p.axes)-1:
			row = true
		default:
			over |= rowprog.Axes(at)
		}
	}
	return row, over
}

// reducedLayout is the layout of a reduction's result over its operand's axes: a folded
// axis has stride 0.
func reducedLayout(n *graph.Node) graph.Layout {
	result, x := graph.RowMajor(n.Shape()), n.In(0).Shape()
	out := graph.Layout{Shape: x, Strides: make([]graph.Dim, len(x))}
	axes, keep := ops.Axes(n), n.Attrs().(ops.ReduceAttrs).KeepDims
	at := 0
	for axis := range x {
		folded := slices.Contains(axes, axis)
		if !folded {
			out.Strides[axis] = result.Strides[at]
		}
		if !folded || keep {
			at++
		}
	}
	return out
}

func reductionOf(f graph.Fold) rowprog.Reduction {
	switch f {
	case graph.FoldSum:
		return rowprog.Sum
	case graph.FoldProd:
		return rowprog.Prod
	case graph.FoldMax, graph.FoldAny:
		return rowprog.Max
	case graph.FoldMin, graph.FoldAll:
		return rowprog.Min
	case graph.FoldArgMax:
		return rowprog.ArgMax
	case graph.FoldArgMin:
		return rowprog.ArgMin
	}
	return rowprog.NoReduction
}

// typeOf gives the kernels' type of a dtype.
func typeOf(t graph.DType) rowprog.Type {
	switch t {
	case graph.Bool:
		return rowprog.Bool
	case graph.Int32:
		return rowprog.I32
	case graph.Int64:
		return rowprog.I64
	case graph.Float32:
		return rowprog.F32
	case graph.Float64:
		return rowprog.F64
	}
	return rowprog.NoType
}

func dtypeOf(t rowprog.Type) graph.DType {
	for _, d := range graph.DTypes() {
		if typeOf(d) == t {
			return d
		}
	}
	return graph.InvalidDType
}
