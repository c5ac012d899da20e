package exec_test

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func (p *program) pick() *graph.Node { return p.nodes[p.rng.IntN(len(p.nodes))] }

func (p *program) axis(n *graph.Node) int { return p.rng.IntN(n.Rank()) }

// size draws a size.
func (p *program) size() graph.Dim {
	named := []graph.Dim{p.batch, p.seq, p.batch, p.seq, p.batch.Times(2).Plus(1), p.seq.Minus(1), p.batch.Times(p.seq),
		p.batch.Plus(p.seq)}
	if p.rng.IntN(3) == 0 {
		return graph.Dim(1 + p.rng.IntN(4))
	}
	return named[p.rng.IntN(len(named))]
}

func (p *program) shapeOf(rank int) graph.Shape {
	s := graph.Shape{}
	for range rank {
		s = append(s, p.size())
	}
	return s
}

// among picks one of the values that satisfy a condition; nil where there is none.
func (p *program) among(ok func(*graph.Node) bool) *graph.Node {
	var fit []*graph.Node
	for _, n := range p.nodes {
		if ok(n) {
			fit = append(fit, n)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return fit[p.rng.IntN(len(fit))]
}

// floats picks a floating-point value.
func (p *program) floats() *graph.Node {
	return p.among(func(n *graph.Node) bool { return n.DType().IsFloat() })
}

// exactly picks a value on which a result may depend by a jump.
func (p *program) exactly() *graph.Node { return p.among(p.isExact) }

// exactOps do not round what they give.
var exactOps = []string{"neg", "abs", "maximum", "minimum", "where", "amax", "amin", "clone", "copy_"}

// isExact reports whether a value is the same however it is computed.
func (p *program) isExact(n *graph.Node) bool {
	exact, known := p.exact[n]
	if known {
		return exact
	}
	switch n.Op().Class {
	case graph.Source, graph.Movement, graph.Gather, graph.Version:
		exact = true
	case graph.Elementwise, graph.Update, graph.Reduce, graph.Composite:
		exact = !n.DType().IsFloat() || slices.Contains(exactOps, n.Op().Name)
	}
	for _, x := range n.Operands() {
		exact = exact && p.isExact(x)
	}
	p.exact[n] = exact
	return exact
}

// operand returns a value of a dtype and shape: one that there is, or a new input.
func (p *program) operand(t graph.DType, s graph.Shape) *graph.Node {
	n := p.among(func(n *graph.Node) bool { return n.DType() == t && slices.Equal(n.Shape(), s) })
	if n == nil || p.rng.IntN(4) == 0 {
		return p.input(t, s...)
	}
	return n
}

// partner returns a value that mostly broadcasts to the shape of another one.
func (p *program) partner(x *graph.Node) *graph.Node {
	if p.rng.IntN(12) == 0 {
		return p.pick()
	}
	if p.rng.IntN(2) == 0 {
		return p.among(func(n *graph.Node) bool { return n == x || stretches(n.Shape(), x.Shape()) })
	}
	s := slices.Clone(x.Shape())
	for i := range s {
		if p.rng.IntN(3) == 0 {
			s[i] = 1
		}
	}
	return p.operand(x.DType(), s[p.rng.IntN(len(s)+1):])
}

// operation draws an operation on values that there are; nil where none fits.
func (p *program) operation() *graph.Node {
	x := p.pick()
	switch p.rng.IntN(16) {
	case 0, 1:
		return p.smooth(p.floats())
	case 2, 3:
		return p.combined(x)
	case 4:
		return p.jumping(p.exactly())
	case 5:
		return p.generated()
	case 6:
		return p.product(p.floats())
	}
	if x.Rank() == 0 {
		x = ops.Expand(x, p.shapeOf(1+p.rng.IntN(2))...)
	}
	if !x.Judged() {
		return x
	}
	switch p.rng.IntN(6) {
	case 0:
		return p.reduced(x)
	case 1:
		return p.moved(x)
	case 2:
		return p.cut(x)
	case 3:
		return p.lengthened(x)
	case 4:
		return p.gathered(x)
	}
	return p.windows(x)
}

func (p *program) smooth(x *graph.Node) *graph.Node {
	functions := []func(*graph.Node) *graph.Node{
		ops.Tanh, ops.Sigmoid, ops.Sin, ops.Neg, ops.Softplus, ops.Gelu, ops.Silu,
		func(n *graph.Node) *graph.Node { return ops.Exp(ops.Tanh(n)) },
		func(n *graph.Node) *graph.Node { return ops.Square(ops.Tanh(n)) },
		func(n *graph.Node) *graph.Node { return ops.Sqrt(ops.Add(ops.Square(n), graph.Num(1))) },
		func(n *graph.Node) *graph.Node { return ops.Mul(n, graph.Num(0.5)) },
		func(n *graph.Node) *graph.Node { return ops.Cast(n, graph.Float64) }}
	return functions[p.rng.IntN(len(functions))](x)
}

// combined is an elementwise operation on several values of any dtype.
func (p *program) combined(x *graph.Node) *graph.Node {
	y := p.partner(x)
	if y == nil {
		return nil
	}
	if p.rng.IntN(2) == 0 {
		x, y = y, x
	}
	switch p.rng.IntN(8) {
	case 0:
		return ops.Add(x, y)
	case 1:
		return ops.Sub(x, y)
	case 2:
		if x.DType().IsFloat() {
			x = ops.Tanh(x)
		}
		return ops.Mul(x, y)
	case 3:
		return ops.Div(x, ops.Add(ops.Square(ops.Cast(y, p.float)), graph.Num(1)))
	case 4:
		if mask := p.among(func(n *graph.Node) bool {
			return n.DType() == graph.Bool && stretches(n.Shape(), x.Shape())
		}); mask != nil {
			return ops.Where(mask, x, y)
		}
		return ops.Where(p.operand(graph.Bool, x.Shape()), x, y)
	case 5:
		return ops.Lerp(ops.Cast(x, p.float), ops.Cast(y, p.float), p.operand(p.float, graph.Shape{}))
	case 6:
		return ops.AddCMul(x, y, y)
	}
	return ops.Add(ops.Cast(x, p.float), ops.Sin(ops.Cast(y, p.float)))
}

// jumping is an operation whose result, or gradient, is no continuous function.
func (p *program) jumping(x *graph.Node) *graph.Node {
	if x == nil {
		return nil
	}
	y := p.among(func(n *graph.Node) bool { return p.isExact(n) && (n == x || stretches(n.Shape(), x.Shape())) })
	binary := []func(x, y *graph.Node) *graph.Node{ops.Less, ops.GreaterEqual, ops.Equal, ops.Maximum, ops.Minimum,
		ops.And, ops.Xor, ops.BitAnd}
	axis := ops.Axis(p.rng.IntN(max(x.Rank(), 1)))
	switch p.rng.IntN(6) {
	case 0, 1:
		return binary[p.rng.IntN(len(binary))](x, y)
	case 2:
		unary := []func(*graph.Node) *graph.Node{ops.Abs, ops.Relu, ops.Sign, ops.Floor, ops.Round, ops.Not,
			func(n *graph.Node) *graph.Node { return ops.Clamp(n, -0.5, 0.5) },
			func(n *graph.Node) *graph.Node { return ops.FloorDiv(n, graph.Num(2)) },
			func(n *graph.Node) *graph.Node { return ops.Remainder(n, graph.Num(3)) },
			func(n *graph.Node) *graph.Node { return ops.Cast(ops.Mul(n, graph.Num(3)), graph.Int64) }}
		return unary[p.rng.IntN(len(unary))](x)
	case 3:
		reductions := []func(*graph.Node, ...ops.Axis) *graph.Node{ops.ArgMax, ops.ArgMin, ops.Any, ops.All}
		return reductions[p.rng.IntN(len(reductions))](x, axis)
	case 4:
		if x.Rank() == 0 {
			return nil
		}
		values, indices := ops.MaxIndex(x, int(axis))
		p.nodes = append(p.nodes, values)
		return indices
	}
	reductions := []func(*graph.Node, ...ops.Axis) *graph.Node{ops.Max, ops.Min}
	return reductions[p.rng.IntN(2)](x, axis)
}

// generated is a value that is made of sizes alone, or of whole numbers.
func (p *program) generated() *graph.Node {
	s := p.shapeOf(1 + p.rng.IntN(2))
	switch p.rng.IntN(4) {
	case 0:
		return ops.Iota(p.g, p.rng.IntN(len(s)), s...)
	case 1:
		return ops.Full(p.g, p.float, 0.75, s...)
	case 2:
		return ops.Mul(ops.Cast(p.pick(), p.float), ops.Size(p.g, p.float, p.size()))
	}
	if n := p.among(func(n *graph.Node) bool { return n.DType() == graph.Int64 }); n != nil {
		return ops.OneHot(n, p.size(), p.float)
	}
	return nil
}

// product is a sum of products of a value and another one of a shape that fits.
func (p *program) product(x *graph.Node) *graph.Node {
	s := x.Shape()
	if len(s) == 0 {
		return nil
	}
	last, free := s[len(s)-1], p.size()
	switch p.rng.IntN(6) {
	case 0:
		return ops.MatMul(x, p.operand(x.DType(), graph.Shape{last}))
	case 1:
		return ops.MatMul(x, p.operand(x.DType(), graph.Shape{last, free}))
	case 2:
		batched := append(slices.Clone(s[:len(s)-1]), free)
		if len(s) > 2 {
			batched = append(slices.Clone(s[:len(s)-2]), last, free)
		}
		return ops.MatMul(x, p.operand(x.DType(), batched))
	case 3:
		return ops.MatMul(x, ops.Transpose(p.operand(x.DType(), s), -1, -2))
	case 4:
		if len(s) == 2 {
			return ops.Einsum("ij,kj->ik", x, p.operand(x.DType(), graph.Shape{free, last}))
		}
		return ops.Einsum("...i,...i->...", x, p.operand(x.DType(), s))
	}
	return ops.MatMul(p.operand(x.DType(), graph.Shape{s[max(len(s)-2, 0)]}), x)
}

func (p *program) reduced(x *graph.Node) *graph.Node {
	axes := []ops.Axis{ops.Axis(p.axis(x))}
	if p.rng.IntN(3) == 0 {
		axes = axes[:0]
	} else if other := ops.Axis(p.axis(x)); other != axes[0] {
		axes = append(axes, other)
	}
	if p.rng.IntN(2) == 0 {
		axes = append(axes, ops.KeepDims())
	}
	reductions := []func(*graph.Node, ...ops.Axis) *graph.Node{ops.Sum, ops.Sum, ops.Prod, ops.Mean, ops.LogSumExp,
		func(n *graph.Node, axes ...ops.Axis) *graph.Node { return ops.Var(n, 0, axes...) },
		func(n *graph.Node, axes ...ops.Axis) *graph.Node { return ops.Standardize(n, 0.1, axes...) }}
	along := []func(*graph.Node, int) *graph.Node{ops.Softmax, ops.LogSoftmax}
	if p.elements(x, smallSizes) <= 30 && p.elements(x, p.large) <= 200 { // they work on many more elements
		along = append(along, ops.CumSum, ops.CumProd)
	}
	kind := p.rng.IntN(len(reductions) + len(along))
	if kind >= 2 && kind < len(reductions) || kind >= len(reductions) {
		x = ops.Tanh(ops.Cast(x, p.float))
	}
	if kind < len(reductions) {
		return reductions[kind](x, axes...)
	}
	return along[kind-len(reductions)](x, p.axis(x))
}
