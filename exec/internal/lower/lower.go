package lower

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// RuntimeCheck describes a check in a kernel that may fail.
type RuntimeCheck struct {
	Claim graph.Claim
	Node  *graph.Node
	On    fusion.Operand // the claim's operand, over the kernel's iteration space; without Base if there is none
}

// Program is a program during compilation.
type Program struct {
	*rewrite.Program
	Thresholds  Thresholds
	Groups      []*fusion.Group
	Kernels     []Kernel
	Chains      []*Chain // in order
	BufferOf    map[*graph.Node]*Buffer
	Consts      []*graph.Node
	Buffers     []*Buffer
	Kept        map[int]*Kept // by kernel
	KeptBuffers []*Buffer
	builder     rowprog.Builder // of the current row program
	Results     []*Buffer       // of a loop's body: the buffers of its outputs, in order
	Overwrites  []Overwrite     // of a loop's body: which results may use the memory of inputs
	Puts        []Overwrite     // which results are inputs with replaced slices
	// CompileBody compiles the body of a loop.
	CompileBody   func(*rewrite.Program) (*Program, error)
	RuntimeChecks []RuntimeCheck

	rootMemory map[*graph.Node]bool // see isRoot
}

// Lower writes each fused group as a row program, and makes the kernels of other classes.
func Lower(u *Program) error {
	readers := u.readers()
	roots := map[*graph.Node]bool{}
	for _, n := range u.Roots {
		roots[n] = true
	}
	index := make([]int32, len(u.Graph.Nodes()))
	needed := func(k *fusion.Group, n *graph.Node) bool { return roots[n] || k.IsReadInMemory(readers[n.ID()]) }
	for _, k := range u.Groups {
		u.Visit(k.Nodes[0])
		made, err := u.lowerGroup(k, index, needed)
		if err != nil {
			return &bug.Error{Node: k.Nodes[0], Err: err}
		}
		u.Kernels = append(u.Kernels, made)
	}
	return nil
}

// lowerGroup returns the kernel of a group. isNeeded reports whether a value of the group is read from memory.
func (u *Program) lowerGroup(k *fusion.Group, index []int32, isNeeded func(*fusion.Group, *graph.Node) bool) (Kernel,
	error) {
	n := k.Nodes[0]
	switch {
	case k.Class == graph.Elementwise:
		return u.lowerLoop(k, index, isNeeded)
	case k.Class == graph.Contract:
		return &MatMul{k, u.newMatMulSpec(n)}, nil
	case k.Class == graph.Loop:
		return u.lowerRepeat(k)
	case k.Class == graph.Function:
		return &Function{k, newFunctionSpec(n)}, nil
	case n.Op().Indexed:
		return &AddRows{k, newAddRowsSpec(n)}, nil
	case k.Class == graph.Gather:
		return &Gather{k, newGatherSpec(n)}, nil
	case analysis.IsSumTo(n):
		parts, err := u.lowerSumTo(k, n)
		return &Variants{k, parts}, err
	case k.Assembly != nil:
		parts, err := u.lowerAssembly(k, k.Assembly)
		return &Assemble{k, parts}, err
	}
	return nil, fmt.Errorf("no kernel for %s of class %s", n.Op().Name, k.Class)
}

// lowerLoop writes a fused group, and what fills the backgrounds of values in which it stores slices.
func (u *Program) lowerLoop(k *fusion.Group, index []int32, isNeeded func(*fusion.Group, *graph.Node) bool) (*Fused,
	error) {
	made := &Fused{Group: k}
	for _, j := range k.Backgrounds {
		parts, err := u.lowerAssembly(k, j)
		if err != nil {
			return nil, err
		}
		made.Parts = append(made.Parts, parts...)
	}
	l := Lowering{u: u, k: k, p: &Loop{Space: k.Space}}
	l.plan = newStages(k, index, func(n *graph.Node) bool { return isNeeded(k, n) })
	loop, err := l.run()
	made.Parts = append(made.Parts, loop)
	return made, err
}

// Lowering writes one kernel's row program.
type Lowering struct {
	u      *Program
	k      *fusion.Group
	p      *Loop
	b      *rowprog.Builder
	plan   *stages
	values []rowprog.Value               // by index in the kernel, then by stage; None while unknown
	node   *graph.Node                   // the node that is being emitted
	in     []graph.Value                 // its operands' values
	firsts map[*graph.Node]rowprog.Value // by node that picks: the first element of the row
	axisOf []int                         // by axis of the iteration space: the program's axis, or -1 if it has size 1
}

func (l *Lowering) run() (*Loop, error) {
	l.collapseAxes()
	outer := max(len(l.p.Axes)-1, 0)
	if outer > rowprog.MaxOuter {
		return nil, fmt.Errorf("%d axes that cannot be merged, more than %d", outer+1, rowprog.MaxOuter+1)
	}
	l.b = l.u.builder.Reset(l.k.Nodes[0].Label(), outer)
	l.b.DivisorCode(l.divisorCode)
	l.b.Row(l.rowLength())
	l.values = slices.Repeat([]rowprog.Value{rowprog.None}, len(l.plan.nodes)*(l.plan.count+1))
	for s := range l.plan.count + 1 {
		if 0 < s && s < l.plan.count {
			l.b.NextStage()
		}
		for _, n := range l.k.Nodes {
			l.finishNode(n, s)
		}
	}
	return l.finish()
}

// rowLength returns the number of elements of a row; 0 if it is unknown.
func (l *Lowering) rowLength() int {
	if len(l.p.Axes) == 0 {
		return 0
	}
	n := int64(1)
	for _, axis := range l.p.Axes[len(l.p.Axes)-1] {
		size, known := l.k.Space[axis].Int()
		if !known {
			return 0
		}
		n *= size
	}
	return int(n)
}

// finishNode emits a node's reduction or stores in a stage.
func (l *Lowering) finishNode(n *graph.Node, s int) {
	plan := l.plan.at(n)
	if plan.stored == s && n.Op().Class == graph.Reduce {
		l.reduceNode(n, s)
		return
	}
	if plan.stored == s {
		layout := l.k.OverSpace(alias.LayoutOf(n), l.k.LevelFor(n))
		l.b.Store(l.result(n, fusion.Operand{Base: n, Layout: layout, Write: true}, l.plan.access(n)), l.value(n, s))
	}
	if plan.stage == s {
		for _, o := range l.k.Forwarded[n] {
			l.p.Operands = append(l.p.Operands, o)
			l.b.Store(l.b.Out(l.operandName(o), TypeOf(n.DType()), rowprog.Vec), l.value(n, s))
		}
	}
	if plan.slot != nil && l.plan.first(n) == s {
		l.b.Store(l.spillSlot(plan.slot), l.value(n, s))
	}
}

// result returns the operand to which a node is stored.
func (l *Lowering) result(n *graph.Node, o fusion.Operand, access rowprog.Access) int {
	for i, old := range l.p.Operands {
		if old.Write && old.Base == n {
			return i
		}
	}
	l.p.Operands = append(l.p.Operands, o)
	spec := rowprog.Operand{Name: l.operandName(o), Type: TypeOf(n.DType()), Access: access, Domain: rowprog.Vec}
	if l.k.LevelFor(n) == fusion.PerRow {
		spec.Domain = rowprog.Row
	}
	return l.b.Operand(spec)
}

// spillSlot returns the operand in whose memory a value is spilled for later stages.
func (l *Lowering) spillSlot(of *graph.Node) int {
	return l.result(of, fusion.Operand{Base: of, Layout: graph.RowMajor(l.k.Space), Write: true}, rowprog.InOut)
}

// value returns a node's value in a stage: computed there or before, or loaded from where an earlier stage stored it.
func (l *Lowering) value(n *graph.Node, s int) rowprog.Value {
	known := l.known(n, s)
	if *known != rowprog.None {
		return *known
	}
	v := rowprog.None
	if l.k.Registers[n] == fusion.PerElement && !l.plan.computes(n, s) {
		slot := n
		if other := l.plan.at(n).slot; other != nil {
			slot = other
		}
		v = l.b.Load(l.spillSlot(slot))
	} else {
		in := make([]graph.Value, len(n.Operands()))
		for i := range in {
			// Fill does not read its first operand, and elements of a table are picked.
			if i > 0 || !n.Op().Fill && n.Op().Class != graph.Gather {
				in[i] = graph.Value(l.operandValue(n, i, s))
			}
		}
		l.u.Visit(n)
		l.node, l.in = n, in
		l.b.GuardInRows(l.k.LevelFor(n) == fusion.PerElement && l.rowsMayBeEmpty())
		v = rowprog.Value(l.emit(n, in))
	}
	*known = v
	return v
}

// known returns the entry for a node's value in a stage. Values of rows are in stage 0.
func (l *Lowering) known(n *graph.Node, s int) *rowprog.Value {
	if l.k.Registers[n] == fusion.PerRow {
		s = 0
	}
	return &l.values[int(l.plan.index[n.ID()])*(l.plan.count+1)+s]
}

// rowsMayBeEmpty reports whether a row of the program may have no elements.
func (l *Lowering) rowsMayBeEmpty() bool {
	if len(l.p.Axes) == 0 {
		return false
	}
	return slices.ContainsFunc(l.p.Axes[len(l.p.Axes)-1], func(axis int) bool {
		n, static := l.k.Space[axis].Int()
		return !static || n == 0
	})
}

// operandValue returns operand i of n in a stage: a value of the kernel, a number, or a
// load.
func (l *Lowering) operandValue(n *graph.Node, i, s int) rowprog.Value {
	x, level := n.In(i), l.k.LevelFor(n)
	if l.k.InRegister(n, level, i) {
		return l.value(alias.Viewed(x), s)
	}
	if v, ok := x.ScalarValue(); ok {
		return rowprog.Value(l.constant(x, v))
	}
	return l.b.Load(l.operand(l.loaded(n, level, i), x.DType(), rowprog.In))
}

// loaded describes operand i of n as it is read from memory.
func (l *Lowering) loaded(n *graph.Node, level fusion.Level, i int) fusion.Operand {
	x, kinds := n.In(i), n.Stretch(i)
	if n.Op().Class == graph.Reduce {
		kinds = nil
	}
	o := fusion.Operand{Base: alias.Viewed(x), Layout: l.k.Read(n, level, i)}
	for axis, kind := range kinds {
		if kind == graph.Undecided {
			if o.Undecided == nil {
				o.Undecided, o.From = make([]bool, len(l.k.Space)), make(graph.Shape, len(l.k.Space))
			}
			o.Undecided[axis], o.From[axis] = true, x.Shape()[axis-len(kinds)+x.Rank()]
		}
	}
	return o
}

// constant emits a number, with all bits of an integer.
func (l *Lowering) constant(x *graph.Node, v float64) graph.Value {
	if x.DType().IsInt() {
		_, whole := graph.NumberAt(x.ConstData(), 0)
		return graph.Value(l.b.ConstInt(TypeOf(x.DType()), whole))
	}
	return l.Const(x.DType(), v)
}

// operand returns the program's operand for some memory. It adds one if necessary.
func (l *Lowering) operand(o fusion.Operand, t graph.DType, access rowprog.Access) int {
	if access == rowprog.In {
		for i, old := range l.p.Operands {
			if !old.Write && old.Base == o.Base && old.Size == o.Size && fusion.SameLayout(old, o) {
				return i
			}
		}
	}
	l.p.Operands = append(l.p.Operands, o)
	spec := rowprog.Operand{Name: l.operandName(o), Type: TypeOf(t), Access: access, Domain: l.domainOf(o)}
	return l.b.Operand(spec)
}

func (l *Lowering) operandName(o fusion.Operand) string {
	if o.Base == nil {
		return o.Size.String()
	}
	return o.Base.Label()
}

// domainOf says how often an operand's element changes: once per call, once per row, or along the row.
func (l *Lowering) domainOf(o fusion.Operand) rowprog.Domain {
	if o.Write || len(l.p.Axes) == 0 && o.Base != nil {
		return rowprog.Vec // the row is the element
	}
	d := rowprog.Uniform
	for axis, at := range l.axisOf {
		if at < 0 || o.Base == nil || o.Layout.Strides[axis] == 0 {
			continue
		}
		if at == len(l.p.Axes)-1 {
			return rowprog.Vec
		}
		d = rowprog.Row
	}
	return d
}

// reduceNode emits a reduction of the kernel.
func (l *Lowering) reduceNode(n *graph.Node, s int) {
	v := l.operandValue(n, 0, s)
	layout := l.k.OverSpace(fusion.ReducedLayout(n), l.k.LevelFor(n))
	if _, kept := l.k.Registers[n]; !kept {
		l.reduce(n, v, n.Op().Axes(n), layout)
		return
	}
	v = l.b.Reduce(reductionOf(n.Op().Fold), v)
	*l.known(n, 0) = v
	if l.plan.at(n).needed {
		l.b.Store(l.reduced(n, layout, true, 0), v)
	}
}

// reduce emits the reduction of v over axes of the iteration space: along the row to a single value, over outer axes
// into memory.
func (l *Lowering) reduce(n *graph.Node, v rowprog.Value, axes []int, result graph.Layout) {
	kind := reductionOf(n.Op().Fold)
	rowsOnly := l.k.LevelFor(n) == fusion.PerRow
	if rowsOnly {
		axes = slices.DeleteFunc(slices.Clone(axes), func(axis int) bool { return axis >= l.k.Row })
	}
	row, over := l.reducedAxes(axes)
	switch {
	case row:
		v = l.b.Reduce(kind, v)
	case kind.GivesIndex():
		v = l.b.ConstInt(rowprog.I64, 0) // the only element
	}
	at := l.reduced(n, result, row || rowsOnly, over)
	if over != 0 {
		if kind == rowprog.MaxNumber {
			kind = rowprog.Max
		}
		l.b.Accumulate(at, kind, v)
	} else {
		l.b.Store(at, v)
	}
}

// reduced adds the operand for a reduction's result.
func (l *Lowering) reduced(n *graph.Node, result graph.Layout, row bool, over rowprog.AxisSet) int {
	spec := rowprog.Operand{Name: n.Label(), Type: TypeOf(n.DType()), Access: rowprog.Out, Domain: rowprog.Vec,
		Reduced: over}
	if row {
		spec.Domain = rowprog.Row
	}
	if over != 0 {
		spec.Access = rowprog.Acc
	}
	l.p.Operands = append(l.p.Operands, fusion.Operand{Base: n, Layout: result, Write: true})
	return l.b.Operand(spec)
}

// reducedAxes returns the program's axes that a reduction folds: the row, and outer ones.
func (l *Lowering) reducedAxes(axes []int) (row bool, over rowprog.AxisSet) {
	for _, axis := range axes {
		switch at := l.axisOf[axis]; {
		case at < 0:
		case at == len(l.p.Axes)-1:
			row = true
		default:
			over |= rowprog.Axes(at)
		}
	}
	return row, over
}
