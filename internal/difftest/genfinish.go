package difftest

import (
	"slices"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// finish draws outputs, updates and gradients, and reports whether there is anything to compute.
func (g *gen) finish() bool {
	if len(g.p.Steps) == 0 {
		return false
	}
	for id, in := range g.p.Inputs {
		if w, is := g.written[g.v(id).Root()]; is && (in.Param || in.Mutable) {
			g.p.Updates = append(g.p.Updates, w)
		}
	}
	for id := len(g.values[0]) - 1; id >= firstStep && len(g.p.Outputs) < 4; id-- {
		if g.isLatest(id) && (!g.used[id] || g.IntN(8) == 0) {
			g.p.Outputs = append(g.p.Outputs, id)
		}
	}
	for range oneOf(g, 0, 0, 0, 1, 2) { // an input, a view of another output, or the same value twice
		if id := g.pick(anyValue); id >= 0 && g.isLatest(id) {
			g.p.Outputs = append(g.p.Outputs, id)
		}
	}
	if g.about.hidden || g.about.descent || g.IntN(5) < 3 {
		g.differentiate()
	}
	if g.p.Again = g.IntN(3); len(g.p.Updates) == 0 && (g.p.Gradient == nil || g.p.Gradient.Rate == 0) {
		g.p.Again = 0
	}
	g.renumber()
	Trim(g.p)
	g.foreign()
	return len(g.p.Outputs)+len(g.p.Updates) > 0 || g.p.Gradient != nil
}

// isLatest reports whether a value can be read after all writes.
func (g *gen) isLatest(id int) bool {
	v := g.v(id)
	w, was := g.written[v.Root()]
	return !was && !v.IsLiteral() || was && g.v(w).Version() == v.Version()
}

// differentiate asks for the gradients of a value computed from the last ones.
func (g *gen) differentiate() {
	y := g.pick(isFloat)
	for id := len(g.values[0]) - 1; id >= firstStep && g.IntN(3) > 0; id-- {
		if g.v(id).T.IsFloat() && g.isLatest(id) {
			y = id
			break
		}
	}
	if y < firstStep {
		return
	}
	d := &eager.Gradient{Up: -1, Second: g.IntN(3) == 0}
	switch {
	case g.IntN(4) == 0 && g.rank(y) > 0:
		if d.Up = g.input(g.v(y).T, g.shapeOf(y), ""); d.Up < 0 {
			return
		}
	default:
		if other := g.pick(isFloat); other >= firstStep && g.IntN(3) == 0 { // two values in one loss
			a, b := g.do(eager.Step{Op: "Mean", In: []int{y}}), g.do(eager.Step{Op: "Sum", In: []int{other}})
			if a < 0 || b < 0 {
				return
			}
			y = g.do(eager.Step{Op: "Mul", In: []int{a, b}})
		}
		if y >= 0 && g.IntN(2) == 0 {
			y = g.do(eager.Step{Op: oneOf(g, "Square", "Sin", "Tanh"), In: []int{y}})
		}
		if y >= 0 && g.rank(y) > 0 {
			y = g.do(eager.Step{Op: oneOf(g, "Sum", "Sum", "Mean"), In: []int{y}})
		}
	}
	if y < 0 {
		return
	}
	d.Of = y
	for id, in := range g.p.Inputs {
		_, written := g.written[g.v(id).Root()]
		if in.T.IsFloat() && !written && id != d.Up && len(d.Wrt) < 4 {
			d.Wrt = append(d.Wrt, id)
		}
	}
	if len(d.Wrt) == 0 {
		return
	}
	g.p.Gradient = d
	if g.about.descent || g.IntN(6) == 0 {
		d.Rate = oneOf(g, 1, 0.5, 0.1)
	}
	if g.IntN(4) < g.about.alone() {
		g.p.Outputs = nil
	}
}

// renumber numbers the values of steps after the inputs.
func (g *gen) renumber() { shift(g.p, firstStep, len(g.p.Inputs)-firstStep) }

// shift adds by to the numbers of values from from on.
func shift(p *eager.Program, from, by int) {
	move := func(list []int) {
		for i, k := range list {
			if k >= from {
				list[i] = k + by
			}
		}
	}
	for _, s := range p.Steps {
		move(s.In)
	}
	move(p.Outputs)
	move(p.Updates)
	if d := p.Gradient; d != nil {
		one := []int{d.Of, d.Up}
		move(one)
		move(d.Wrt)
		d.Of, d.Up = one[0], one[1]
	}
}

// Trim removes what no requested value needs. The inputs keep their elements: they are drawn by number, so an unneeded
// input stays, unless it is one of the last.
func Trim(p *eager.Program) {
	firsts := p.Values()
	needed := map[int]bool{}
	for _, k := range slices.Concat(p.Outputs, p.Updates) {
		needed[k] = true
	}
	if p.Gradient != nil {
		needed[p.Gradient.Of], needed[p.Gradient.Up] = true, true
		for _, k := range p.Gradient.Wrt {
			needed[k] = true
		}
	}
	for i := len(p.Steps) - 1; i >= 0; i-- {
		s, asked := p.Steps[i], false
		for k := range s.N {
			asked = asked || needed[firsts[i]+k]
		}
		if !asked {
			p.Steps = slices.Delete(p.Steps, i, i+1)
			shift(p, firsts[i]+s.N, -s.N)
			shifted := map[int]bool{}
			for k := range needed {
				if k >= firsts[i]+s.N {
					k -= s.N
				}
				shifted[k] = true
			}
			needed = shifted
			continue
		}
		for _, k := range s.In {
			needed[k] = true
		}
	}
	for n := len(p.Inputs); n > 0 && !needed[n-1]; n-- {
		p.Inputs = p.Inputs[:n-1]
		shift(p, n, -1)
	}
}
