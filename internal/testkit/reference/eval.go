package reference

import (
	"errors"
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Eval returns the values of nodes of one graph. Feeds hold the values of inputs and
// parameters; named sizes are found from their shapes, or set explicitly. The error is
// the graph's own where it has mistakes.
func Eval(outputs []*graph.Node, feeds map[*graph.Node]Value, sizes ...shapeinfer.Sizes) ([]Value, error) {
	v, err := Prepare(outputs, feeds, sizes...)
	if err != nil {
		return nil, err
	}
	return v.Values()
}

// bind solves the named sizes that the outputs need and takes the feeds in.
func bind(g *graph.Graph, outputs []*graph.Node, feeds map[*graph.Node]Value, given []shapeinfer.Sizes) (*evaluator,
	error) {
	e := newEvaluator(shapeinfer.Sizes{})
	var bound []shapeinfer.Bound
	for _, n := range append(g.Inputs(), g.Params()...) {
		v, fed := feeds[n]
		if !fed {
			continue // missed where it is needed
		}
		cells, err := v.cells()
		if err == nil && v.DType != n.DType() {
			err = fmt.Errorf("it is declared %s, and %s was fed", n.DType(), v.DType)
		}
		if err != nil {
			return nil, fmt.Errorf("oracle: %s: %w", n.Label(), err)
		}
		bound = append(bound, shapeinfer.Bound{Node: n, Shape: v.Shape})
		e.known[n] = tensor{n.DType(), cells, graph.RowMajor(n.Shape())}
	}
	solved, err := shapeinfer.BindProgram(g, outputs, bound, g.Requirements(), given...)
	if err != nil {
		return nil, err
	}
	for _, s := range append([]shapeinfer.Sizes{solved}, given...) {
		for name, v := range s {
			e.sizes[name] = v
		}
	}
	return e, nil
}

// tensor is a value under evaluation: elements, and where each lies among them.
type tensor struct {
	dtype  graph.DType
	store  []cell
	layout graph.Layout
}

// evaluator holds what is known of one evaluation.
type evaluator struct {
	sizes shapeinfer.Sizes
	known map[*graph.Node]tensor
	steps map[*graph.Region]*steps // of the loops that have been run, or are at it
	// written holds what composites were written as.
	written map[*graph.Node]*written
}

func newEvaluator(sizes shapeinfer.Sizes) *evaluator {
	return &evaluator{sizes, map[*graph.Node]tensor{}, map[*graph.Region]*steps{}, map[*graph.Node]*written{}}
}

// value evaluates a node, its operands first.
func (e *evaluator) value(n *graph.Node) (tensor, error) {
	if t, done := e.known[n]; done {
		return t, nil
	}
	if a, ok := n.Loop(); ok {
		t, err := e.loop(n, a)
		if err == nil {
			e.known[n] = t
		}
		return t, err
	}
	in := make([]tensor, len(n.Operands()))
	for i, x := range n.Operands() {
		t, err := e.value(x)
		if err != nil {
			return tensor{}, err
		}
		in[i] = t
	}
	t, err := e.apply(n, in)
	if err != nil {
		return tensor{}, fmt.Errorf("%s at %s: %w", graph.Describe(n), n.Pos(), err)
	}
	e.known[n] = t
	return t, nil
}

func (e *evaluator) apply(n *graph.Node, in []tensor) (tensor, error) {
	switch n.Op().Class {
	case graph.Source:
		if !n.IsConst() {
			return tensor{}, errors.New("no value was fed")
		}
		cells, err := Value{n.DType(), e.mustInts(n.Shape()), n.ConstData()}.cells()
		return tensor{n.DType(), cells, graph.RowMajor(n.Shape())}, err
	case graph.Elementwise, graph.Update:
		return e.elementwise(n, in)
	case graph.Reduce:
		return e.reduce(n, in[0])
	case graph.Movement:
		return e.move(n, in)
	case graph.Contract:
		return e.matmul(n, in[0], in[1])
	case graph.Gather:
		return e.gather(n, in[0], in[1])
	case graph.Function:
		return e.function(n, in)
	case graph.Composite:
		return e.composite(n, in)
	case graph.Version:
		return e.after(n, in[0], in[1])
	}
	return tensor{}, fmt.Errorf("class %s has no meaning here", n.Op().Class)
}

// ints returns sizes as numbers.
func (e *evaluator) ints(dims []graph.Dim) ([]int, error) {
	list := make([]int, len(dims))
	for i, d := range dims {
		v, err := d.Eval(e.sizes.Lookup)
		if err != nil {
			return nil, err
		}
		list[i] = int(v)
	}
	return list, nil
}

// mustInts is ints for sizes that are numbers already.
func (e *evaluator) mustInts(s graph.Shape) []int {
	list, _ := e.ints(s)
	return list
}

// export copies a value out in row-major order.
func (e *evaluator) export(t tensor) (Value, error) {
	r, err := e.reader(t)
	if err != nil {
		return Value{}, err
	}
	return Value{t.dtype, r.shape, cellsToSlice(t.dtype, r.all())}, nil
}

// result makes a dense tensor of the node's type by computing every element at its
// index.
func (e *evaluator) result(n *graph.Node, at func(index []int) (cell, error)) (tensor, error) {
	shape, err := e.ints(n.Shape())
	if err != nil {
		return tensor{}, err
	}
	t := tensor{dtype: n.DType(), layout: graph.RowMajor(n.Shape())}
	err = each(shape, func(index []int) error {
		c, err := at(index)
		t.store = append(t.store, c)
		return err
	})
	return t, err
}
