package rewrite

import (
	"slices"
	"sync"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/graph"
)

// elementInfo is the meaning of an operation's element, taken down to see what it consists of.
// Value i is what step i gives; the operands come first.
type elementInfo struct {
	elementFacts
	steps  []elementStep
	result graph.Value
	// claims are what it checks, and divisors those of its divisions of integers.
	claims, divisors []graph.Value
}

// elementFacts is what most passes ask for, of every node.
type elementFacts struct {
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
	axis   int
}

type stepKind uint8

const (
	otherStep stepKind = iota
	primStep
	numberStep
	indexStep
	convertStep
)

// examine takes down the meaning of an operation's element.
func examine(n *graph.Node) *elementInfo {
	p := &elementInfo{steps: make([]elementStep, 0, len(n.Operands())+2)} // most are of few steps
	p.examine(n)
	return p
}

var examined = sync.Pool{New: func() any { return new(elementInfo) }}

// factsOf takes down the facts alone.
func factsOf(n *graph.Node) elementFacts {
	p := examined.Get().(*elementInfo)
	defer examined.Put(p)
	*p = elementInfo{steps: p.steps[:0], claims: p.claims[:0], divisors: p.divisors[:0]}
	p.examine(n)
	return p.elementFacts
}

func (p *elementInfo) examine(n *graph.Node) {
	if n.Op().Emit == nil {
		return
	}
	in := make([]graph.Value, len(n.Operands()))
	for i, x := range n.Operands() {
		in[i] = p.add(elementStep{dtype: x.DType()})
	}
	defer bug.Blame(n)
	p.result = n.Op().Emit(p, n, in)
}

// DependsOnPosition reports whether an element's value depends on where it stands.
func DependsOnPosition(n *graph.Node) bool { return factsOf(n).indexed }

// dependsOnSizes reports whether an element's value depends on sizes that are bound later.
func dependsOnSizes(n *graph.Node) bool { return factsOf(n).sized }

// CanFail reports whether an element can stop the run: a division of integers by a number of the program cannot, but for 0.
func CanFail(n *graph.Node) bool {
	if !factsOf(n).canFail {
		return false
	}
	p := examine(n)
	number := func(v graph.Value) (float64, bool) {
		if int(v) < len(n.Operands()) {
			return n.In(int(v)).ScalarValue()
		}
		return p.steps[v].number, p.steps[v].kind == numberStep
	}
	return slices.ContainsFunc(p.divisors, func(d graph.Value) bool {
		v, known := number(d)
		return !known || v == 0
	}) || slices.ContainsFunc(p.claims, func(claim graph.Value) bool {
		s := p.steps[claim]
		if s.kind != primStep || s.prim != graph.PrimNe {
			return true
		}
		x, knownX := number(s.args[0])
		y, knownY := number(s.args[1])
		return !knownX || !knownY || x == y
	})
}

// uniform returns the number that stands in every place of what a generator makes; ok is
// false where it makes something else.
func uniform(n *graph.Node) (v float64, ok bool) {
	if n.Op().Class != graph.Elementwise || len(n.Operands()) > 0 {
		return 0, false
	}
	p := examine(n)
	last := p.steps[p.result]
	return last.number, last.kind == numberStep && last.dtype == n.DType() && !p.canFail
}

// indexOf returns the axis along which a generator gives the position; ok is false where it makes
// something else.
func indexOf(n *graph.Node) (axis int, ok bool) {
	if n.Op().Class != graph.Elementwise || len(n.Operands()) > 0 {
		return 0, false
	}
	p := examine(n)
	last := p.steps[p.result]
	return last.axis, last.kind == indexStep
}

// addsOperands reports whether an operation gives the sum of its two operands.
func addsOperands(n *graph.Node) bool {
	return n.Op().Class == graph.Elementwise && primOf(n) == graph.PrimAdd
}

// primOf returns the primitive that an operation applies to its two operands, in their order, if
// it does nothing else; else no primitive that there is.
func primOf(n *graph.Node) graph.Prim {
	if len(n.Operands()) != 2 || n.Op().Emit == nil {
		return noPrim
	}
	p := examine(n)
	last := p.steps[p.result]
	if last.kind != primStep || len(last.args) != 2 || last.args[0] != 0 || last.args[1] != 1 || p.canFail {
		return noPrim
	}
	return last.prim
}

const noPrim = ^graph.Prim(0)

func (p *elementInfo) add(s elementStep) graph.Value {
	p.steps = append(p.steps, s)
	return graph.Value(len(p.steps) - 1)
}

func (p *elementInfo) other(t graph.DType) graph.Value { return p.add(elementStep{dtype: t}) }

func (p *elementInfo) Prim(op graph.Prim, x ...graph.Value) graph.Value {
	p.cost += PrimCost(op)
	types := make([]graph.DType, len(x))
	for i, v := range x {
		types[i] = p.TypeOf(v)
	}
	t, _ := op.Result(types...) // the check refuses what has none
	switch op {
	case graph.PrimDiv, graph.PrimRem, graph.PrimFloorDiv:
		if t.IsInt() {
			p.canFail, p.divisors = true, append(p.divisors, x[1])
		}
	}
	return p.add(elementStep{kind: primStep, prim: op, args: x, dtype: t})
}

func (p *elementInfo) Const(t graph.DType, v float64) graph.Value {
	return p.add(elementStep{kind: numberStep, dtype: t, number: v})
}

func (p *elementInfo) Convert(x graph.Value, t graph.DType) graph.Value {
	if p.TypeOf(x) == t {
		return x
	}
	return p.add(elementStep{kind: convertStep, args: []graph.Value{x}, dtype: t})
}

func (p *elementInfo) TypeOf(x graph.Value) graph.DType { return p.steps[x].dtype }

func (p *elementInfo) Check(claim graph.Value, _ graph.Claim) {
	p.canFail, p.claims = true, append(p.claims, claim)
}

func (p *elementInfo) Index(axis int) graph.Value {
	p.indexed = true
	return p.add(elementStep{kind: indexStep, dtype: graph.Int64, axis: axis})
}

func (p *elementInfo) Size(d graph.Dim) graph.Value {
	p.sized = p.sized || !d.IsConst()
	return p.other(graph.Int64)
}

// FindsIndex reports whether a reduction gives a position: its rows run along the
// reduced axis, wherever that stands.
func FindsIndex(n *graph.Node) bool {
	return n.Op().Fold == graph.FoldArgMax || n.Op().Fold == graph.FoldArgMin
}

// Cost returns the cost of one element of an operation, in operations as cheap as an
// addition.
func Cost(n *graph.Node) int {
	switch {
	case n.Op().Class != graph.Gather:
		return factsOf(n).cost
	case TakesRows(n):
		return 1 // a load
	}
	return pickCost
}

// TakesRows reports whether a Take takes rows of several elements, not single ones.
func TakesRows(n *graph.Node) bool {
	return n.In(0).Shape()[n.Op().Axes(n)[0]+1:].NumElements() != 1
}

// pickCost is the cost of an element that an index names.
const pickCost = 10

// PrimCost returns the cost of a primitive.
func PrimCost(p graph.Prim) int {
	switch p {
	case graph.PrimDiv, graph.PrimRem, graph.PrimFloorDiv, graph.PrimSqrt, graph.PrimRsqrt, graph.PrimRecip:
		return 4
	case graph.PrimAdd, graph.PrimSub, graph.PrimMul, graph.PrimMax, graph.PrimMin, graph.PrimNeg, graph.PrimAbs, graph.PrimSign,
		graph.PrimFloor, graph.PrimCeil, graph.PrimRound, graph.PrimTrunc,
		graph.PrimLt, graph.PrimLe, graph.PrimGt, graph.PrimGe, graph.PrimEq, graph.PrimNe, graph.PrimSelect, graph.PrimAnd, graph.PrimOr, graph.PrimXor, graph.PrimNot:
		return 1
	}
	return 10 // a transcendental function
}

// IsSumTo reports whether a reduction's axes depend on sizes that are bound later.
func IsSumTo(n *graph.Node) bool {
	return n.Op().Class == graph.Reduce && n.Op().Axes == nil
}
