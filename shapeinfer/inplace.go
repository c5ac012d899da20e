package shapeinfer

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// InPlace is the rule of an operation that writes its first operand: the result has the
// destination's shape and dtype, and broadcasting may repeat the other operands only.
func InPlace(c *graph.Call) (graph.DType, graph.Shape) {
	dest := c.Shape(0)
	shapes := make([]graph.Shape, c.NumIn())
	for i := range shapes {
		shapes[i] = c.Shape(i)
	}
	r := CallRules(c)
	b := r.BroadcastShapes(shapes...)
	kinds := make([][]graph.AxisKind, len(shapes))
	if len(b.Clashes) > 0 {
		c.Fail(clashMistake(c, b))
		return c.DType(0), dest
	}
	if m := inPlaceShape(c, r, dest, b.Shape); m != nil {
		c.Fail(m)
		return c.DType(0), dest
	}
	for i, s := range shapes {
		if i > 0 && !s.Equal(dest) {
			kinds[i] = r.Stretch(s, dest)
		}
	}
	c.SetStretch(kinds)
	checkWritable(c)
	for i := 1; i < c.NumIn(); i++ {
		if t := c.DType(i); t.Category() > c.DType(0).Category() {
			m := operandMistake(c, CodeInPlaceDType, fmt.Sprintf("result type %s can't be cast to the desired output type %s", t.TorchName(), c.DType(0).TorchName()))
			m.Help = []string{"compute the result without writing in place, or Cast the operand"}
			c.Fail(m)
		}
	}
	return c.DType(0), dest
}

// inPlaceShape requires that broadcasting leaves the destination's shape as it is.
func inPlaceShape(c *graph.Call, r Rules, dest, result graph.Shape) *graph.Mistake {
	wrong := -1
	var bad []int
	lead := len(result) - len(dest)
	for axis := range lead {
		wrong = axis
		bad = append(bad, axis)
	}
	for axis, d := range dest {
		full := result[lead+axis]
		if d == full || d.IsUnknown() || full.IsUnknown() {
			continue
		}
		switch verdict, _ := r.destination(d, full); verdict {
		case Refused:
			wrong = lead + axis
			bad = append(bad, lead+axis)
		case Deferred:
			c.Require(graph.Requirement{Kind: graph.MustEqual, A: d, B: full, Axis: axis, Why: "an in-place result keeps its shape"})
		}
	}
	if wrong < 0 {
		return nil
	}
	m := operandMistake(c, CodeInPlaceShape, fmt.Sprintf("output with shape %s doesn't match the broadcast shape %s", dest, result))
	m.Operands[0].Text = c.In(0).Op().Func + "   " + c.In(0).Pos().String() + "   written in place"
	if lead > 0 {
		m.Detail = append(m.Detail, "an in-place result cannot gain an axis")
	} else {
		m.Detail = append(m.Detail, ExpandSentence(dest[wrong], result[wrong], wrong))
	}
	m.Help = []string{"write the result elsewhere: r := Add(x, y); or reduce the operand to the destination's shape first"}
	return m
}

// checkWritable refuses to write what is no parameter, or a value derived from one by
// writing.
func checkWritable(c *graph.Call) {
	n := c.In(0)
	for n.Op().Class == graph.Update {
		n = n.In(0)
	}
	if n.Op().Class == graph.Source && !n.IsParam() {
		m := operandMistake(c, CodeImmutable, fmt.Sprintf("%s is %s and cannot be written", n.Label(), article(n.Op().Func)))
		m.Help = []string{"write a parameter, or compute a new value"}
		c.Fail(m)
	}
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
