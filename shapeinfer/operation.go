package shapeinfer

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/panicked"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// An operation states many things about itself. Mistakes in these are found here, with the user's line, before a pass
// relies on them.

// CheckOperations returns the mistakes in the definitions of the nodes' operations: a field that the class needs is
// missing, or what a function returns for a node contradicts other fields. Each operation is reported once. The
// requirements are those that the nodes left to binding.
func CheckOperations(nodes []*graph.Node, requirements []graph.Requirement) (wrong []*graph.Mistake) {
	told := map[*graph.Op]bool{}
	required := map[*graph.Node]bool{}
	for _, need := range requirements {
		required[need.Node] = true
	}
	for _, n := range nodes {
		if judgesNothing(n) && !told[n.Op()] {
			m := n.Op().NotWhole("Infer returns neither dtype nor shape, and reports no mistake")
			m.Node, told[n.Op()] = n, true
			wrong = append(wrong, m)
		}
		if !n.Judged() || n.Err() != nil || told[n.Op()] || hasUnknown(n.Operands()) {
			continue
		}
		if m := operationMistake(n, required[n]); m != nil {
			told[n.Op()] = true
			wrong = append(wrong, m)
		}
	}
	return wrong
}

// judgesNothing reports whether a rule has left a node without dtype and shape, though nothing is wrong in the whole
// graph.
func judgesNothing(n *graph.Node) bool {
	return n.DType() == graph.InvalidDType && n.Err() == nil && len(n.Graph().Mistakes()) == 0 &&
		n.Op().Class != graph.Loop
}

// hasUnknown reports whether a mistake has left a size of some values unknown. What an operation then returns says
// nothing about its definition.
func hasUnknown(values []*graph.Node) bool {
	return slices.ContainsFunc(values, func(x *graph.Node) bool { return slices.Contains(x.Shape(), graph.UnknownDim) })
}

func operationMistake(n *graph.Node, required bool) *graph.Mistake {
	if m := n.ChangedMeaning(); m != nil {
		return m
	}
	c := operationCheck{n: n, op: n.Op(), required: required}
	c.guarded("the operation", c.run)
	if c.wrong == "" {
		return nil
	}
	m := n.Op().NotWhole(c.wrong)
	m.Node = n
	if c.help != "" {
		m.Help = []string{c.help}
	}
	return m
}

// operationCheck checks the operation of one node. It keeps the first mistake.
type operationCheck struct {
	n           *graph.Node
	op          *graph.Op
	required    bool // requirements of the node are left to binding
	wrong, help string
}

func (c *operationCheck) fail(help, format string, args ...any) {
	if c.wrong == "" {
		c.wrong, c.help = fmt.Sprintf(format, args...), help
	}
}

// want fails unless a condition holds, and reports whether it does.
func (c *operationCheck) want(ok bool, format string, args ...any) bool {
	if !ok {
		c.fail("", format, args...)
	}
	return ok
}

// guarded calls a function of the operation. A panic is a mistake in its definition.
func (c *operationCheck) guarded(what string, run func()) {
	defer func() {
		if p := recover(); p != nil {
			c.fail("", "%s %s", what, panicked.Text(p))
		}
	}()
	run()
}

func (c *operationCheck) run() {
	operands := len(c.n.Operands())
	switch class := c.op.Class; class {
	case graph.Source:
		if !c.n.IsInput() && !c.n.IsParam() && !c.n.IsConst() {
			c.fail("set its field Class: class source is for inputs, parameters and constants", "it has class %s",
				class)
		}
	case graph.Elementwise, graph.Update:
		if c.want(!c.op.Indexed, "Indexed is set, which is for passes of the compiler") &&
			c.want(c.op.Emit != nil, "Emit is missing, which class %s needs", class) &&
			c.want(class == graph.Elementwise || operands > 0, "class %s needs an operand that it writes", class) {
			c.broadcasts()
			c.leaves()
		}
	case graph.Reduce:
		if c.want(c.op.Fold.Valid(), "there is no reduction: %s", c.op.Fold) &&
			c.want(c.op.Fold != graph.NoFold, "Fold is missing, which class reduce needs") && c.takes(1) {
			c.reduces()
		}
	case graph.Movement:
		if c.want((c.op.View == nil) != (c.op.Assemble == nil), "class movement needs one of View and Assemble") {
			c.moves()
		}
	case graph.Contract:
		c.takes(2)
	case graph.Gather:
		if c.want(c.op.Axes != nil, "Axes is missing, which class gather needs") && c.takes(2) {
			c.gathers()
		}
	case graph.Composite:
		if c.want(c.op.Expand != nil, "Expand is missing, which class composite needs") && c.op.Aligned != nil {
			c.aligns()
		}
	case graph.Function:
		if c.want(c.op.Function != nil && c.op.Core != nil, "Function or Core is missing, which class function needs") {
			c.batches()
		}
	case graph.Version:
		c.takes(2)
	case graph.Loop:
		_, known := c.n.Loop()
		c.want(known, "class loop is reserved for nodes that ops.Scan builds")
	default:
		c.fail("", "its class does not exist: %s", class)
	}
	c.misplaced()
}

// misplaced refuses fields that are for another class: nothing would read them, or something would rely on them.
func (c *operationCheck) misplaced() {
	moves, isFunction := c.op.Class == graph.Movement, c.op.Class == graph.Function
	c.want(!c.op.Ordered || isFunction || c.op.Class == graph.Loop, "Ordered is set, which is for class function")
	c.want(!c.op.AsStored || isFunction, "AsStored is set, which is for class function")
	c.want(!c.op.Together || isFunction && !c.op.Ordered,
		"Together is set, which is for class function without order")
	for _, field := range []struct {
		name  string
		set   bool
		class graph.Class
		fits  bool
	}{
		{"View", c.op.View != nil, graph.Movement, moves},
		{"Assemble", c.op.Assemble != nil, graph.Movement, moves},
		{"Waits", c.op.Waits, graph.Movement, moves && c.op.View != nil},
		{"Expand", c.op.Expand != nil, graph.Composite, c.op.Class == graph.Composite},
		{"Function", c.op.Function != nil, graph.Function, isFunction},
		{"Emit", c.op.Emit != nil, graph.Elementwise, c.op.Class == graph.Elementwise || c.op.Class == graph.Update},
		{"Fold", c.op.Fold != graph.NoFold, graph.Reduce, c.op.Class == graph.Reduce || c.op.Class == graph.Gather},
	} {
		if field.set && !field.fits {
			c.fail("", "%s is set, which is for class %s, but it has class %s", field.name, field.class, c.op.Class)
		}
	}
}

// aligns requires that Aligned returns axes that exist.
func (c *operationCheck) aligns() {
	for i, x := range c.n.Operands() {
		var axes []int
		c.guarded("Aligned", func() { axes = c.op.Aligned(c.n, i) })
		isNone := func(axis int) bool { return axis < -1 || axis >= c.n.Rank() }
		c.want(len(axes) == x.Rank() && !slices.ContainsFunc(axes, isNone),
			"Aligned returns %v for operand %d: it must return an axis of %s, or -1, for each of %s", axes, i,
			c.n.Shape(), x.Shape())
	}
}

// batches requires that the axes of the batch, before those of an example, are the same in all operands
// and the result.
func (c *operationCheck) batches() {
	var core []int
	result := 0
	c.guarded("Core", func() { core, result = c.op.Core(c.n) })
	isComplete := len(core) == len(c.n.Operands()) && 0 <= result && result <= c.n.Rank()
	if !c.want(isComplete, "Core returns %v and %d: it must return a number of axes for each of %d operands, and for %s",
		core, result, len(c.n.Operands()), c.n.Shape()) {
		return
	}
	batch := c.n.Shape()[:c.n.Rank()-result]
	c.want(!c.op.Ordered || len(batch) == 0,
		"Core returns %d of the %d axes of the result: an ordered operation must take all", result, c.n.Rank())
	for i, x := range c.n.Operands() {
		if !c.want(0 <= core[i] && core[i] <= x.Rank(), "Core returns %d axes for operand %d, of shape %s", core[i], i,
			x.Shape()) {
			continue
		}
		of := x.Shape()[:x.Rank()-core[i]]
		c.want(len(of) == 0 || !c.differ(of, batch), "the batch axes are %s in operand %d, but %s in the result", of, i,
			batch)
	}
}

func (c *operationCheck) takes(operands int) bool {
	given := len(c.n.Read())
	return c.want(given == operands, "class %s takes %d operands, but it got %d", c.op.Class, operands, given)
}

// differ reports whether two shapes are not proved to be equal. Sizes that the node leaves to binding may be equal.
func (c *operationCheck) differ(a, b graph.Shape) bool {
	if len(a) != len(b) {
		return true
	}
	for axis := range a {
		if c.sizesDiffer(a[axis], b[axis]) {
			return true
		}
	}
	return false
}

func (c *operationCheck) sizesDiffer(a, b graph.Dim) bool {
	if a == b || a.IsUnknown() || b.IsUnknown() {
		return false
	}
	g := c.n.Graph() // in which another node may already have required that they are equal
	if a, b = g.Settled(a), g.Settled(b); a == b {
		return false
	}
	v := prove.NewProver(g.Bounds).Equal(a, b)
	return v == prove.Refused || v == prove.Deferred && !c.required
}

// broadcasts requires that the result has the shape to which its operands are repeated, as the node records it.
func (c *operationCheck) broadcasts() {
	const help = "return rules.BroadcastOperands(c) from Infer: it returns the shape, and records how operands are repeated"
	for i, x := range c.n.Operands() {
		if !c.isRepeated(x, c.n.Stretch(i)) {
			c.fail(help, "Infer gives shape %s, to which %s is not repeated", c.n.Shape(), x.Shape())
			return
		}
	}
}

// isRepeated reports whether an operand, repeated as recorded for its axes, has the node's shape.
func (c *operationCheck) isRepeated(x *graph.Node, kinds []graph.AxisKind) bool {
	if kinds == nil {
		kinds = make([]graph.AxisKind, x.Rank())
	}
	lead := len(kinds) - x.Rank()
	if len(kinds) != c.n.Rank() || lead < 0 {
		return false
	}
	for axis, kind := range kinds {
		if kind == graph.Same && (axis < lead || c.sizesDiffer(x.Shape()[axis-lead], c.n.Shape()[axis])) {
			return false
		}
	}
	return true
}

// leaves requires that Identity does not panic.
func (c *operationCheck) leaves() {
	if c.op.Identity == nil {
		return
	}
	for i := range c.n.Operands() {
		c.guarded("Identity", func() { c.op.Identity(c.n.DType(), i) })
	}
}

func (c *operationCheck) axes() (axes []int) {
	c.guarded("Axes", func() { axes = c.op.Axes(c.n) })
	return axes
}

func (c *operationCheck) reduces() {
	x, wanted := c.n.In(0), c.n.In(0).DType()
	switch c.op.Fold {
	case graph.FoldAny, graph.FoldAll:
		wanted = graph.Bool
	case graph.FoldArgMax, graph.FoldArgMin:
		wanted = graph.Int64
	}
	if !c.want(c.n.DType() == wanted, "Infer returns dtype %s, but the reduction %s of %s gives %s", c.n.DType(),
		c.op.Fold, x.DType(), wanted) {
		return
	}
	if c.op.Axes == nil {
		c.want(c.n.Rank() == x.Rank(), "Axes is missing, but the result's rank differs from the operand's")
		return
	}
	axes := c.axes()
	for i, axis := range axes {
		isInOrder := 0 <= axis && axis < x.Rank() && (i == 0 || axes[i-1] < axis)
		if !c.want(isInOrder, "Axes returns %v for an operand with %d axes: they must count from 0, in ascending order",
			axes, x.Rank()) {
			return
		}
	}
	if c.differ(c.n.Shape(), rules.Reduced(x.Shape(), axes, false)) &&
		c.differ(c.n.Shape(), rules.Reduced(x.Shape(), axes, true)) {
		c.fail("return rules.Reduced from Infer", "Infer returns shape %s, but axes %v of %s are reduced", c.n.Shape(),
			axes, x.Shape())
	}
}

func (c *operationCheck) gathers() {
	unites := slices.Contains([]graph.Fold{graph.FoldSum, graph.FoldProd, graph.FoldMax, graph.FoldMin}, c.op.Fold)
	if !c.want(unites || c.op.Fold == graph.NoFold, "a gather cannot combine elements by %s", c.op.Fold) ||
		!c.want(c.n.In(1).DType().IsIndex(), "the indices are of dtype %s", c.n.In(1).DType()) ||
		!c.want(c.n.DType() == c.n.In(0).DType(), "Infer returns dtype %s, but its elements have dtype %s", c.n.DType(),
			c.n.In(0).DType()) {
		return
	}
	from, picked := c.n.In(0).Shape(), c.n.Shape()
	if unites {
		from, picked = picked, from
	}
	axes := c.axes()
	isOfFrom := len(axes) == 1 && 0 <= axes[0] && axes[0] < len(from)
	if !c.want(isOfFrom, "Axes returns %v: it must return one axis of %s", axes, from) {
		return
	}
	want := slices.Concat(from[:axes[0]], c.n.In(1).Shape(), from[axes[0]+1:])
	c.want(!c.differ(picked, want),
		"Infer returns shape %s: with indices of shape %s along axis %d, %s must meet %s, not %s", c.n.Shape(),
		c.n.In(1).Shape(), axes[0], from, want, picked)
}
