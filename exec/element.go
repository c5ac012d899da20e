package exec

import "github.com/broadloom/broadloom/graph"

// element is the meaning of an operation's element, taken down to see what it consists of.
// Value i is what step i gives; the operands come first.
type element struct {
	steps   []elementStep
	result  graph.Value
	indexed bool // it depends on positions
	sized   bool // it depends on sizes that are bound later
	canFail bool // it can stop the run: by a check of its own, or a division of integers
	cost    int  // of its primitives
}

// elementStep is how a value of an element comes about.
type elementStep struct {
	kind   stepKind
	dtype  graph.DType
	prim   graph.Prim
	args   []graph.Value
	number float64
}

type stepKind uint8

const (
	otherStep stepKind = iota
	primStep
	numberStep
)

// examine takes down the meaning of an operation's element.
func examine(n *graph.Node) *element {
	if n.Op().Emit == nil {
		return &element{}
	}
	p := &element{steps: make([]elementStep, 0, len(n.Operands())+2)} // most are of few steps
	in := make([]graph.Value, len(n.Operands()))
	for i, x := range n.Operands() {
		in[i] = p.add(elementStep{dtype: x.DType()})
	}
	defer blame(n)
	p.result = n.Op().Emit(p, n, in)
	return p
}

// dependsOnPosition reports whether an element's value depends on where it stands.
func dependsOnPosition(n *graph.Node) bool { return examine(n).indexed }

// dependsOnSizes reports whether an element's value depends on sizes that are bound later.
func dependsOnSizes(n *graph.Node) bool { return examine(n).sized }

// canFail reports whether an element can stop the run.
func canFail(n *graph.Node) bool { return examine(n).canFail }

// uniform gives the number that stands in every place of what a generator makes; ok is
// false where it makes something else.
func uniform(n *graph.Node) (v float64, ok bool) {
	if n.Op().Class != graph.Elementwise || len(n.Operands()) > 0 {
		return 0, false
	}
	p := examine(n)
	last := p.steps[p.result]
	return last.number, last.kind == numberStep && last.dtype == n.DType() && !p.canFail
}

// addsOperands reports whether an operation gives the sum of its two operands.
func addsOperands(n *graph.Node) bool {
	if n.Op().Class != graph.Elementwise || len(n.Operands()) != 2 {
		return false
	}
	p := examine(n)
	last := p.steps[p.result]
	return last.kind == primStep && last.prim == graph.PrimAdd && last.args[0] == 0 && last.args[1] == 1 && !p.canFail
}

func (p *element) add(s elementStep) graph.Value {
	p.steps = append(p.steps, s)
	return graph.Value(len(p.steps) - 1)
}

func (p *element) other(t graph.DType) graph.Value { return p.add(elementStep{dtype: t}) }

func (p *element) Prim(op graph.Prim, x ...graph.Value) graph.Value {
	p.cost += primCost(op)
	types := make([]graph.DType, len(x))
	for i, v := range x {
		types[i] = p.TypeOf(v)
	}
	t, _ := op.Result(types...) // the check refuses what has none
	switch op {
	case graph.PrimDiv, graph.PrimRem, graph.PrimFloorDiv:
		p.canFail = p.canFail || t.IsInt()
	}
	return p.add(elementStep{kind: primStep, prim: op, args: x, dtype: t})
}

func (p *element) Const(t graph.DType, v float64) graph.Value {
	return p.add(elementStep{kind: numberStep, dtype: t, number: v})
}

func (p *element) Convert(_ graph.Value, t graph.DType) graph.Value { return p.other(t) }
func (p *element) TypeOf(x graph.Value) graph.DType                 { return p.steps[x].dtype }
func (p *element) Check(graph.Value, graph.Claim)                   { p.canFail = true }

func (p *element) Index(int) graph.Value {
	p.indexed = true
	return p.other(graph.Int64)
}

func (p *element) Size(d graph.Dim) graph.Value {
	p.sized = p.sized || !d.IsConst()
	return p.other(graph.Int64)
}
