package exec

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
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
	claim graph.Claim
	node  *graph.Node
	on    operand // the one that the claim is about, over the kernel's domain; without base if none
}

// unit is a program under compilation.
type unit struct {
	*rewriting
	thresholds thresholds
	groups     []*group
	kernels    []kernel
	storageOf  map[*graph.Node]*storage
	consts     []*graph.Node
	storages   []*storage
	builder    rowprog.Builder // of the program that is being written
	faults     []fault
}

// lowerPass writes each kernel as a row program, or notes the operands of a kernel of
// another class.
func lowerPass(u *unit) error {
	readers := u.readers()
	roots := map[*graph.Node]bool{}
	for _, n := range u.roots {
		roots[n] = true
	}
	index := make([]int32, len(u.g.Nodes()))
	needed := func(k *group, n *graph.Node) bool { return roots[n] || k.isReadInMemory(n, readers[n.ID()]) }
	for _, k := range u.groups {
		u.at = k.nodes[0]
		made, err := u.lowerGroup(k, index, needed)
		if err != nil {
			return &invalid{node: k.nodes[0], err: err}
		}
		u.kernels = append(u.kernels, made)
	}
	return nil
}

// lowerGroup gives the kernel that carries out a group. isNeeded says of a value of the group
// whether somebody takes it from memory.
func (u *unit) lowerGroup(k *group, index []int32, isNeeded func(*group, *graph.Node) bool) (kernel, error) {
	n := k.nodes[0]
	switch {
	case k.class == graph.Elementwise:
		return u.lowerLoop(k, index, isNeeded)
	case k.class == graph.Contract:
		return &matmul{k, newProduct(n)}, nil
	case k.class == graph.Gather:
		return &gathering{k, newPicking(n)}, nil
	case isSumTo(n):
		parts, err := u.lowerSumTo(k, n)
		return &variants{k, parts}, err
	case k.joining != nil:
		parts, err := u.lowerJoining(k, k.joining)
		return &assembly{k, parts}, err
	}
	return nil, fmt.Errorf("no kernel for %s of class %s", n.Op().Name, k.class)
}

// lowerLoop writes a fused group, and what fills the gaps of values that it leaves pieces of.
func (u *unit) lowerLoop(k *group, index []int32, isNeeded func(*group, *graph.Node) bool) (*loopKernel, error) {
	made := &loopKernel{group: k}
	for _, j := range k.fills {
		parts, err := u.lowerJoining(k, j)
		if err != nil {
			return nil, err
		}
		made.parts = append(made.parts, parts...)
	}
	l := lowering{u: u, k: k, p: &part{domain: k.domain}}
	l.plan = newStages(k, index, func(n *graph.Node) bool { return isNeeded(k, n) })
	loop, err := l.run()
	made.parts = append(made.parts, loop)
	return made, err
}

// reader is an operand of a node.
type reader struct {
	node    *graph.Node
	operand int
}

// readers lists who reads each value, directly or through views, by the values' numbers.
func (u *unit) readers() [][]reader {
	readers := make([][]reader, len(u.g.Nodes()))
	for _, n := range u.order {
		if shapeinfer.IsView(n) {
			continue
		}
		for i, x := range n.Operands() {
			at := shapeinfer.Viewed(x).ID()
			readers[at] = append(readers[at], reader{node: n, operand: i})
		}
	}
	for _, n := range u.roots {
		if x := shapeinfer.Viewed(n); x != n {
			readers[x.ID()] = append(readers[x.ID()], reader{node: n})
		}
	}
	return readers
}

// isReadInMemory reports whether somebody does not take a value from a register.
func (k *group) isReadInMemory(n *graph.Node, readers []reader) bool {
	for _, r := range readers {
		if k.isLeftFor(n, r) {
			continue
		}
		if !slices.Contains(k.nodes, r.node) || !k.inRegister(r.node, k.levelFor(r.node), r.operand) {
			return true
		}
	}
	return false
}

// levelFor says how often the kernel computes what a member takes.
func (k *group) levelFor(n *graph.Node) level {
	if n.Op().Class == graph.Reduce {
		return k.levelOf(n.In(0).Shape())
	}
	return k.levelOf(n.Shape())
}

// lowering writes one kernel's row program.
type lowering struct {
	u      *unit
	k      *group
	p      *part
	b      *rowprog.Builder
	plan   *stages
	values []rowprog.Value // by the number of a node in the kernel, then by stage; None until known
	node   *graph.Node     // whose meaning is being written
	in     []graph.Value   // its operands' values
	axisOf []int           // the program's axis of each axis of the domain, -1 where it has size 1
}

func (l *lowering) run() (*part, error) {
	l.arrange()
	outer := max(len(l.p.axes)-1, 0)
	if outer > rowprog.MaxOuter {
		return nil, fmt.Errorf("%d axes that cannot be merged, more than %d", outer+1, rowprog.MaxOuter+1)
	}
	l.b = l.u.builder.Reset(l.k.nodes[0].Label(), outer)
	l.b.DivisorCode(l.divisorCode)
	l.values = slices.Repeat([]rowprog.Value{rowprog.None}, len(l.k.nodes)*(l.plan.count+1))
	for s := range l.plan.count + 1 {
		if 0 < s && s < l.plan.count {
			l.b.NextStage()
		}
		for _, n := range l.k.nodes {
			l.finishNode(n, s)
		}
	}
	return l.finish()
}

// finishNode writes what a stage does for a node: its reduction, or its stores.
func (l *lowering) finishNode(n *graph.Node, s int) {
	plan := l.plan.at(n)
	if plan.stored == s && n.Op().Class == graph.Reduce {
		l.reduceNode(n, s)
		return
	}
	if plan.stored == s {
		layout := l.k.overDomain(shapeinfer.LayoutOf(n), l.k.levelFor(n))
		l.b.Store(l.result(n, operand{base: n, layout: layout, write: true}, l.plan.access(n)), l.value(n, s))
	}
	if plan.stage == s {
		for _, o := range l.k.seats[n] {
			l.p.operands = append(l.p.operands, o)
			l.b.Store(l.b.Out(l.operandName(o), typeOf(n.DType()), rowprog.Vec), l.value(n, s))
		}
	}
	if plan.home != nil && l.plan.first(n) == s {
		l.b.Store(l.home(plan.home), l.value(n, s))
	}
}

// result gives the operand into which a node is stored.
func (l *lowering) result(n *graph.Node, o operand, access rowprog.Access) int {
	for i, old := range l.p.operands {
		if old.write && old.base == n {
			return i
		}
	}
	l.p.operands = append(l.p.operands, o)
	spec := rowprog.Operand{Name: l.operandName(o), Type: typeOf(n.DType()), Access: access, Domain: rowprog.Vec}
	if l.k.levelFor(n) == perRow {
		spec.Domain = rowprog.Row
	}
	return l.b.Operand(spec)
}

// home gives the operand in whose memory a value waits for later stages.
func (l *lowering) home(of *graph.Node) int {
	return l.result(of, operand{base: of, layout: graph.RowMajor(l.k.domain), write: true}, rowprog.InOut)
}

// value gives a node's value in a stage: computed there or before, or loaded from where
// an earlier stage has left it.
func (l *lowering) value(n *graph.Node, s int) rowprog.Value {
	known := l.known(n, s)
	if *known != rowprog.None {
		return *known
	}
	v := rowprog.None
	if l.k.registers[n] == perElement && !l.plan.computes(n, s) {
		home := n
		if other := l.plan.at(n).home; other != nil {
			home = other
		}
		v = l.b.Load(l.home(home))
	} else {
		in := make([]graph.Value, len(n.Operands()))
		for i := range in {
			if i > 0 || !n.Op().Fill { // whose old value is of no account
				in[i] = graph.Value(l.operandValue(n, i, s))
			}
		}
		l.node, l.in, l.u.at = n, in, n
		l.b.GuardInRows(l.k.levelFor(n) == perElement && l.rowsMayBeEmpty())
		v = rowprog.Value(n.Op().Emit(l, n, in))
	}
	*known = v
	return v
}

// known gives the place of a node's value in a stage; those of rows are in stage 0.
func (l *lowering) known(n *graph.Node, s int) *rowprog.Value {
	if l.k.registers[n] == perRow {
		s = 0
	}
	return &l.values[int(l.plan.index[n.ID()])*(l.plan.count+1)+s]
}

// rowsMayBeEmpty reports whether a row of the program may have no elements.
func (l *lowering) rowsMayBeEmpty() bool {
	if len(l.p.axes) == 0 {
		return false
	}
	return slices.ContainsFunc(l.p.axes[len(l.p.axes)-1], func(axis int) bool {
		n, static := l.k.domain[axis].Int()
		return !static || n == 0
	})
}

// operandValue gives operand i of n in a stage: a value of the kernel, a number, or a
// load.
func (l *lowering) operandValue(n *graph.Node, i, s int) rowprog.Value {
	x, level := n.In(i), l.k.levelFor(n)
	if l.k.inRegister(n, level, i) {
		return l.value(shapeinfer.Viewed(x), s)
	}
	if v, ok := x.ScalarValue(); ok {
		return rowprog.Value(l.constant(x, v))
	}
	return l.b.Load(l.operand(l.loaded(n, level, i), x.DType(), rowprog.In))
}

// loaded describes operand i of n as it is read from memory.
func (l *lowering) loaded(n *graph.Node, level level, i int) operand {
	x, kinds := n.In(i), n.Stretch(i)
	if n.Op().Class == graph.Reduce {
		kinds = nil
	}
	o := operand{base: shapeinfer.Viewed(x), layout: l.k.read(n, level, i)}
	for axis, kind := range kinds {
		if kind == graph.Undecided {
			if o.undecided == nil {
				o.undecided, o.from = make([]bool, len(l.k.domain)), make(graph.Shape, len(l.k.domain))
			}
			o.undecided[axis], o.from[axis] = true, x.Shape()[axis-len(kinds)+x.Rank()]
		}
	}
	return o
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
	return a.layout.Offset == b.layout.Offset && slices.Equal(a.layout.Strides, b.layout.Strides) &&
		slices.Equal(a.undecided, b.undecided) && slices.Equal(a.from, b.from)
}

// domainOf says how often an operand's element changes: once a call, once a row, or
// along the row.
func (l *lowering) domainOf(o operand) rowprog.Domain {
	if o.write || len(l.p.axes) == 0 && o.base != nil {
		return rowprog.Vec // the element is the row
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

// reduceNode writes a reduction of the kernel.
func (l *lowering) reduceNode(n *graph.Node, s int) {
	v := l.operandValue(n, 0, s)
	layout := l.k.overDomain(reducedLayout(n), l.k.levelFor(n))
	if _, kept := l.k.registers[n]; !kept {
		l.reduce(n, v, n.Op().Axes(n), layout)
		return
	}
	v = l.b.Reduce(reductionOf(n.Op().Fold), v)
	*l.known(n, 0) = v
	if l.plan.at(n).needed {
		l.b.Store(l.reduced(n, layout, true, 0), v)
	}
}

// reduce writes the reduction of v over axes of the domain: along the row to one value,
// over outer axes into memory.
func (l *lowering) reduce(n *graph.Node, v rowprog.Value, axes []int, result graph.Layout) {
	kind := reductionOf(n.Op().Fold)
	rowsOnly := l.k.levelFor(n) == perRow
	if rowsOnly {
		axes = slices.DeleteFunc(slices.Clone(axes), func(axis int) bool { return axis >= l.k.row })
	}
	row, over := l.reducedAxes(axes)
	switch {
	case row:
		v = l.b.Reduce(kind, v)
	case kind.GivesIndex():
		v = l.b.ConstInt(rowprog.I64, 0) // of one element
	}
	at := l.reduced(n, result, row || rowsOnly, over)
	if over != 0 {
		l.b.Accumulate(at, kind, v)
	} else {
		l.b.Store(at, v)
	}
}

// reduced makes the operand of a reduction's result.
func (l *lowering) reduced(n *graph.Node, result graph.Layout, row bool, over rowprog.AxisSet) int {
	spec := rowprog.Operand{Name: n.Label(), Type: typeOf(n.DType()), Access: rowprog.Out, Domain: rowprog.Vec, Reduced: over}
	if row {
		spec.Domain = rowprog.Row
	}
	if over != 0 {
		spec.Access = rowprog.Acc
	}
	l.p.operands = append(l.p.operands, operand{base: n, layout: result, write: true})
	return l.b.Operand(spec)
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
