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
	s := eager.Step{Op: oneOf(g, "Solve", "SolveTriangular", "Inv", "Cholesky", "Det", "SlogDet", "Trace"), In: []int{a}}
	if s.Op[:2] == "So" {
		shape := g.shapeOf(a)
		s.In = append(s.In, g.input(g.float, append(shape[g.IntN(len(shape)-1):len(shape)-1], g.someSize()), ""))
	}
	if s.Op == "SolveTriangular" {
		s.Text = oneOf(g, "", "upper")
	}
	return g.did(s)
}

// signal transforms numbers, changes the size of images, or goes to a few bits and back.
func (g *gen) signal() bool {
	if g.float != eager.Float32 && g.float != eager.Float64 {
		return false
	}
	own := func(v *eager.Tensor) bool { return v.T == g.float && len(v.Shape) > 0 }
	switch g.IntN(4) {
	case 0:
		return g.did(eager.Step{Op: oneOf(g, "FFT", "IFFT"), In: []int{g.input(g.float, append(g.someShape(1+g.IntN(2)), eager.Whole(2)), "")}})
	case 1:
		return g.did(eager.Step{Op: "RFFT", In: []int{g.pick(own)}})
	case 2:
		axes := 1 + g.IntN(2)
		x := g.pick(func(v *eager.Tensor) bool { return v.T == g.float && len(v.Shape) == axes+2 })
		if x < 0 {
			x = g.input(g.float, g.someShape(axes+2), "")
		}
		return g.did(eager.Step{Op: "Resize", In: []int{x}, Text: oneOf(g, "nearest", "linear", "corners", "area"), S: g.someShape(axes)})
	}
	t := oneOf(g, eager.Int8, eager.Uint8)
	x, zero := g.pick(own), g.input(t, nil, "")
	scales := g.input(g.float, nil, "positive")
	if x < 0 || zero < 0 || scales < 0 {
		return false
	}
	q := g.do(eager.Step{Op: "Quantize", In: []int{x, scales, zero}})
	return q >= 0 && g.did(eager.Step{Op: "Dequantize", In: []int{q, scales, zero}})
}

// volumes slides windows over three axes, or over some with the places of their greatest elements.
func (g *gen) volumes() bool {
	axes := 1 + g.IntN(3)
	op := oneOf(g, "Conv3D", "MaxPool3D", "AvgPool3D", "MaxPoolIndex", "MaxPoolIndex")
	if op != "MaxPoolIndex" {
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
	if op == "Conv3D" {
		shape := g.shapeOf(x)
		weights := []eager.Size{eager.Whole(2), shape[len(shape)-4], eager.Whole(sizes[0]), eager.Whole(sizes[1]), eager.Whole(sizes[2])}
		s.I = append([]int{1}, s.I...)
		s.In = append(s.In, g.input(g.v(x).T, weights, ""), -1)
		return s.In[1] >= 0 && g.did(s)
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
