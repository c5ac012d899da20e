package stablehlo

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// combining are the operations of the reductions.
var combining = map[graph.Fold]string{
	graph.FoldSum: "add", graph.FoldProd: "multiply", graph.FoldMax: "maximum", graph.FoldMaxNumber: "maximum",
	graph.FoldMin: "minimum",
	graph.FoldAny: "or", graph.FoldAll: "and",
}

// allAxes lists the axes of a value.
func allAxes(x *value) []int {
	list := make([]int, len(x.shape))
	for i := range list {
		list[i] = i
	}
	return list
}

// reduce folds axes away, or to the size of 1.
func (e *exporter) reduce(n *graph.Node, x *value) *value {
	t := e.typeOf(n)
	var list []int
	if n.Op().Axes != nil {
		list = n.Op().Axes(n)
	} else {
		for i, d := range t.shape {
			if d != x.shape[i] {
				list = append(list, i)
			}
		}
	}
	switch n.Op().Fold {
	case graph.FoldArgMax, graph.FoldArgMin:
		return e.reshape(e.extremum(n.Op().Fold == graph.FoldArgMax, x, list), t.shape)
	}
	if combining[n.Op().Fold] == "" {
		return e.Fail(n, "reduces by %s, which this package does not know", n.Op().Fold)
	}
	return e.reshape(e.fold(n.Op().Fold, x, list), t.shape)
}

// neutral is the result of folding no elements.
func (e *exporter) neutral(f graph.Fold, d graph.DType) *value {
	t := tensor{dtype: d}
	switch f {
	case graph.FoldProd, graph.FoldAll:
		return e.splat(t, 1)
	case graph.FoldMax, graph.FoldMaxNumber:
		return e.least(t)
	case graph.FoldMin:
		return e.greatest(t)
	}
	return e.splat(t, 0)
}

// least is a value that is less than, or equal to, every number.
func (e *exporter) least(t tensor) *value {
	switch {
	case t.dtype.IsFloat():
		return e.splat(t, math.Inf(-1))
	case t.dtype.IsInt() && !t.dtype.IsUnsigned():
		return e.whole(t, math.MinInt64>>(64-t.dtype.Bits()))
	}
	return e.splat(t, 0)
}

// greatest is a value that is greater than, or equal to, every number.
func (e *exporter) greatest(t tensor) *value {
	switch {
	case t.dtype.IsFloat():
		return e.splat(t, math.Inf(1))
	case t.dtype.IsUnsigned():
		return e.whole(t, -1)
	case t.dtype.IsInt():
		return e.whole(t, math.MaxInt64>>(64-t.dtype.Bits()))
	}
	return e.splat(t, 1)
}

// without returns a shape without some of its axes.
func without(shape, list []int) []int {
	kept := []int{}
	gone := map[int]bool{}
	for _, a := range list {
		gone[a] = true
	}
	for i, d := range shape {
		if !gone[i] {
			kept = append(kept, d)
		}
	}
	return kept
}

// fold reduces a value over axes.
func (e *exporter) fold(f graph.Fold, x *value, list []int) *value {
	if len(list) == 0 {
		return x
	}
	if w := e.widened(x); w != x && accumulates(f) {
		return e.convert(e.fold(f, w, list), x.dtype)
	}
	body := newBlock("stablehlo.return")
	a, b := body.argument(tensor{dtype: x.dtype}), body.argument(tensor{dtype: x.dtype})
	e.within(body, func() { body.out = []*value{e.same(combining[f], a, b)} })
	out := tensor{x.dtype, without(x.shape, list)}
	return e.append("stablehlo.reduce", []tensor{out}, []attr{{"dimensions", list}}, []*block{body},
		[]*value{x, e.neutral(f, x.dtype)}).out[0]
}

// accumulates reports whether a fold rounds: numbers of 16 bits are added and multiplied in float32, and rounded once.
func accumulates(f graph.Fold) bool { return f == graph.FoldSum || f == graph.FoldProd }

// extremum returns the place of the greatest or the least element among axes, counted in row-major order. NaN wins,
// and the first of equal elements.
func (e *exporter) extremum(greatest bool, x *value, list []int) *value {
	place, step := e.whole(x.of(graph.Int64), 0), 1
	for i := len(list) - 1; i >= 0; i-- {
		along := e.iota(x.of(graph.Int64), list[i])
		place = e.same("add", place, e.same("multiply", along, e.whole(along.tensor, int64(step))))
		step *= x.shape[list[i]]
	}
	if len(list) == 0 {
		return place
	}
	scalar := tensor{dtype: x.dtype}
	index := tensor{dtype: graph.Int64}
	first, direction := e.least(scalar), "GT"
	if !greatest {
		first, direction = e.greatest(scalar), "LT"
	}
	body := newBlock("stablehlo.return")
	xa, ia, xb, ib := body.argument(scalar), body.argument(index), body.argument(scalar), body.argument(index)
	e.within(body, func() {
		wins := e.compare(direction, xa, xb)
		equal := e.compare("EQ", xa, xb)
		if x.dtype.IsFloat() {
			none, noneToo := e.compare("NE", xa, xa), e.compare("NE", xb, xb)
			wins = e.same("or", wins, e.same("and", none, e.same("not", noneToo)))
			equal = e.same("or", equal, e.same("and", none, noneToo))
		}
		takes := e.same("or", wins, e.same("and", equal, e.compare("LT", ia, ib)))
		body.out = []*value{e.choose(takes, xa, xb), e.choose(takes, ia, ib)}
	})
	shape := without(x.shape, list)
	return e.append("stablehlo.reduce", []tensor{{x.dtype, shape}, {graph.Int64, shape}}, []attr{{"dimensions", list}},
		[]*block{body}, []*value{x, place, first, e.whole(index, 0)}).out[1]
}
