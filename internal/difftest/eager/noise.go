package eager

import (
	"math"
	"slices"
)

// unit is how far a result of size 1 is moved.
func (m *Machine) unit(t DType) float64 {
	switch {
	case t.isNarrow(): // each step rounds once: two units
		return math.Ldexp(2, -kinds[t].fraction-1)
	case t == Float32:
		return m.Units * 0x1p-24
	}
	return m.Units * 0x1p-53
}

// blur moves the derivatives of y, a function of x, as if they had been computed from rounded numbers of y's size: near
// its limit, 1 - tanh² has few correct digits.
func (m *Machine) blur(t DType, x Num, y *Num) {
	off := m.unit(t) * (1 + math.Abs(y.V)) * (2*m.Noise.Float64() - 1)
	y.A += off * x.A
	y.B += off * x.B
	y.AB += off * (x.AB + x.A*x.B)
}

func (m *Machine) disturb(t DType, x *Num) {
	unit := m.unit(t)
	part := func(v float64) float64 { return v * (1 + unit*(2*m.Noise.Float64()-1)) }
	switch {
	case x.V == 0 && m.Noise.IntN(2) == 0:
		x.V = -x.V // a sum of nothing, or of one zero, may have either sign
	case !isShort(x.V): // what has few digits is formed without rounding
		x.V = part(x.V)
	}
	// A zero derivative becomes a tiny one, so that infinities and NaN on the way show.
	x.A, x.B, x.AB = part(x.A)+1e-150, part(x.B)+1e-150, part(x.AB)
}

// moved returns an intermediate number as if it had been rounded.
func (m *Machine) moved(t DType, x Num) Num {
	if m.Noise != nil {
		m.disturb(t, &x)
	}
	return x
}

// loose moves the derivatives of operands independently, since they are computed in different ways.
func (m *Machine) loose(t DType, cells [][]Cell) {
	if m.Noise == nil || !t.IsFloat() {
		return
	}
	for i, list := range cells {
		moved := m.shaken(t, list)
		for k := range moved {
			moved[k].V = list[k].V
		}
		cells[i] = moved
	}
}

// shaken moves the elements of a sum, each by a part of its size, since the order of sums is not specified.
func (m *Machine) shaken(t DType, cells []Cell) []Cell {
	if m.Noise == nil || !t.IsFloat() {
		return cells
	}
	out := make([]Cell, len(cells))
	unit := m.unit(t)
	for i, c := range cells {
		by := func() float64 { return 1 + unit*(2*m.Noise.Float64()-1) }
		out[i].Num = Num{c.V * by(), c.A * by(), c.B * by(), c.AB * by()}
	}
	return out
}

// isShort reports whether a number has few binary digits.
func isShort(v float64) bool {
	return math.Abs(v) < 1<<12 && v*256 == math.Trunc(v*256)
}

// settle moves new elements near a multiple of a half onto it, or to one side of it, if rounding reaches that far:
// functions jump there, and noise alone never hits it.
func (m *Machine) settle(first int, fresh, before []*Tensor) {
	if m.Reach == nil {
		return
	}
	for k, x := range fresh {
		isView := func(y *Tensor) bool { return y.Version() == x.Version() }
		if !x.T.IsFloat() || slices.ContainsFunc(slices.Concat(before, fresh[:k]), isView) {
			continue
		}
		for i, at := range x.places() {
			v, reach := &x.mem.cells[at].V, m.Reach[first+k][i]
			if jump := math.Round(*v*2) / 2; math.Abs(*v-jump) <= 2*reach && reach < 0.125 {
				*v = m.beside(x.T, *v, jump, reach)
			}
		}
	}
}

// beside draws a number: v, the jump next to it, or one on either side of the jump.
func (m *Machine) beside(t DType, v, jump, reach float64) float64 {
	side := [4]float64{0, -1, 1, 0}[m.Noise.IntN(4)]
	if side == 0 {
		return [2]float64{v, jump}[m.Noise.IntN(2)]
	}
	if v = t.nearest(jump + side*reach); v != jump || t.isNarrow() {
		return v
	}
	if t == Float32 {
		return float64(math.Nextafter32(float32(jump), float32(math.Inf(int(side)))))
	}
	return math.Nextafter(jump, math.Inf(int(side)))
}
