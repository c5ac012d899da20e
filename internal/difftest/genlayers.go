package difftest

import (
	"slices"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

func (g *gen) product() bool {
	x := g.pick(floatAxes)
	if x < 0 {
		return false
	}
	shape := g.shapeOf(x)
	inner := shape[len(shape)-1]
	if inner == nil {
		return false
	}
	t := g.v(x).T
	switch g.IntN(8) {
	case 0: // with itself, transposed
		if len(shape) < 2 {
			return false
		}
		y := g.do(eager.Step{Op: "Transpose", In: []int{x}, I: []int{-1, -2}})
		return y >= 0 && g.did(eager.Step{Op: "MatMul", In: []int{x, y}})
	case 1:
		return g.did(eager.Step{Op: "MatMul", In: []int{x, g.input(t, []eager.Size{inner}, "")}})
	case 2: // from the left
		if len(shape) < 2 {
			return false
		}
		return g.did(eager.Step{Op: "MatMul",
			In: []int{g.input(t, []eager.Size{g.someSize(), shape[len(shape)-2]}, ""), x}})
	case 3: // weights of one dimension more or less, with a batch that broadcasts
		var batch []eager.Size
		for _, d := range shape[:max(0, len(shape)-2)] {
			batch = append(batch, oneOf(g, d, eager.Whole(1)))
		}
		return g.did(eager.Step{Op: "MatMul", In: []int{x, g.input(t, append(batch, inner, g.someSize()), "")}})
	case 4:
		w, b := g.input(t, []eager.Size{eager.Whole(1 + g.IntN(9)), inner}, ""), -1
		if w < 0 {
			return false
		}
		if g.IntN(2) == 0 {
			b = g.input(t, []eager.Size{g.sizeOf(w, 0)}, "")
		}
		return g.did(eager.Step{Op: "Linear", In: []int{x, w, b}})
	case 5:
		if len(shape) != 1 {
			return false
		}
		return g.did(eager.Step{Op: "Outer", In: []int{x, g.input(t, []eager.Size{g.someSize()}, "")}})
	case 6:
		if y := g.pick(func(v *eager.Tensor) bool { return v.T == t && len(v.Shape) > 0 }); y >= 0 {
			return g.did(eager.Step{Op: "MatMul", In: []int{x, y}})
		}
	}
	return g.did(eager.Step{Op: "MatMul", In: []int{x, g.input(t, []eager.Size{inner, g.someSize()}, "")}})
}

func (g *gen) conv() bool {
	axes := 1 + g.IntN(2)
	x := g.pick(func(v *eager.Tensor) bool {
		return v.T.IsFloat() && (len(v.Shape) == axes+1 || len(v.Shape) == axes+2)
	})
	groups := oneOf(g, 1, 1, 2)
	if x < 0 || g.IntN(3) == 0 {
		shape := append([]eager.Size{eager.Whole(groups * (1 + g.IntN(2)))}, g.someShape(axes)...)
		if g.IntN(4) > 0 {
			shape = slices.Insert(shape, 0, g.someSize())
		}
		if x = g.input(g.float, shape, ""); x < 0 {
			return false
		}
	}
	shape := g.shapeOf(x)
	channels := shape[len(shape)-axes-1]
	if channels == nil || !channels.IsWhole() || channels.Eval(nil)%groups != 0 {
		return false
	}
	c, o := channels.Eval(nil), 1+g.IntN(3)
	s := eager.Step{Op: []string{"Conv1D", "Conv2D"}[axes-1], I: []int{groups}}
	weights := []eager.Size{eager.Whole(o * groups), eager.Whole(c / groups)}
	if g.IntN(3) == 0 {
		s.Op = []string{"ConvTranspose1D", "ConvTranspose2D"}[axes-1]
		weights = []eager.Size{channels, eager.Whole(o)}
	}
	for range axes {
		weights = append(weights, eager.Whole(1+g.IntN(3)))
		s.I = append(s.I, oneOf(g, 1, 1, 2, 3), oneOf(g, 0, 0, 1, 2), oneOf(g, 1, 1, 2))
	}
	if len(s.Op) > 6 {
		for k := range axes {
			s.I = append(s.I, g.IntN(s.I[1+3*k]))
		}
	}
	w, b := g.input(g.v(x).T, weights, ""), -1
	if g.IntN(2) == 0 {
		b = g.input(g.v(x).T, []eager.Size{eager.Whole(o * groups)}, "")
	}
	return w >= 0 && g.did(eager.Step{Op: s.Op, I: s.I, In: []int{x, w, b}})
}

func (g *gen) pool() bool {
	axes := 1 + g.IntN(2)
	x := g.pick(func(v *eager.Tensor) bool {
		return v.T.IsFloat() && (len(v.Shape) == axes+1 || len(v.Shape) == axes+2)
	})
	if x < 0 {
		return false
	}
	s := eager.Step{Op: oneOf(g, "Max", "Avg") + "Pool" + []string{"1D", "2D"}[axes-1], In: []int{x}}
	var sizes []int
	for range axes {
		size := 1 + g.IntN(3)
		sizes = append(sizes, size)
		dilation := 1
		if s.Op[0] == 'M' {
			dilation = oneOf(g, 1, 1, 2)
		}
		s.I = append(s.I, oneOf(g, size, 1, 2), g.IntN(size/2+1), dilation)
	}
	s.I = append(s.I, sizes...)
	s.Text = oneOf(g, "", "", "ceil")
	if s.Op[0] == 'A' && g.IntN(4) == 0 {
		s.Text = "exclude"
	}
	return g.did(s)
}

func (g *gen) normalize() bool {
	x := g.pick(floatAxes)
	if x < 0 {
		return false
	}
	s := eager.Step{In: []int{x}, Op: oneOf(
		g, "LayerNorm", "LayerNormOver", "RMSNorm", "BatchNorm", "BatchNormInference", "GroupNorm", "Standardize",
		"GLU", "PRelu"),
		F: []float64{oneOf(g, 1e-2, 1e-1)}}
	shape, t := g.shapeOf(x), g.v(x).T
	operand := func(shape []eager.Size, kind string) {
		k := -1
		if g.IntN(3) > 0 || kind == "positive" {
			k = g.input(t, shape, kind)
		}
		s.In = append(s.In, k)
	}
	switch s.Op {
	case "Standardize", "GLU":
		s.I = []int{g.axis(x)}
		return g.did(s)
	case "LayerNorm", "LayerNormOver", "RMSNorm":
		over := shape[len(shape)-1-g.IntN(min(2, len(shape))):]
		if s.Op == "LayerNormOver" {
			s.S = over
		}
		operand(over, "")
		if s.Op != "RMSNorm" {
			operand(over, "")
		}
		return g.did(s)
	}
	if len(shape) < 2 {
		return false
	}
	c := shape[1:2]
	switch s.Op {
	case "PRelu":
		s.In = append(s.In, g.input(t, oneOf(g, nil, c), ""))
		s.F = nil
		return s.In[1] >= 0 && g.did(s)
	case "BatchNormInference":
		operand(c, "positive")
		operand(c, "positive")
		if s.In[1] < 0 || s.In[2] < 0 {
			return false
		}
	case "GroupNorm":
		s.I = []int{1 + g.IntN(2)}
	}
	operand(c, "")
	operand(c, "")
	return g.did(s)
}
