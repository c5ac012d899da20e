package difftest

import (
	"slices"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// index adds an input of indices below a size, or -1.
func (g *gen) index(kind string, below eager.Size, shape ...eager.Size) int {
	if below == nil || slices.ContainsFunc(shape, func(d eager.Size) bool { return d == nil }) {
		return -1
	}
	return g.declare(eager.Input{T: eager.Int64, Shape: shape, Kind: kind, Below: below})
}

// segments combines elements along an axis, or two, mostly so that each place has some.
func (g *gen) segments() bool {
	x := g.pick(numberAxes)
	if x < 0 {
		return false
	}
	shape := g.shapeOf(x)
	axis := g.IntN(len(shape))
	to := axis + 1 + g.IntN(min(2, len(shape)-axis))
	size := oneOf(g, eager.Whole(1), eager.Whole(2), g.someSize())
	return g.did(eager.Step{Op: oneOf(g, "SegmentProd", "SegmentMax", "SegmentMin", "SegmentMean"), I: []int{axis},
		S:  []eager.Size{size},
		In: []int{x, g.index(oneOf(g, "cover", "cover", "index"), size, shape[axis:to]...)}})
}

var unions = []string{"sum", "prod", "mean", "max", "min"}

// united combines elements with those at their places.
func (g *gen) united() bool {
	x := g.pick(numberAxes)
	if x < 0 {
		return false
	}
	shape := g.shapeOf(x)
	axis := g.IntN(len(shape))
	size := shape[axis]
	shape[axis] = g.someSize()
	s := eager.Step{Op: oneOf(g, "ScatterReduce", "IndexReduce"), I: []int{axis - len(shape)*g.IntN(2)},
		Text: oneOf(g, unions...), Keep: g.IntN(3) == 0}
	at := shape
	if s.Op == "IndexReduce" {
		at = shape[axis : axis+1]
	}
	s.In = []int{x, g.index("index", size, at...), g.input(g.v(x).T, shape, "")}
	return g.did(s)
}

// tuples reads or writes slices at vectors of indices.
func (g *gen) tuples() bool {
	x := g.pick(numberAxes)
	if x < 0 {
		return false
	}
	shape := g.shapeOf(x)
	s := eager.Step{Op: oneOf(g, "GatherND", "ScatterND", "ScatterNDReduce"), In: []int{x}}
	batch := 0
	if s.Op == "GatherND" {
		batch = g.IntN(len(shape))
		s.I = []int{batch}
	}
	lead := append(slices.Clone(shape[:batch]), g.someShape(g.IntN(2))...)
	var columns []int
	for _, size := range shape[batch:][:1+g.IntN(min(2, len(shape)-batch))] {
		columns = append(columns, g.index(oneOf(g, "signed", "index"), size, lead...))
	}
	at := g.do(eager.Step{Op: "Stack", In: columns, I: []int{-1}})
	s.In = append(s.In, at)
	if s.Op == "GatherND" {
		return g.did(s)
	}
	if s.Op == "ScatterNDReduce" {
		s.Text, s.Keep = oneOf(g, unions...), g.IntN(3) == 0
	}
	s.In = append(s.In, g.input(g.v(x).T, append(lead, shape[len(columns):]...), ""))
	return g.did(s)
}

// elements returns the number of elements as a formula, or nil.
func (g *gen) elements(id int) eager.Size {
	sizes := make([]int, len(g.at))
	for k := range g.at {
		sizes[k] = len(g.values[k][id].Cells())
	}
	return g.formula(sizes)
}

// masked picks or writes the elements that a mask names.
func (g *gen) masked() bool {
	x := g.pick(isNumber)
	if x < 0 {
		return false
	}
	fill := g.num(oneOf(g, 0., 2, -1), eager.Int64)
	room := oneOf(g, g.elements(x), eager.Whole(oneOf(g, 4, 9, 20)))
	if g.IntN(4) == 0 {
		return g.did(eager.Step{Op: "Nonzero", In: []int{x, fill}, S: []eager.Size{room}})
	}
	mask := g.mask(x)
	if mask < 0 {
		return false
	}
	if g.IntN(2) == 0 {
		return g.did(eager.Step{Op: "MaskedSelect", In: []int{x, mask, fill}, S: []eager.Size{room}})
	}
	return g.did(eager.Step{Op: "MaskedScatter",
		In: []int{x, mask, g.input(g.v(x).T, oneOf(g, g.shapeOf(x), []eager.Size{room}), "")}})
}

// bags folds rows of a table.
func (g *gen) bags() bool {
	rows := g.someSize()
	table := g.pick(func(v *eager.Tensor) bool { return v.T.IsFloat() && len(v.Shape) == 2 })
	if table < 0 || g.IntN(2) == 0 {
		table = g.input(g.float, []eager.Size{rows, g.someSize()}, "")
	}
	if table < 0 {
		return false
	}
	at, weights, offsets := g.someShape(2), -1, -1
	s := eager.Step{Op: "EmbeddingBag", Text: oneOf(g, "sum", "mean", "max")}
	if g.IntN(2) == 0 {
		at = at[:1]
		below := append(slices.Clone(at[0]), eager.Term{Times: 1})
		if offsets = g.index("offsets", below, g.someSize()); offsets < 0 {
			return false
		}
		s.Keep = g.IntN(2) == 0
	}
	if g.IntN(3) == 0 {
		s.I = []int{oneOf(g, 0, -1)}
	}
	if s.Text == "sum" && g.IntN(2) == 0 {
		weights = g.input(g.v(table).T, at, "")
	}
	s.In = []int{g.index("index", g.sizeOf(table, 0), at...), table, weights, offsets}
	return g.did(s)
}

// places picks or writes elements at several indices, which broadcast.
func (g *gen) places() bool {
	x := g.pick(numberAxes)
	if x < 0 {
		return false
	}
	shape := g.shapeOf(x)
	s, common := eager.Step{Op: oneOf(g, "Index", "IndexPut"), In: []int{x}}, g.someShape(g.IntN(3))
	for axis, size := range shape {
		if g.IntN(2) == 0 && len(s.I) < 2 {
			at := slices.Clone(common[g.IntN(len(common)+1):])
			if len(at) > 0 && g.IntN(4) == 0 {
				at[0] = eager.Whole(1)
			}
			s.I, s.In = append(s.I, axis), append(s.In, g.index(oneOf(g, "signed", "index"), size, at...))
		}
	}
	y := -1
	if len(s.I) > 0 && !slices.Contains(s.In, -1) {
		y = g.do(eager.Step{Op: "Index", In: slices.Clone(s.In), I: s.I})
	}
	if y < 0 || s.Op == "Index" {
		return y >= 0
	}
	src := g.shapeOf(y)
	s.In, s.Text = append(s.In, g.input(g.v(x).T, src[g.IntN(len(src)+1):], "")), oneOf(g, "", "add")
	return g.did(s)
}
