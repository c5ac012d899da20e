package nn

import (
	"github.com/broadloom/broadloom/contract"
	"github.com/broadloom/broadloom/graph"
)

// argument is a value that a layer is applied to, as its contract calls it.
type argument struct {
	name  string
	value *graph.Node
	form  string
}

// apply builds what a layer computes, in the scope of its parameters. Messages speak of the call,
// and of what the layer takes: sizes are the sizes in the forms of the arguments. build gets the
// arguments; gives is the form of its result.
func (d *declared) apply(p *Pass, args []argument, sizes map[string]graph.Dim, gives string,
	build func(args []*graph.Node) *graph.Node) (y *graph.Node) {
	values := make([]*graph.Node, len(args))
	for i, a := range args {
		values[i] = a.value
	}
	x := values[0]
	switch {
	case d.g == nil:
		return unbuilt("Apply",
			"the layer was made without a graph: make layers with functions such as nn.NewLinear(g, …)", x)
	case x == nil || x.Graph() != d.g:
		defer d.g.BeginCall(d.scope+".Apply", call{}, values...)()
		return d.refuses(args[0])
	}
	defer d.g.BeginCall(d.scope+".Apply", call{}, values...)()
	if p == nil {
		return unbuilt("Apply", noPass, x)
	}
	if p.g != d.g {
		return unbuilt("Apply", "the pass belongs to a different graph from the layer", x)
	}
	c := contract.New(d.g, d.kind+" "+d.scope)
	for name, size := range sizes {
		if !size.IsUnknown() { // a mistake of the declaration
			c.Let(name, size)
		}
	}
	for i, a := range args {
		if a.value == nil || !a.value.Judged() || a.value.Graph() != d.g {
			return d.refuses(a)
		}
		values[i] = c.Takes(a.name, a.value, a.form)
	}
	d.g.InScope(d.scope, func() { y = build(values) })
	if y.Judged() && gives != "" {
		return c.Gives(y, gives)
	}
	return y
}

// refuses returns the refusal of an argument that is not a value of the layer's graph. A value with a mistake of its
// own causes no further message.
func (d *declared) refuses(a argument) *graph.Node {
	op := &graph.Op{Name: "layer", Func: "Apply", Doc: "a layer of no value", MaxIn: 1}
	op.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		text := d.kind + " " + d.scope + " takes " + a.name + ` as "` + a.form + `", `
		switch {
		case a.value == nil:
			text += "and it is nil"
		case a.value.Graph() == nil:
			text += "and it is a number"
		default:
			text += "a value of graph " + d.g.Name()
		}
		c.Fail(&graph.Mistake{Code: graph.CodeOperand, Summary: text})
		return graph.InvalidDType, nil
	}
	if a.value == nil {
		return graph.ApplyIn(d.g, op, a)
	}
	return graph.Apply(op, a, a.value)
}

// call writes the application of a layer as the user wrote it.
type call struct{}

// Args writes the pass before the values.
func (call) Args(operands []string) []string { return append([]string{"p"}, operands...) }

// argumentOf is the one argument of most layers.
func argumentOf(x *graph.Node, form string) []argument { return []argument{{"x", x, form}} }
