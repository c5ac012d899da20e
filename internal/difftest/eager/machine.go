package eager

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Machine computes one run of a program.
type Machine struct {
	At map[string]int // the named sizes
	// Noise, where there is one, moves each result by a random part of its size, of at most Units
	// units in the last place: the spread of the answers is the rounding that a value bears.
	Noise *rand.Rand
	Units float64
	// Rough tells which derivatives were not finite somewhere, or are a matter of convention: along
	// the first direction, the second, both.
	Rough [3]bool
}

// Entry computes what an operation gives.
type Entry func(m *Machine, s *Step, x []*Tensor) []*Tensor

// Entries are the operations by name.
var Entries = map[string]Entry{}

// Leaf makes a value from its elements and their derivatives, which may be nil.
func (m *Machine) Leaf(in Input, data, a, b []float64) *Tensor {
	cells := make([]Cell, len(data))
	for i, v := range data {
		if !in.T.IsFloat() {
			cells[i].I = int64(v)
			continue
		}
		cells[i].V = v
		if a != nil {
			cells[i].A, cells[i].B = a[i], b[i]
		}
	}
	return dense(in.T, shapeOf(in.Shape, m.At), cells)
}

// ErrElements is in errors of steps that have no value because of the elements that they are
// given, whatever the sizes.
var ErrElements = errors.New("no value for these elements")

// Do computes a step from values. The error tells that it has none.
func (m *Machine) Do(s *Step, values []*Tensor) (out []*Tensor, err error) {
	entry, found := Entries[s.Op]
	if !found {
		return nil, fmt.Errorf("no operation %q", s.Op)
	}
	x := make([]*Tensor, len(s.In))
	for i, k := range s.In {
		if k >= 0 {
			x[i] = values[k]
		}
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			err = fmt.Errorf("%s: %s", s.Op, string(r))
		case unfit:
			err = fmt.Errorf("%s: %w: %s", s.Op, ErrElements, string(r))
		default:
			panic(r)
		}
	}()
	return entry(m, s, x), nil
}

// Run computes all values of a program from its inputs.
func (m *Machine) Run(p *Program, inputs []*Tensor) ([]*Tensor, error) {
	values := inputs
	for i := range p.Steps {
		out, err := m.Do(&p.Steps[i], values)
		if err != nil {
			return nil, err
		}
		values = append(values, out...)
	}
	return values, nil
}

// sizes returns the sizes of a step.
func (m *Machine) sizes(list []Size) []int { return shapeOf(list, m.At) }

// made rounds new elements to their dtype and makes a value of them.
func (m *Machine) made(t DType, shape []int, cells []Cell) *Tensor {
	for i := range cells {
		m.round(t, &cells[i])
	}
	return dense(t, shape, cells)
}

func (m *Machine) round(t DType, c *Cell) {
	switch t {
	case Int32:
		c.I = int64(int32(c.I))
	case Float32, Float64:
		if m.Noise != nil {
			m.disturb(t, &c.Num)
		}
		if t == Float32 {
			c.V = float64(float32(c.V))
		}
		for i, d := range [3]float64{c.A, c.B, c.AB} {
			m.Rough[i] = m.Rough[i] || !finite(d)
		}
	}
}

// unit is how far a result of size 1 is moved.
func (m *Machine) unit(t DType) float64 {
	if t == Float32 {
		return m.Units * 0x1p-24
	}
	return m.Units * 0x1p-53
}

// blur moves the derivatives of y, a function of x, as if the function's had been computed from
// rounded numbers of y's size: near its limit, 1 - tanh² has few right digits.
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
	// What has no derivative has a tiny one, so that one that is not finite on the way shows.
	x.A, x.B, x.AB = part(x.A)+1e-150, part(x.B)+1e-150, part(x.AB)
}

// moved returns a number on the way as if it had been rounded.
func (m *Machine) moved(t DType, x Num) Num {
	if m.Noise != nil {
		m.disturb(t, &x)
	}
	return x
}

// loose moves the derivatives of operands, each for itself: they are formed along other ways.
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

// shaken moves the elements of a sum, each by a part of its size: the order of sums is open.
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

// one is a list of one value.
func one(x *Tensor) []*Tensor { return []*Tensor{x} }
