package difftest

import (
	"slices"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// lenient lets indices of a step be out of range, mostly: it says what they do then, and returns how they are drawn.
func (g *gen) lenient(s *eager.Step, most ...string) string {
	if g.IntN(5) == 0 {
		return "index"
	}
	if s.Outside = oneOf(g, append(most, "clip", "wrap")...); s.Outside == "fill" {
		s.F = []float64{float64(g.IntN(5) - 2)}
	}
	return "far"
}

// outside reads elements by index, some of which are out of range.
func (g *gen) outside() bool {
	x := g.pick(numberAxes)
	if x < 0 {
		return false
	}
	shape, axis := g.shapeOf(x), g.axis(x)
	place := (axis + len(shape)) % len(shape)
	s := eager.Step{Op: oneOf(g, "Take", "IndexSelect", "Gather", "TakeAlongAxis", "TakeFlat", "GatherND", "IndexGet",
		"IndexGet"), In: []int{x}, I: []int{axis}}
	kind, size := g.lenient(&s, "fill", "fill"), shape[place]
	switch s.Op {
	case "Take":
		s.In = append(s.In, g.index(kind, size, g.someShape(g.IntN(3))...))
	case "IndexSelect":
		s.In = append(s.In, g.index(kind, size, g.someSize()))
	case "Gather", "TakeAlongAxis":
		at := slices.Clone(shape)
		at[place] = g.someSize()
		if other := g.IntN(len(at)); s.Op == "TakeAlongAxis" && other != place && g.IntN(2) == 0 {
			at[other] = eager.Whole(1)
		}
		s.In = append(s.In, g.index(kind, size, at...))
	case "TakeFlat":
		s.I, s.In = nil, append(s.In, g.index(kind, g.elements(x), g.someShape(g.IntN(3))...))
	case "GatherND":
		return g.vectors(s, kind)
	case "IndexGet":
		return g.listed(s, kind) >= 0
	}
	return g.did(s)
}

// vectors completes a step with vectors of indices of the first axes, or of those after batch ones.
func (g *gen) vectors(s eager.Step, kind string) bool {
	shape, batch := g.shapeOf(s.In[0]), 0
	if s.I = nil; s.Op == "GatherND" {
		batch = g.IntN(len(shape))
		s.I = []int{batch}
	}
	lead := append(slices.Clone(shape[:batch]), g.someShape(g.IntN(2))...)
	var columns []int
	for _, size := range shape[batch:][:1+g.IntN(min(2, len(shape)-batch))] {
		columns = append(columns, g.index(kind, size, lead...))
	}
	s.In = append(s.In, g.do(eager.Step{Op: "Stack", In: columns, I: []int{-1}}))
	if s.Op != "GatherND" {
		s.In = append(s.In, g.input(g.v(s.In[0]).T, append(lead, shape[len(columns):]...), ""))
	}
	return g.did(s)
}

// listed completes a step with an index for one axis or two. It returns the step's value, or -1.
func (g *gen) listed(s eager.Step, kind string) int {
	common := g.someShape(g.IntN(3))
	s.I = nil
	for axis, size := range g.shapeOf(s.In[0]) {
		if g.IntN(2) == 0 && len(s.I) < 2 {
			s.I = append(s.I, axis)
			s.In = append(s.In, g.index(kind, size, common[g.IntN(len(common)+1):]...))
		}
	}
	if len(s.I) == 0 || s.Op == "IndexGet" {
		if len(s.I) == 0 {
			return -1
		}
		return g.do(s)
	}
	picked := eager.Step{Op: "IndexGet", In: slices.Clone(s.In), I: s.I, Outside: "wrap"}
	y := g.do(picked)
	if y < 0 {
		return -1
	}
	src := g.shapeOf(y)
	s.In = append(s.In, g.input(g.v(s.In[0]).T, src[g.IntN(len(src)+1):], ""))
	s.Text = oneOf(g, "", "add")
	if s.Op != "IndexPutInPlace" {
		return g.do(s)
	}
	w := g.do(s)
	if w >= 0 {
		g.written[g.v(w).Root()] = w
	}
	return w
}

// putOutside writes elements by index, some of which are out of range.
func (g *gen) putOutside() bool {
	x := g.pick(numberAxes)
	if x < 0 {
		return false
	}
	shape, axis := g.shapeOf(x), g.axis(x)
	place := (axis + len(shape)) % len(shape)
	s := eager.Step{In: []int{x}, I: []int{axis}, Op: oneOf(g, "Scatter", "ScatterAdd", "ScatterReduce", "IndexCopy",
		"IndexAdd", "IndexReduce", "IndexFill", "ScatterND", "ScatterNDReduce", "IndexPut", "PutFlat", "SegmentSum",
		"SegmentProd", "SegmentMax", "SegmentMin", "SegmentMean")}
	kind, size := g.lenient(&s, "drop", "drop"), shape[place]
	switch s.Op {
	case "ScatterReduce", "IndexReduce", "ScatterNDReduce":
		s.Text, s.Keep = oneOf(g, unions...), g.IntN(3) == 0
	case "PutFlat":
		s.Text = oneOf(g, "", "add")
	}
	src := slices.Clone(shape)
	src[place] = g.someSize()
	switch s.Op {
	case "Scatter", "ScatterAdd", "ScatterReduce":
		s.In = append(s.In, g.index(kind, size, src...), g.input(g.v(x).T, src, ""))
	case "IndexCopy", "IndexAdd", "IndexReduce":
		s.In = append(s.In, g.index(kind, size, src[place]), g.input(g.v(x).T, src, ""))
	case "IndexFill":
		s.In = append(s.In, g.index(kind, size, src[place]), g.num(oneOf(g, 0., 2, -1), eager.Int64))
	case "ScatterND", "ScatterNDReduce":
		return g.vectors(s, kind)
	case "IndexPut":
		return g.listed(s, kind) >= 0
	case "PutFlat":
		at := g.someShape(g.IntN(3))
		s.I, s.In = nil, append(s.In, g.index(kind, g.elements(x), at...), g.input(g.v(x).T, at, ""))
	default: // segments
		s.I, s.S = []int{place}, []eager.Size{g.someSize()}
		s.In = append(s.In, g.index(kind, s.S[0], size))
	}
	return g.did(s)
}

// putInPlace writes elements by index in place.
func (g *gen) putInPlace() bool {
	x := g.target()
	if x < 0 || g.rank(x) == 0 || !g.writable(x) {
		return false
	}
	s := eager.Step{Op: "IndexPutInPlace", In: []int{x}}
	kind := g.lenient(&s, "drop")
	return g.listed(s, kind) >= 0
}

// put writes to a part of a value, which is not where an index says, or picks one at a computed place.
func (g *gen) put() bool {
	x := g.pick(numberAxes)
	if x < 0 {
		return false
	}
	shape, axis := g.shapeOf(x), g.axis(x)
	s := eager.Step{Op: oneOf(g, "SliceScatter", "SelectScatter", "DiagonalScatter", "DynamicSlice",
		"DynamicUpdateSlice", "Compress"), In: []int{x}, I: []int{axis}}
	part := eager.Step{In: []int{x}}
	switch s.Op {
	case "SliceScatter":
		part.Op, s.I = "Slice", append(s.I, oneOf(g, 1, 1, 2, 3))
		s.S = []eager.Size{eager.Whole(g.IntN(3)), oneOf(g, end, end, eager.Whole(1+g.IntN(3)))}
	case "SelectScatter":
		part.Op, s.S = "Select", []eager.Size{eager.Whole(oneOf(g, 0, 1, -1))}
	case "DiagonalScatter":
		part.Op, s.I = "Diagonal", []int{oneOf(g, 0, 1, -1), axis, g.axis(x)}
	case "Compress":
		return g.compress(s)
	default:
		return g.dynamic(s, shape)
	}
	part.I, part.S = s.I, s.S
	y := g.do(part)
	if y < 0 {
		return false
	}
	src := g.input(g.v(x).T, g.shapeOf(y), "")
	if g.IntN(4) == 0 {
		src = g.num(2, eager.Int64)
	}
	s.In = append(s.In, src)
	return g.did(s)
}

// compress picks slices that a mask names.
func (g *gen) compress(s eager.Step) bool {
	shape := g.shapeOf(s.In[0])
	axis := g.IntN(len(shape))
	to := axis + 1 + g.IntN(min(2, len(shape)-axis))
	mask := g.declare(eager.Input{T: eager.Bool, Shape: shape[axis:to]})
	room := eager.Whole(oneOf(g, 4, 9, 20))
	if to == axis+1 && g.IntN(2) == 0 {
		room = shape[axis]
	}
	s.I, s.S = []int{axis}, []eager.Size{room}
	s.In = append(s.In, mask, g.num(oneOf(g, 0., 2, -1), eager.Int64))
	return g.did(s)
}

// dynamic picks or writes a part that begins at computed places.
func (g *gen) dynamic(s eager.Step, shape []eager.Size) bool {
	sizes := slices.Clone(shape)
	var starts []int
	for axis, size := range shape {
		if g.IntN(2) == 0 {
			sizes[axis] = eager.Whole(oneOf(g, 0, 1, 1, 2, 3))
		}
		starts = append(starts, g.index(oneOf(g, "far", "signed", "index"), size))
	}
	s.I = nil
	if s.Op == "DynamicUpdateSlice" {
		s.In = append(s.In, g.input(g.v(s.In[0]).T, sizes, ""))
	} else {
		s.S = sizes
	}
	s.In = append(s.In, starts...)
	return g.did(s)
}
