package difftest

import (
	"slices"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// meet combines a value with an input whose sizes have other names: they are equal, or one of them is 1, at all
// bindings.
func (g *gen) meet() bool {
	x := g.pick(floatAxes)
	if x < 0 {
		return false
	}
	shape := g.shapeOf(x)
	for i, d := range shape {
		shape[i] = g.renamed(d)
	}
	t := g.v(x).T
	switch g.IntN(6) {
	case 0:
		return g.did(eager.Step{Op: "MatMul", In: []int{x, g.input(t, append(shape[len(shape)-1:], g.someSize()), "")}})
	case 1:
		return g.did(eager.Step{Op: "Concat", In: []int{x, g.input(t, shape, "")}, I: []int{g.axis(x)}})
	case 2:
		y := g.input(t, shape, "")
		return y >= 0 && g.did(eager.Step{Op: "Where", In: []int{g.do(eager.Step{Op: "Less", In: []int{x, y}}), x, y}})
	}
	y := g.input(t, shape[g.IntN(len(shape)):], oneOf(g, "", "positive"))
	return g.did(eager.Step{Op: oneOf(g, "Add", "Mul", "Sub", "Div", "Maximum"), In: []int{x, y}})
}

// renamed returns a size with one name replaced by another. The two have the same value at all bindings or, if sizes
// meet as NumPy's do, one of them is 1.
func (g *gen) renamed(d eager.Size) eager.Size {
	if len(d) != 1 || len(d[0].Names) != 1 {
		return d
	}
	for _, n := range g.p.Names {
		other := eager.Size{{Times: d[0].Times, Names: []string{n.Name}}}
		meets := func(m *eager.Machine) bool {
			a, b := d.Eval(m.At), other.Eval(m.At)
			return a == b || g.p.Policy == "numpy" && (a == 1 || b == 1)
		}
		if n.Name != d[0].Names[0] && !slices.ContainsFunc(g.at, func(m *eager.Machine) bool { return !meets(m) }) {
			return other
		}
	}
	return d
}

// diagonal takes a diagonal of a matrix one of whose sides has a name, and often counts its elements, so that its end
// matters.
func (g *gen) diagonal() bool {
	shape := append(g.someShape(g.IntN(2)), g.someSize(), g.someSize())
	x := g.input(g.float, shape, "")
	if x < 0 {
		return false
	}
	y := g.do(eager.Step{Op: "Diagonal", In: []int{x}, I: []int{oneOf(g, 0, 0, 0, 1, -1), -2, -1}})
	switch {
	case y < 0:
		return false
	case g.IntN(3) == 0:
		return g.did(eager.Step{Op: "CumSum", In: []int{y}, I: []int{-1}})
	case g.IntN(2) == 0:
		return g.did(eager.Step{Op: "Flip", In: []int{y}, I: []int{-1}})
	}
	return true
}

// foreign draws sizes at which the program may have no value.
func (g *gen) foreign() {
	for range 2 {
		at := map[string]int{}
		for _, n := range g.p.Names {
			at[n.Name] = max(oneOf(g, 0, 1, 2, 3, 4, 5, 8), n.AtLeast)
		}
		if !slices.ContainsFunc(g.p.Inputs, func(in eager.Input) bool { return !g.canBe(in, at) }) && g.isTame(at) {
			g.p.Foreign = append(g.p.Foreign, at)
		}
	}
}

// isTame reports whether the program's numbers stay small at some sizes, up to a step without a value because of the
// sizes.
func (g *gen) isTame(at map[string]int) bool {
	p := *g.p
	p.Foreign = append(slices.Clone(p.Foreign), at)
	run := len(p.Bindings) + len(p.Foreign) - 1
	m := &eager.Machine{At: at}
	values := make([]*eager.Tensor, len(p.Inputs))
	for id, in := range p.Inputs {
		values[id] = m.Leaf(in, p.Draw(id, run), nil, nil)
	}
	for i := range p.Steps {
		out, err := m.Do(&p.Steps[i], values)
		if err != nil {
			return !isElements(err)
		}
		if slices.ContainsFunc(out, func(x *eager.Tensor) bool { return !g.isFit(x, at) }) || len(out) != p.Steps[i].N {
			return false
		}
		values = append(values, out...)
	}
	return true
}
