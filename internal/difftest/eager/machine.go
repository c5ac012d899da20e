package eager

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

// Machine computes one run of a program.
type Machine struct {
	At map[string]int // the named sizes
	// Noise, if set, moves each result by a random part of its size, of at most Units units in the last place. The
	// spread of the answers is the rounding that a value allows.
	Noise *rand.Rand
	Units float64
	// Reach, if set, is how far rounding moves each element of each value: see settle.
	Reach [][]float64
	// Rough says which derivatives were not finite somewhere, or are a matter of convention: along the first direction,
	// the second, both.
	Rough [3]bool
}

// Entry computes an operation.
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

// ErrElements is in errors of steps that have no value because of their elements, independent of the sizes.
var ErrElements = errors.New("no value for these elements")

// Do computes a step from values. The error says why it has none.
func (m *Machine) Do(s *Step, values []*Tensor) (out []*Tensor, err error) {
	entry, found := Entries[s.Op]
	if !found {
		return nil, fmt.Errorf("no operation %q", s.Op)
	}
	x := make([]*Tensor, len(s.In))
	for i, k := range s.In {
		if k < 0 {
			continue
		}
		if x[i] = values[k]; x[i].err != nil {
			return nil, x[i].err
		}
	}
	defer recovered(s, &err)
	return entry(m, s, x), nil
}

// recovered turns the panic of a step without a value into an error.
func recovered(s *Step, err *error) {
	switch r := recover().(type) {
	case nil:
	case refusal:
		*err = fmt.Errorf("%s: %s", s.Op, string(r))
	case cause:
		*err = r.error
	case unfit:
		*err = fmt.Errorf("%s: %w: %s", s.Op, ErrElements, string(r))
	default:
		panic(r)
	}
}

// apart computes one of several values of a step. If it has none, the others may still have.
func (m *Machine) apart(s *Step, f func() *Tensor) (x *Tensor) {
	var err error
	defer func() {
		if err != nil {
			x = failed(err)
		}
	}()
	defer recovered(s, &err)
	return f()
}

// failed represents a missing value.
func failed(err error) *Tensor {
	x := dense(Float32, []int{0}, nil)
	x.err = err
	return x
}

// Run computes all values of a program from its inputs.
func (m *Machine) Run(p *Program, inputs []*Tensor) ([]*Tensor, error) {
	values := inputs
	for i := range p.Steps {
		out, err := m.Do(&p.Steps[i], values)
		if err != nil {
			return nil, err
		}
		m.settle(len(values), out, values)
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
	default:
		c.I = t.fit(c.I)
	case Bool:
	case Float16, BFloat16, Float32, Float64:
		if m.Noise != nil {
			m.disturb(t, &c.Num)
		}
		c.V = t.nearest(c.V)
		for i, d := range [3]float64{c.A, c.B, c.AB} {
			m.Rough[i] = m.Rough[i] || !finite(d)
		}
	}
}

// partial rounds a partial sum: its rounding error shows if the whole sum is small.
func (m *Machine) partial(t DType, c *Cell) {
	if t == Float32 || t == Float64 {
		m.round(t, c)
	}
}

// one is a list of one value.
func one(x *Tensor) []*Tensor { return []*Tensor{x} }
