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
		return g.did(eager.Step{Op: "MatMul", In: []int{g.input(t, []eager.Size{g.someSize(), shape[len(shape)-2]}, ""), x}})
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

var equations = []string{"ij,jk->ik", "ii->", "ii->i", "ij->ji", "ij,ij->i", "ij,kj->ki", "i,j->ij", "bij,bjk->bik", "ij,jk,kl->il", "i,i->", "ij->", "bij,bkj->bik", "bi,bj->bij",
	"bij,jk->bki", "abi,ij->abj", "ijk->kj"}

func (g *gen) einsum() bool {
	s := eager.Step{Op: "Einsum", Text: oneOf(g, equations...)}
	sizes := map[rune]eager.Size{}
	for term := range splitTerms(s.Text) {
		x := -1
		if g.IntN(2) == 0 {
			x = g.pick(func(v *eager.Tensor) bool { return v.T == g.float && len(v.Shape) == len(term) })
		}
		if x >= 0 {
			for i, d := range g.shapeOf(x) {
				if old, is := sizes[rune(term[i])]; is && !slices.EqualFunc(old, d, sameTerm) {
					x = -1
					break
				} else if !is {
					sizes[rune(term[i])] = d
				}
			}
		}
		if x < 0 {
			var shape []eager.Size
			for _, l := range term {
				if sizes[l] == nil {
					sizes[l] = g.someSize()
				}
				shape = append(shape, sizes[l])
			}
			x = g.input(g.float, shape, "")
		}
		s.In = append(s.In, x)
	}
	return !slices.Contains(s.In, -1) && g.did(s)
}

func sameTerm(a, b eager.Term) bool { return a.Times == b.Times && slices.Equal(a.Names, b.Names) }

func (g *gen) conv() bool {
	axes := 1 + g.IntN(2)
	x := g.pick(func(v *eager.Tensor) bool { return v.T.IsFloat() && (len(v.Shape) == axes+1 || len(v.Shape) == axes+2) })
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
	x := g.pick(func(v *eager.Tensor) bool { return v.T.IsFloat() && (len(v.Shape) == axes+1 || len(v.Shape) == axes+2) })
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
	s := eager.Step{In: []int{x}, Op: oneOf(g, "LayerNorm", "RMSNorm", "BatchNorm", "BatchNormInference", "GroupNorm", "Standardize", "GLU", "PRelu"),
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
	case "LayerNorm", "RMSNorm":
		over := shape[len(shape)-1-g.IntN(min(2, len(shape))):]
		operand(over, "")
		if s.Op == "LayerNorm" {
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

func (g *gen) loss() bool {
	x := g.pick(floatAxes)
	if x < 0 {
		return false
	}
	s := eager.Step{In: []int{x}, Op: oneOf(g, "MSE", "L1", "Huber", "SmoothL1", "BCE", "BCEWithLogits", "KLDiv", "CrossEntropy", "NLL"), Text: oneOf(g, "", "sum", "each")}
	shape, t := g.shapeOf(x), g.v(x).T
	kind := ""
	switch s.Op {
	case "Huber", "SmoothL1":
		s.F = []float64{oneOf(g, 0.5, 1, 0.7)}
	case "CrossEntropy", "NLL":
		if len(shape) < 2 {
			return false
		}
		target := g.declare(eager.Input{T: eager.Int64, Shape: slices.Delete(slices.Clone(shape), 1, 2), Kind: "index", Below: shape[1]})
		s.In = append(s.In, target)
		return target >= 0 && g.did(s)
	case "BCE":
		if x = g.do(eager.Step{Op: "Sigmoid", In: []int{x}}); x < 0 {
			return false
		}
		s.In[0], kind = x, "unit"
	case "BCEWithLogits", "KLDiv":
		kind = "unit"
	}
	y := g.input(t, shape, kind)
	s.In = append(s.In, y)
	return y >= 0 && g.did(s)
}

// write writes a value in place: a view of a parameter, of a copy, or of what was computed.
func (g *gen) write() bool {
	x := g.pick(func(v *eager.Tensor) bool { return v.T.IsFloat() && !v.Shared })
	if x < 0 || g.IntN(3) == 0 {
		if x = g.pick(floatAxes); x < 0 {
			return false
		}
		if x = g.do(eager.Step{Op: "Copy", In: []int{x}}); x < 0 {
			return false
		}
	}
	if g.IntN(2) == 0 && g.rank(x) > 0 { // a part of it
		axis := g.axis(x)
		s := oneOf(g, eager.Step{Op: "Slice", I: []int{axis, 1}, S: []eager.Size{eager.Whole(g.IntN(2)), end}},
			eager.Step{Op: "Slice", I: []int{axis, 2}, S: []eager.Size{eager.Whole(0), end}},
			eager.Step{Op: "Narrow", I: []int{axis}, S: []eager.Size{eager.Whole(g.IntN(2)), eager.Whole(1 + g.IntN(3))}},
			eager.Step{Op: "Select", I: []int{axis}, S: []eager.Size{eager.Whole(g.IntN(2))}},
			eager.Step{Op: "Transpose", I: []int{axis, g.axis(x)}}, eager.Step{Op: "Flip", I: []int{axis}},
			eager.Step{Op: "Diagonal", I: []int{0, axis, g.axis(x)}})
		s.In = []int{x}
		if y := g.do(s); y >= 0 {
			x = y
		}
	}
	if !g.writable(x) {
		return false
	}
	whole := x
	s := eager.Step{In: []int{x}, Op: oneOf(g, "AddInPlace", "SubInPlace", "MulInPlace", "DivInPlace", "CopyInPlace", "CopyInPlace", "InPlace")}
	if s.Op == "InPlace" {
		s.Text = oneOf(g, "Exp", "Sin", "Neg", "Tanh", "Sigmoid", "Relu", "Square", "Abs")
	} else if y := g.partner(x); y >= 0 {
		s.In = append(s.In, y)
	} else {
		return false
	}
	w := g.do(s)
	if w < 0 {
		return false
	}
	g.written[g.v(w).Root()] = w
	if g.IntN(2) == 0 { // another view of the same memory, after the write
		if y := g.pick(func(v *eager.Tensor) bool { return v.SharesMemory(g.v(w)) }); y >= 0 {
			whole = y
		}
		g.do(eager.Step{Op: "After", In: []int{whole, w}})
	}
	return true
}

// writable reports whether a value may be written: it lies in memory of its own that is no
// input's, in the latest version, and its elements lie apart.
func (g *gen) writable(x int) bool {
	for k := range g.at {
		if v := g.values[k][x]; v.Shared || !v.Apart() {
			return false
		}
	}
	v := g.v(x)
	for id, in := range g.p.Inputs {
		if !in.Param && g.v(id).SharesMemory(v) {
			return false
		}
	}
	w, was := g.written[v.Root()]
	return !was && v.Version() == v.Root() || was && g.v(w).Version() == v.Version()
}
