package difftest

import "github.com/broadloom/broadloom/internal/difftest/eager"

// write writes a value in place: a view of a parameter, of a copy, or of a computed value.
func (g *gen) write() bool {
	x := g.target()
	if x < 0 {
		return false
	}
	if g.IntN(2) == 0 {
		x = g.viewOf(x)
	}
	if !g.writable(x) {
		return false
	}
	if g.IntN(4) == 0 {
		return g.writeTo(x, g.folded(x))
	}
	return g.writeTo(x, g.partner(x))
}

// target returns a value that may be written.
func (g *gen) target() int {
	if x := g.pick(func(v *eager.Tensor) bool { return v.T.IsFloat() && !v.Shared }); x >= 0 && g.IntN(3) > 0 {
		return x
	}
	x := g.pick(floatAxes)
	if x < 0 {
		return -1
	}
	return g.do(eager.Step{Op: "Copy", In: []int{x}})
}

// writeTo writes y, or a function of x, into x.
func (g *gen) writeTo(x, y int) bool {
	s := eager.Step{In: []int{x}, Op: oneOf(
		g, "AddInPlace", "SubInPlace", "MulInPlace", "DivInPlace", "PowInPlace", "CopyInPlace", "CopyInPlace",
		"InPlace")}
	if s.Op == "InPlace" {
		s.Text = oneOf(g, "Exp", "Sin", "Neg", "Tanh", "Sigmoid", "Relu", "Square", "Abs")
	} else {
		s.In = append(s.In, y)
	}
	w := g.do(s)
	if w < 0 {
		return false
	}
	g.written[g.v(w).Root()] = w
	if g.IntN(2) == 0 { // another view of the same memory, after the write
		if y := g.pick(func(v *eager.Tensor) bool { return v.SharesMemory(g.v(w)) }); y >= 0 {
			x = y
		}
		g.do(eager.Step{Op: "After", In: []int{x, w}})
	}
	return true
}

// viewOf returns a view of a view, some steps deep, or x itself.
func (g *gen) viewOf(x int) int {
	for range 1 + g.IntN(3) {
		if g.rank(x) == 0 {
			break
		}
		axis, shape := g.axis(x), g.shapeOf(x)
		s := oneOf(g, eager.Step{Op: "Slice", I: []int{axis, 1}, S: []eager.Size{eager.Whole(g.IntN(3)), end}},
			eager.Step{Op: "Slice", I: []int{axis, 1},
				S: []eager.Size{eager.Whole(g.IntN(2)), eager.Whole(1 + g.IntN(3))}},
			eager.Step{Op: "Slice", I: []int{axis, 2}, S: []eager.Size{eager.Whole(g.IntN(2)), end}},
			eager.Step{Op: "Narrow", I: []int{axis},
				S: []eager.Size{eager.Whole(g.IntN(3)), eager.Whole(1 + g.IntN(3))}},
			eager.Step{Op: "Select", I: []int{axis}, S: []eager.Size{eager.Whole(oneOf(g, 0, 1, -1))}},
			eager.Step{Op: "Transpose", I: []int{axis, g.axis(x)}}, eager.Step{Op: "Flip", I: []int{axis}},
			eager.Step{Op: "Diagonal", I: []int{0, axis, g.axis(x)}},
			eager.Step{Op: "Reshape", S: []eager.Size{eager.Whole(-1)}},
			eager.Step{Op: "Reshape", S: append(shape[:len(shape):len(shape)], eager.Whole(1))},
			eager.Step{Op: "Unsqueeze", I: []int{0}})
		s.In = []int{x}
		if y := g.do(s); y >= 0 {
			x = y
		}
	}
	return x
}

// folded returns a value of the shape of x that is computed from x and a further axis, which is folded. If that axis is
// empty, so is the loop that computes both.
func (g *gen) folded(x int) int {
	shape, more, axis := g.shapeOf(x), g.someSize(), 0
	y := x
	if g.IntN(2) == 0 {
		shape, axis = append(shape, more), len(shape)
		y = g.do(eager.Step{Op: "Unsqueeze", In: []int{x}, I: []int{axis}})
	} else {
		shape = append([]eager.Size{more}, shape...)
	}
	e := g.input(g.v(x).T, shape, "")
	if e < 0 || y < 0 {
		return -1
	}
	if g.IntN(3) == 0 {
		y = e
	}
	s := eager.Step{Op: oneOf(g, "Sum", "Sum", "Mean", "Prod", "LogSumExp", "Norm"), I: []int{axis},
		In: []int{g.do(eager.Step{Op: oneOf(g, "Mul", "Add", "Sub"), In: []int{e, y}})}}
	if s.Op == "Norm" {
		s.F = []float64{oneOf(g, 1., 2)}
	}
	r := g.do(s)
	if g.IntN(2) == 0 {
		r = g.do(eager.Step{Op: "Add", In: []int{r, g.num(oneOf(g, 7, 0.5), "")}})
	}
	if g.IntN(2) == 0 {
		r = g.do(eager.Step{Op: oneOf(g, "Add", "Mul"), In: []int{r, x}})
	}
	return r
}

// around folds a further axis next to a view.
func (g *gen) around() bool {
	x := g.pick(floatAxes)
	if x < 0 {
		return false
	}
	x = g.viewOf(x)
	r := g.folded(x)
	if r >= 0 && g.IntN(2) == 0 && g.writable(x) {
		return g.writeTo(x, r)
	}
	return r >= 0
}

// writable reports whether a value may be written: its memory is not that of a constant input, it is in the latest
// version, and its elements do not overlap.
func (g *gen) writable(x int) bool {
	for k := range g.at {
		if v := g.values[k][x]; v.Shared || !v.Apart() {
			return false
		}
	}
	v := g.v(x)
	for id, in := range g.p.Inputs {
		if !in.Param && !in.Mutable && g.v(id).SharesMemory(v) {
			return false
		}
	}
	w, was := g.written[v.Root()]
	return !was && v.Version() == v.Root() || was && g.v(w).Version() == v.Version()
}
