package difftest

import (
	"fmt"
	"math"
	"slices"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// answer is the evaluator's result: elements of outputs and, after the run, of inputs, and derivatives.
type answer struct {
	shape  [][]int
	cells  [][]eager.Cell
	t      []eager.DType
	slope  [3]float64 // of the gradient's value: along the first direction, the second, both
	rough  [3]bool
	values []*eager.Tensor
	wild   bool // some number on the way is large, or not finite
}

func (a *answer) put(x *eager.Tensor) {
	a.shape, a.cells, a.t = append(a.shape, x.Shape), append(a.cells, x.Cells()), append(a.t, x.T)
}

// wanted computes the program with the evaluator.
func (c *checker) wanted(m *eager.Machine) (*answer, error) {
	m.At = c.p.Sizes(c.v.Binding)
	var inputs []*eager.Tensor
	for id, in := range c.p.Inputs {
		inputs = append(inputs, m.Leaf(in, c.data(id), c.a[id], c.along[id]))
	}
	values, err := m.Run(c.p, inputs)
	if err != nil {
		return nil, err
	}
	a := &answer{rough: m.Rough, wild: slices.ContainsFunc(values, isWild), values: values}
	asked := slices.Concat(c.p.Outputs, c.p.Updates)
	if c.p.Gradient != nil {
		asked = append(asked, c.p.Gradient.Of)
	}
	for _, k := range asked {
		if err := values[k].Err(); err != nil {
			return nil, err
		}
	}
	for _, k := range c.p.Outputs {
		a.put(values[k])
	}
	for id := range c.p.Inputs {
		if c.p.Gradient.Steps(c.p, id) {
			continue
		}
		x := values[id]
		for _, w := range c.p.Updates {
			if values[w].SharesMemory(x) {
				after, err := m.Do(&eager.Step{Op: "After", In: []int{id, w}}, values)
				if err != nil {
					return nil, err
				}
				x = after[0]
			}
		}
		a.put(x)
	}
	if d := c.p.Gradient; d != nil {
		if d.Up >= 0 && !slices.Equal(values[d.Up].Shape, values[d.Of].Shape) {
			return nil, fmt.Errorf("the upstream gradient is %v, not %v", values[d.Up].Shape, values[d.Of].Shape)
		}
		a.differentiate(d, values)
	}
	return a, nil
}

func isWild(x *eager.Tensor) bool {
	return slices.ContainsFunc(x.Cells(), func(c eager.Cell) bool { return !(math.Abs(c.V) < 1e4) })
}

// differentiate adds up the derivatives of the gradient's value.
func (a *answer) differentiate(d *eager.Gradient, values []*eager.Tensor) {
	y := values[d.Of].Cells()
	up := make([]eager.Cell, len(y))
	for i := range up {
		up[i].V = 1
	}
	if d.Up >= 0 {
		up = values[d.Up].Cells()
	}
	for i, v := range y {
		a.slope[0] += v.A * up[i].V
		a.slope[1] += v.B * up[i].V
		a.slope[2] += v.AB * up[i].V
	}
}
