package difftest

import (
	"slices"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// matrix does linear algebra with square matrices, most of which are far from singular.
func (g *gen) matrix() bool {
	if g.float != eager.Float32 && g.float != eager.Float64 {
		return false
	}
	n := g.someSize()
	a := g.pick(func(v *eager.Tensor) bool {
		rank := len(v.Shape)
		return v.T == g.float && rank > 1 && v.Shape[rank-1] == v.Shape[rank-2] && g.IntN(3) == 0
	})
	if a < 0 {
		a = g.input(g.float, append(g.someShape(g.IntN(2)), n, n), "dominant")
	}
	if a < 0 {
		return false
	}
	if g.IntN(2) == 0 {
		return g.factors()
	}
	s := eager.Step{Op: oneOf(g, "Solve", "SolveTriangular", "Inv", "Cholesky", "Det", "SlogDet", "Trace"),
		In: []int{a}}
	if s.Op[:2] == "So" {
		shape := g.shapeOf(a)
		s.In = append(s.In, g.input(g.float, append(shape[g.IntN(len(shape)-1):len(shape)-1], g.someSize()), ""))
	}
	if s.Op == "SolveTriangular" {
		s.Text = oneOf(g, "", "upper")
	}
	return g.did(s)
}

// factors factorizes matrices, and sometimes multiplies the factors again.
func (g *gen) factors() bool {
	op := oneOf(g, "QR", "LU", "SVD", "Eigh")
	rows := g.someSize()
	cols := oneOf(g, rows, g.someSize())
	if op == "Eigh" {
		cols = rows
	}
	a := g.pick(func(v *eager.Tensor) bool { return v.T == g.float && len(v.Shape) > 1 && g.IntN(3) == 0 })
	if a < 0 {
		a = g.input(g.float, append(g.someShape(g.IntN(2)), rows, cols), oneOf(g, "apart", "apart", ""))
	}
	if a < 0 {
		return false
	}
	y := g.do(eager.Step{Op: op, In: []int{a}})
	if y < 0 || g.IntN(2) == 0 {
		return y >= 0
	}
	product := func(x, y int) int { return g.do(eager.Step{Op: "MatMul", In: []int{x, y}}) }
	turned := func(x int) int { return g.do(eager.Step{Op: "Transpose", In: []int{x}, I: []int{-1, -2}}) }
	of := func(op string, x int) int { return g.do(eager.Step{Op: op, In: []int{x}}) }
	switch op {
	case "QR":
		y = product(y, y+1)
	case "LU":
		y = product(y, product(y+1, y+2))
	case "SVD": // with the values on one side
		y = product(
			g.do(
				eager.Step{Op: "Mul", In: []int{y, g.do(eager.Step{Op: "Unsqueeze", In: []int{y + 1}, I: []int{-2}})}}),
			y+2)
	case "Eigh": // a function of a matrix
		values := of(oneOf(g, "Tanh", "Square", "Sigmoid"), y)
		scaled := g.do(
			eager.Step{Op: "Mul", In: []int{y + 1, g.do(eager.Step{Op: "Unsqueeze", In: []int{values}, I: []int{-2}})}})
		y = product(scaled, turned(y+1))
	}
	return y >= 0
}

// volumes slides windows over three axes, or over fewer with the places of their maxima.
func (g *gen) volumes() bool {
	axes := 1 + g.IntN(3)
	op := oneOf(g, "Conv3D", "ConvTranspose3D", "MaxPool3D", "AvgPool3D", "MaxPoolIndex", "MaxPoolIndex", "LpPool")
	if op != "MaxPoolIndex" && op != "LpPool" {
		axes = 3
	}
	x := g.pick(func(v *eager.Tensor) bool {
		return v.T.IsFloat() && (len(v.Shape) == axes+1 || len(v.Shape) == axes+2) && g.IntN(2) == 0
	})
	if x < 0 {
		x = g.input(g.float, slices.Concat(g.someShape(g.IntN(2)), []eager.Size{eager.Whole(2)}, g.someShape(axes)), "")
	}
	if x < 0 {
		return false
	}
	s := eager.Step{Op: op, In: []int{x}}
	var sizes []int
	for range axes {
		size := 1 + g.IntN(3)
		sizes = append(sizes, size)
		s.I = append(s.I, oneOf(g, size, 1, 2), g.IntN(size/2+1), 1)
	}
	if axes == 3 && op[0] == 'C' {
		shape := g.shapeOf(x)
		weights := []eager.Size{eager.Whole(2), shape[len(shape)-4]}
		if op == "ConvTranspose3D" {
			slices.Reverse(weights)
		}
		s.I = append([]int{1}, s.I...)
		for k, size := range sizes {
			if weights = append(weights, eager.Whole(size)); op == "ConvTranspose3D" {
				s.I = append(s.I, g.IntN(s.I[1+3*k]))
			}
		}
		s.In = append(s.In, g.input(g.v(x).T, weights, ""), -1)
		return s.In[1] >= 0 && g.did(s)
	}
	if op == "LpPool" {
		if s.F = []float64{oneOf(g, 1., 2, 2, 3)}; s.F[0] == 3 {
			x = g.positive(x)
			s.In[0] = x
		}
	}
	s.I = append(s.I, sizes...)
	s.Text = oneOf(g, "", "ceil")
	y := g.do(s)
	if y < 0 || op != "MaxPoolIndex" || g.IntN(2) == 0 {
		return y >= 0
	}
	shape := g.shapeOf(x)
	return g.did(eager.Step{Op: "MaxUnpool", In: []int{y, y + 1}, S: shape[len(shape)-axes:]})
}
