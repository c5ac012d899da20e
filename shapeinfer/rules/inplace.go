package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// InPlace is the rule of an operation that writes its first operand, given the dtype and the shape of the result as a
// new value. It returns the destination's dtype and shape: broadcasting may repeat only the other operands.
func InPlace(c *graph.Call, result graph.DType, shape graph.Shape) (graph.DType, graph.Shape) {
	dest := c.In(0)
	defer func() {
		if c.Failed() {
			c.SetStretch(nil) // the result has the destination's axes, not those of the broadcast
		}
	}()
	if c.Failed() {
		return dest.DType(), dest.Shape()
	}
	r := CallRules(c)
	rules := []func() *graph.Mistake{
		func() *graph.Mistake { return inPlaceShape(c, r, dest.Shape(), shape) },
		func() *graph.Mistake { return inPlaceDType(c, result) },
		func() *graph.Mistake { return inPlaceTarget(c) },
		func() *graph.Mistake { return inPlaceMemory(c, r) },
	}
	for _, rule := range rules {
		if m := rule(); m != nil {
			c.Fail(m)
			break
		}
	}
	return dest.DType(), dest.Shape()
}

// inPlaceShape requires that broadcasting leaves the destination's shape as it is.
func inPlaceShape(c *graph.Call, r Rules, dest, result graph.Shape) *graph.Mistake {
	var bad []int
	lead := len(result) - len(dest)
	for axis := range lead {
		bad = append(bad, axis)
	}
	for axis, d := range dest {
		full := result[lead+axis]
		if d == full || d.IsUnknown() || full.IsUnknown() {
			continue
		}
		switch verdict, _ := r.destination(d, full); verdict {
		case prove.Refused:
			bad = append(bad, lead+axis)
		case prove.Deferred:
			c.Require(graph.Requirement{Kind: graph.MustEqual, A: d, B: full, Axis: axis,
				Why: "an in-place result keeps its shape"})
		}
	}
	if len(bad) == 0 {
		return nil
	}
	m := operandMistake(c, graph.CodeInPlaceShape,
		"output with shape %s doesn't match the broadcast shape %s", dest, result)
	m.Operands[0].Text = "written in place"
	for i := range m.Operands {
		note, s := &m.Operands[i], c.Shape(i)
		for _, axis := range bad {
			if at := axis - (len(result) - len(s)); at >= 0 && s[at] != 1 {
				note.Bad = append(note.Bad, at)
			}
		}
	}
	last := &m.Operands[len(m.Operands)-1]
	if lead > 0 {
		last.Marks = append(last.Marks, "an in-place result cannot gain an axis")
	} else {
		wrong := bad[len(bad)-1]
		m.Detail = append(m.Detail, ExpandSentence(dest[wrong], result[wrong], wrong))
	}
	return m
}

// inPlaceDType requires that the destination can hold the result: booleans fit into
// integers, and these into floating-point numbers, not the other way.
func inPlaceDType(c *graph.Call, result graph.DType) *graph.Mistake {
	dest := c.DType(0)
	if result.Category() <= dest.Category() {
		return nil
	}
	m := operandMistake(c, graph.CodeInPlaceDType,
		"result type %s can't be cast to the desired output type %s", result.TorchName(), dest.TorchName())
	for i := range m.Operands {
		m.Operands[i].DType = c.DType(i)
	}
	return m
}

// inPlaceTarget refuses to write what is not the program's to change: constants, and
// inputs that were not declared so.
func inPlaceTarget(c *graph.Call) *graph.Mistake {
	n := alias.Storage(c.In(0))
	if n.Op().Class != graph.Source || n.IsParam() || n.IsMutable() {
		return nil
	}
	m := operandMistake(c, graph.CodeImmutable, "%s is %s and cannot be written", n.Called(), article(n.Op().Func))
	m.Help = []string{"write a parameter or a computed value"}
	return m
}

func article(word string) string {
	switch word {
	case "Input":
		return "an input"
	case "Constant":
		return "a constant"
	}
	return "a " + word
}

// inPlaceMemory refuses a destination some of whose elements share a cell, and operands
// that share cells with it at other positions: the result would depend on the order in
// which elements are computed.
func inPlaceMemory(c *graph.Call, r Rules) *graph.Mistake {
	if v := alias.Repeats(prove.NewProver(r.Bounds), c.In(0)); v != prove.Refused && !isFill(c) {
		return selfOverlap(c, alias.LayoutOf(c.In(0)), v)
	}
	for i := 1; i < c.NumIn(); i++ {
		x := c.In(i)
		if alias.State(x) != alias.State(c.In(0)) {
			continue
		}
		if how := r.sharing(c.In(0), x, c.Node().Stretch(i)); how > alias.SharesSame {
			return operandOverlap(c, i, how)
		}
	}
	return nil
}

// isFill reports whether one number is stored in all elements: their order is then of no
// importance.
func isFill(c *graph.Call) bool {
	return c.Op().Fill && c.In(1).Rank() == 0 && alias.Storage(c.In(1)) != alias.Storage(c.In(0))
}

// selfOverlap says which elements of the destination lie in one cell. PyTorch's words are
// "unsupported operation: more than one element of the written-to tensor refers to a
// single memory location. Please clone() the tensor before performing the operation."
func selfOverlap(c *graph.Call, dest graph.Layout, v prove.Verdict) *graph.Mistake {
	name := c.In(0).Called()
	m := operandMistake(c, graph.CodeSelfOverlap, "several elements of %s share a memory cell", name)
	m.Operands = m.Operands[:1]
	note := &m.Operands[0]
	note.Text = "strides (" + strings.Trim(graph.Shape(dest.Strides).String(), "[]") + ")"
	shared := graph.Dim(1)
	for axis, d := range dest.Shape {
		if dest.Strides[axis] == 0 && d != 1 {
			shared = shared.Times(d)
			note.Bad = append(note.Bad, axis)
			note.Marks = append(note.Marks, fmt.Sprintf("axis %d is repeated, not stored", axis))
		}
	}
	if shared != 1 {
		m.Summary = fmt.Sprintf("%s elements of %s share each memory cell", shared, name)
	}
	if v == prove.Deferred {
		m.Detail = append(m.Detail, "whether they do depends on sizes that are not known yet")
	}
	return m
}

// operandOverlap says that operand i shares memory with the destination at other
// positions. PyTorch, where it notices, says "unsupported operation: some elements of the
// input tensor and the written-to tensor refer to a single memory location. Please
// clone() the tensor before performing the operation."
func operandOverlap(c *graph.Call, i int, how alias.Sharing) *graph.Mistake {
	x, dest := c.In(i), c.In(0)
	m := operandMistake(c, graph.CodeOperandOverlap,
		"%s shares memory with %s at other positions", x.Called(), dest.Called())
	m.Operands = []graph.OperandNote{m.Operands[0], m.Operands[i]}
	reason := "the result would depend on the order"
	if how == alias.SharesUndecided {
		reason = fmt.Sprintf("for some sizes %s shares memory with %s at other positions: %s", x.Called(),
			dest.Called(), reason)
	} else if at, from, ok := alias.Conflict(
		alias.LayoutOf(dest), alias.BroadcastView(alias.LayoutOf(x), dest.Shape(), c.Node().Stretch(i))); ok {
		reason = fmt.Sprintf("%s is computed from %s, the cell of %s, which is written too: %s",
			element(dest, at), element(x, unstretched(at, x.Shape())), element(dest, from), reason)
	}
	m.Detail = []string{reason}
	return m
}

// unstretched returns the element of a value of the given shape that is read where it is
// repeated.
func unstretched(at []int64, s graph.Shape) []int64 {
	own := slices.Clone(at[len(at)-len(s):])
	for axis, d := range s {
		if d == 1 {
			own[axis] = 0
		}
	}
	return own
}

// element returns an element in words: "x[0,1]".
func element(x *graph.Node, at []int64) string {
	words := make([]string, len(at))
	for i, index := range at {
		words[i] = fmt.Sprint(index)
	}
	return x.Called() + "[" + strings.Join(words, ",") + "]"
}

// NeedsCopy reports whether y, repeated to the shape of x, shares memory with x at other
// positions, or may do so for some sizes: writing x element by element would change what
// is still to be read.
func NeedsCopy(x, y *graph.Node) bool {
	g := x.Graph()
	if alias.State(x) != alias.State(y) {
		return false
	}
	r := Rules{g.Policy().Names, g.Bounds}
	return r.sharing(x, y, r.Stretch(y.Shape(), x.Shape())) > alias.SharesSame
}

// CopyNote says that an operand was copied because it shares memory with x, which is
// written.
func CopyNote(x, copied *graph.Node) *graph.Mistake {
	return &graph.Mistake{Code: graph.CodeOperandOverlap, Node: copied,
		Summary: fmt.Sprintf("shares memory with %s, which is written, at other positions: it was copied first",
			x.Called())}
}

// sharing compares where the elements of x lie with those of y, repeated to x's shape. What
// is the same element where a size is not 1 is another one where it is.
func (r Rules) sharing(x, y *graph.Node, kinds []graph.AxisKind) alias.Sharing {
	to, from := alias.LayoutOf(x), alias.BroadcastView(alias.LayoutOf(y), x.Shape(), kinds)
	how := alias.Meet(prove.NewProver(r.Bounds), to, from)
	if how == alias.SharesUndecided {
		how = alias.Meet(prove.NewProver(r.given(alias.ViewsOf(x), alias.ViewsOf(y))), to, from)
	}
	if how == alias.SharesSame && slices.Contains(kinds, graph.Undecided) {
		return alias.SharesUndecided
	}
	return how
}

// given returns the bounds of names where what views require of single names holds: that a
// slice ends at element 5 of an axis says that the axis has 5 elements.
func (r Rules) given(views ...[]*graph.Node) graph.BoundsOf {
	least := map[string]int64{}
	nodes := slices.Concat(views...)
	for _, need := range requirementsOf(nodes) {
		names := need.A.Symbols()
		if need.Kind != graph.MustBeAtLeast || len(names) != 1 {
			continue
		}
		coef, rest, linear := need.A.Minus(need.B).Linear(names[0])
		if n, whole := rest.Int(); linear && whole && coef == 1 && n <= 0 {
			least[names[0]] = max(least[names[0]], -n)
		}
	}
	return func(name string) graph.Bounds {
		b := r.Bounds(name)
		b.Min = max(b.Min, least[name])
		return b
	}
}

// requirementsOf lists what the nodes have left to the binding of sizes.
func requirementsOf(nodes []*graph.Node) (needs []graph.Requirement) {
	if len(nodes) == 0 {
		return nil
	}
	for _, need := range nodes[0].Graph().Requirements() {
		if slices.Contains(nodes, need.Node) {
			needs = append(needs, need)
		}
	}
	return needs
}
