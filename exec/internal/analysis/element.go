package analysis

import (
	"slices"
	"sync"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/graph"
)

// Element records what an operation computes for one element. Value i is the result of step i; the operands come first.
type Element struct {
	elementFacts
	Steps  []Step
	Result graph.Value
	// claims are the values that it checks, and divisors those by which it divides integers.
	claims, divisors []graph.Value
}

// elementFacts are the facts that most passes need of every node.
type elementFacts struct {
	indexed bool // depends on positions
	sized   bool // depends on sizes that are bound later
	CanFail bool // can stop the run: by a check of its own, or by dividing integers
	cost    int  // of all its primitives
}

// Step is one computation of an element.
type Step struct {
	Kind   StepKind
	DType  graph.DType
	Prim   graph.Prim
	Args   []graph.Value
	Number float64
	Axis   int
}

// StepKind is the kind of a step.
type StepKind uint8

const (
	otherStep   StepKind = iota // an operand, or a size
	PrimStep                    // a primitive of other values
	NumberStep                  // a number
	IndexStep                   // the position along an axis
	ConvertStep                 // another value in another dtype
)

// Examine records what an operation computes for one element.
func Examine(n *graph.Node) *Element {
	p := &Element{Steps: make([]Step, 0, len(n.Operands())+2)} // most elements have few steps
	p.examine(n)
	return p
}

var examined = sync.Pool{New: func() any { return new(Element) }}

// factsOf returns only the facts.
func factsOf(n *graph.Node) elementFacts {
	p := examined.Get().(*Element)
	defer examined.Put(p)
	*p = Element{Steps: p.Steps[:0], claims: p.claims[:0], divisors: p.divisors[:0]}
	p.examine(n)
	return p.elementFacts
}

func (p *Element) examine(n *graph.Node) {
	if n.Op().Emit == nil {
		return
	}
	in := make([]graph.Value, len(n.Operands()))
	for i, x := range n.Operands() {
		in[i] = p.add(Step{DType: x.DType()})
	}
	defer bug.Blame(n)
	p.Result = n.Op().Emit(p, n, in)
}

// DependsOnPosition reports whether an element's value depends on its position.
func DependsOnPosition(n *graph.Node) bool { return factsOf(n).indexed }

// DependsOnSizes reports whether an element's value depends on sizes that are bound later.
func DependsOnSizes(n *graph.Node) bool { return factsOf(n).sized }

// CanFail reports whether an element can stop the run. Dividing integers by a constant other than 0 cannot.
func CanFail(n *graph.Node) bool {
	if !factsOf(n).CanFail {
		return false
	}
	p := Examine(n)
	number := func(v graph.Value) (float64, bool) {
		if int(v) < len(n.Operands()) {
			return n.In(int(v)).ScalarValue()
		}
		return p.Steps[v].Number, p.Steps[v].Kind == NumberStep
	}
	return slices.ContainsFunc(p.divisors, func(d graph.Value) bool {
		v, known := number(d)
		return !known || v == 0
	}) || slices.ContainsFunc(p.claims, func(claim graph.Value) bool {
		s := p.Steps[claim]
		if s.Kind != PrimStep || s.Prim != graph.PrimNe {
			return true
		}
		x, knownX := number(s.Args[0])
		y, knownY := number(s.Args[1])
		return !knownX || !knownY || x == y
	})
}

// Uniform returns the number with which a generator fills its result. ok is false for other nodes.
func Uniform(n *graph.Node) (v float64, ok bool) {
	if n.Op().Class != graph.Elementwise || len(n.Operands()) > 0 {
		return 0, false
	}
	p := Examine(n)
	last := p.Steps[p.Result]
	return last.Number, last.Kind == NumberStep && last.DType == n.DType() && !p.CanFail
}

// IndexOf returns the axis whose positions a generator returns. ok is false for other nodes.
func IndexOf(n *graph.Node) (axis int, ok bool) {
	if n.Op().Class != graph.Elementwise || len(n.Operands()) > 0 {
		return 0, false
	}
	p := Examine(n)
	last := p.Steps[p.Result]
	return last.Axis, last.Kind == IndexStep
}

// AddsOperands reports whether an operation returns the sum of its two operands.
func AddsOperands(n *graph.Node) bool {
	return n.Op().Class == graph.Elementwise && PrimOf(n) == graph.PrimAdd
}

// PrimOf returns the primitive that an operation applies to its two operands, in this order. It returns noPrim if the
// operation does anything else.
func PrimOf(n *graph.Node) graph.Prim {
	if len(n.Operands()) != 2 || n.Op().Emit == nil {
		return noPrim
	}
	p := Examine(n)
	last := p.Steps[p.Result]
	if last.Kind != PrimStep || len(last.Args) != 2 || last.Args[0] != 0 || last.Args[1] != 1 || p.CanFail {
		return noPrim
	}
	return last.Prim
}

const noPrim = ^graph.Prim(0)

func (p *Element) add(s Step) graph.Value {
	p.Steps = append(p.Steps, s)
	return graph.Value(len(p.Steps) - 1)
}

func (p *Element) other(t graph.DType) graph.Value { return p.add(Step{DType: t}) }

func (p *Element) Prim(op graph.Prim, x ...graph.Value) graph.Value {
	p.cost += PrimCost(op)
	types := make([]graph.DType, len(x))
	for i, v := range x {
		types[i] = p.TypeOf(v)
	}
	t, _ := op.Result(types...) // operations without a result have failed the check
	switch op {
	case graph.PrimDiv, graph.PrimRem, graph.PrimFloorDiv:
		if t.IsInt() {
			p.CanFail, p.divisors = true, append(p.divisors, x[1])
		}
	}
	return p.add(Step{Kind: PrimStep, Prim: op, Args: x, DType: t})
}

func (p *Element) Const(t graph.DType, v float64) graph.Value {
	return p.add(Step{Kind: NumberStep, DType: t, Number: v})
}

func (p *Element) Convert(x graph.Value, t graph.DType) graph.Value {
	if p.TypeOf(x) == t {
		return x
	}
	return p.add(Step{Kind: ConvertStep, Args: []graph.Value{x}, DType: t})
}

func (p *Element) TypeOf(x graph.Value) graph.DType { return p.Steps[x].DType }

func (p *Element) Check(claim graph.Value, _ graph.Claim) {
	p.CanFail, p.claims = true, append(p.claims, claim)
}

func (p *Element) Index(axis int) graph.Value {
	p.indexed = true
	return p.add(Step{Kind: IndexStep, DType: graph.Int64, Axis: axis})
}

func (p *Element) Size(d graph.Dim) graph.Value {
	p.sized = p.sized || !d.IsConst()
	return p.other(graph.Int64)
}

// Cost returns the cost of one element of an operation, in additions.
func Cost(n *graph.Node) int {
	switch {
	case n.Op().Class != graph.Gather:
		return factsOf(n).cost
	case TakesRows(n):
		return 1 // a load
	}
	return pickCost
}

// TakesRows reports whether a Take picks rows of several elements, not single ones.
func TakesRows(n *graph.Node) bool {
	return n.In(0).Shape()[n.Op().Axes(n)[0]+1:].NumElements() != 1
}

// pickCost is the cost of an element that is picked by an index.
const pickCost = 10

// PrimCost returns the cost of a primitive.
func PrimCost(p graph.Prim) int {
	switch p {
	case graph.PrimDiv, graph.PrimRem, graph.PrimFloorDiv, graph.PrimSqrt, graph.PrimRsqrt, graph.PrimRecip:
		return 4
	case graph.PrimAdd, graph.PrimSub, graph.PrimMul, graph.PrimMax, graph.PrimMin, graph.PrimNeg, graph.PrimAbs,
		graph.PrimSign,
		graph.PrimFloor, graph.PrimCeil, graph.PrimRound, graph.PrimTrunc,
		graph.PrimLt, graph.PrimLe, graph.PrimGt, graph.PrimGe, graph.PrimEq, graph.PrimNe, graph.PrimSelect,
		graph.PrimAnd, graph.PrimOr, graph.PrimXor, graph.PrimNot, graph.PrimFMA:
		return 1
	}
	return 10 // a transcendental function
}
