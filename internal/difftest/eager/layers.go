package eager

import "slices"

// loss reduces a function of value and target: Text is "sum", "each" or empty for the mean.
func (m *Machine) loss(s *Step, x []*Tensor, f func(x, t Num) Num) *Tensor {
	t := promote(x[0], x[1])
	if !t.IsFloat() {
		refuse("%s", t)
	}
	shape, cells := m.meet(t, x[0], x[1])
	for i, c := range cells[0] {
		cells[0][i].Num = f(c.Num, cells[1][i].Num)
	}
	return m.folded(s, m.made(t, shape, cells[0]))
}

func (m *Machine) folded(s *Step, each *Tensor) *Tensor {
	switch s.Text {
	case "each":
		return each
	case "sum":
		return Entries["Sum"](m, &Step{}, []*Tensor{each})[0]
	}
	return Entries["Mean"](m, &Step{}, []*Tensor{each})[0]
}

// channels returns [C] the rank of x, along axis 1.
func channels(c *Tensor, x *Tensor) *Tensor {
	if len(c.Shape) != 1 || len(x.Shape) < 2 || c.Shape[0] != x.Shape[1] {
		refuse("channels %v of %v", c.Shape, x.Shape)
	}
	for range x.Shape[2:] {
		c = c.unsqueezed(len(c.Shape))
	}
	return c
}

// affine multiplies by a gain and adds a bias, if given.
func (m *Machine) affine(y, gain, bias *Tensor) *Tensor {
	if gain != nil {
		y = m.binary(binaries["Mul"], y, gain)
	}
	if bias != nil {
		y = m.binary(binaries["Add"], y, bias)
	}
	return y
}

// trailing returns the last axes, as many as the given operands have.
func trailing(x *Tensor, like ...*Tensor) (axes []int) {
	n := 1
	for _, v := range like {
		if v != nil {
			n = len(v.Shape)
			for i, d := range v.Shape {
				if len(v.Shape) > len(x.Shape) || d != x.Shape[len(x.Shape)-n+i] {
					refuse("%v of %v", v.Shape, x.Shape)
				}
			}
		}
	}
	for i := 1; i <= n; i++ {
		axes = append(axes, -i)
	}
	return axes
}

func init() {
	Entries["CrossEntropy"], Entries["NLL"] = likelihood(false), likelihood(true)
	Entries["BCEWithLogits"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		// The order of PyTorch: at an infinite x the result is NaN.
		return one(m.loss(s, x, func(x, t Num) Num { return add(mul(sub(num(1), t), x), softplus(neg(x))) }))
	}
	Entries["BCE"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		return one(m.loss(s, x, func(x, t Num) Num {
			if !(x.V*(1-x.V) > 1e-12) { // nearer to 0 and 1 the slope is cut off, as PyTorch has it
				refuseElements("no probability, or one that is nearly 0 or 1")
			}
			return neg(add(mul(t, log(x)), mul(sub(num(1), t), log(sub(num(1), x)))))
		}))
	}
	Entries["KLDiv"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		return one(m.loss(s, x, func(x, t Num) Num {
			if !(t.V > 0) {
				refuseElements("no probability")
			}
			return mul(t, sub(log(t), x))
		}))
	}
	Entries["LayerNormOver"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		sizes := m.sizes(s.S)
		if len(sizes) > len(x[0].Shape) || !slices.Equal(sizes, x[0].Shape[len(x[0].Shape)-len(sizes):]) {
			refuse("%v of %v", sizes, x[0].Shape)
		}
		return one(m.affine(m.standardized(x[0], trailing(x[0], dense(Bool, sizes, nil)), s.F[0]), x[1], x[2]))
	}
	Entries["LayerNorm"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		axes := trailing(x[0], x[1], x[2])
		return one(m.affine(m.standardized(x[0], axes, s.F[0]), x[1], x[2]))
	}
	Entries["RMSNorm"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		axes := trailing(x[0], x[1])
		y := m.along(x[0], x[0].T, axes, func(row []Cell) []Cell {
			r := sqrt(add(div(squares(row), num(float64(len(row)))), num(s.F[0])))
			return each(row, func(x Num) Num { return div(x, r) })
		})
		return one(m.affine(y, x[1], nil))
	}
	Entries["BatchNorm"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		axes := []int{0}
		for i := 2; i < len(x[0].Shape); i++ {
			axes = append(axes, i)
		}
		if shape := x[0].Shape; len(shape) < 2 || shape[0]*volume(shape[2:]) == 1 {
			refuse("channels of %v", shape)
		}
		of := &Step{I: axes, F: []float64{0}}
		y := m.apart(s, func() *Tensor {
			gain, bias := x[1], x[2]
			if gain != nil {
				gain = channels(gain, x[0])
			}
			if bias != nil {
				bias = channels(bias, x[0])
			}
			return m.affine(m.standardized(x[0], axes, s.F[0]), gain, bias)
		})
		return []*Tensor{y, Entries["Mean"](m, of, x)[0], Entries["Var"](m, of, x)[0]}
	}
	Entries["BatchNormInference"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		c := make([]*Tensor, 5)
		for i := 1; i < 5; i++ {
			if x[i] != nil {
				c[i] = channels(x[i], x[0])
			}
		}
		root := m.mapped(c[2], func(v Num) Num { return sqrt(add(v, num(s.F[0]))) })
		return one(m.affine(m.binary(binaries["Div"], m.binary(binaries["Sub"], x[0], c[1]), root), c[3], c[4]))
	}
	Entries["GroupNorm"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		shape := x[0].Shape
		if len(shape) < 2 || shape[1]%s.I[0] != 0 {
			refuse("%d groups in %v", s.I[0], shape)
		}
		width := volume(shape[1:]) / s.I[0]
		y := m.standardized(x[0].reshaped([]int{shape[0], s.I[0], width}), []int{2}, s.F[0]).reshaped(shape)
		gain, bias := x[1], x[2]
		if gain != nil {
			gain = channels(gain, x[0])
		}
		if bias != nil {
			bias = channels(bias, x[0])
		}
		return one(m.affine(y, gain, bias))
	}
	Entries["GLU"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		axis := x[0].axis(s.I[0])
		n := x[0].Shape[axis]
		if n%2 != 0 {
			refuse("half of %d", n)
		}
		gate := m.mapped(x[0].sliced(axis, n/2, n, 1), sigmoid)
		return one(m.binary(binaries["Mul"], x[0].sliced(axis, 0, n/2, 1), gate))
	}
	Entries["PRelu"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		slope := x[1]
		if len(slope.Shape) == 1 && slope.Shape[0] != 1 {
			slope = channels(slope, x[0])
		}
		if x[0].T != slope.T || !x[0].T.IsFloat() || len(x[1].Shape) > 1 || len(x[0].Shape) < len(slope.Shape) {
			refuse("slopes %v of %v", x[1].Shape, x[0].Shape)
		}
		return one(m.binary(binary{float: leaky}, x[0], slope))
	}
}
