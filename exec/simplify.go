package exec

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// rule rewrites a node whose operands are in; nil leaves it as it is. Every rule holds
// for all values, infinities, NaN and the sign of zero included.
type rule struct {
	name string
	run  func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node
}

// rules are tried in order on every node, by the name of its operation; the rules of
// "" are tried on all.
var rules = map[string][]rule{
	"add":       {{"x + -0 = x", identity(1, isMinusZero)}, {"-0 + x = x", identity(0, isMinusZero)}},
	"sub":       {{"x - 0 = x", identity(1, isPlusZero)}},
	"mul":       {{"x * 1 = x", identity(1, isOne)}, {"1 * x = x", identity(0, isOne)}},
	"div":       {{"x / 1 = x", identity(1, isOne)}},
	"neg":       {{"-(-x) = x", inverseOf("neg")}},
	"full":      {{"full(c) = expand(c)", fullAsConstant}},
	"reshape":   {{"reshape to the same shape", sameShape}, {"reshape of a number", reshapeOfNumber}, {"reshape of reshape", reshapeOfReshape}},
	"squeeze":   {{"squeeze of nothing", sameShape}, {"squeeze of a number", reshapeOfNumber}},
	"unsqueeze": {{"unsqueeze of a number", reshapeOfNumber}},
	"expand":    {{"expand to the same shape", sameShape}, {"expand of expand", expandOfExpand}},
	"slice":     {{"slice of everything", sameShape}},
	"pad":       {{"pad by nothing", sameShape}},
	"sum":       {{"sum over no axes", sumOfNothing}},
	"matmul":    {{"vector along rows = sum of products", vectorAlongRows}, {"batch with one matrix = one product", matMulOfRows}},
	"transpose": {{"transpose of transpose", transposeTwice}},
}

// simplifyPass applies the rules, and moves repetition behind arithmetic: what is
// computed from repeated values is computed once and then repeated.
func simplifyPass(u *unit) error {
	written := writtenMemory(u.g)
	u.rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if len(written) > 0 && written[shapeinfer.Storage(n)] {
			return nil // what is written in place stays where the user has put it
		}
		if m := applyRules(next, n, in); m != nil {
			return m
		}
		if n.Op().Class == graph.Elementwise {
			return withoutExpand(next, n, in)
		}
		return nil
	})
	return nil
}

// applyRules gives what the first rule that fits makes of the node, or nil.
func applyRules(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	for _, r := range rules[n.Op().Name] {
		if m := r.run(next, n, in); m != nil && m.DType() == n.DType() && m.Shape().Equal(n.Shape()) {
			return m
		}
	}
	return nil
}

// withoutExpand lets an elementwise node read what its operands repeat directly, as
// broadcasting does; the result is repeated where its shape then falls short.
func withoutExpand(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	stripped := make([]*graph.Node, len(in))
	found := false
	for i, x := range in {
		stripped[i] = x
		for stripped[i].Op().Name == "expand" {
			stripped[i], found = stripped[i].In(0), true
		}
	}
	if !found {
		return nil
	}
	m := graph.Apply(n.Op(), n.Attrs(), stripped...)
	if m.Err() != nil || !m.Judged() {
		return nil
	}
	if simpler := applyRules(next, m, stripped); simpler != nil {
		m = simpler
	}
	if m.Shape().Equal(n.Shape()) {
		return m
	}
	if m = ops.Expand(m, n.Shape()...); m.Err() != nil {
		return nil
	}
	return m
}

// identity gives the other operand of a binary node where operand i is neutral and
// does not widen the result.
func identity(i int, neutral func(*graph.Node) bool) func(*graph.Graph, *graph.Node, []*graph.Node) *graph.Node {
	return func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if !neutral(in[i]) {
			return nil
		}
		return in[1-i]
	}
}

func isOne(x *graph.Node) bool { return isNumber(x, 1) }

func isPlusZero(x *graph.Node) bool { return isNumber(x, 0) && !signbit(x) }

func isMinusZero(x *graph.Node) bool {
	return isNumber(x, 0) && (signbit(x) || !x.DType().IsFloat())
}

func isNumber(x *graph.Node, v float64) bool {
	c, ok := x.ScalarValue()
	return ok && c == v && x.DType() != graph.Bool
}

func signbit(x *graph.Node) bool {
	v, _ := x.ScalarValue()
	return 1/v < 0
}

func inverseOf(name string) func(*graph.Graph, *graph.Node, []*graph.Node) *graph.Node {
	return func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if in[0].Op().Name != name {
			return nil
		}
		return in[0].In(0)
	}
}

func sameShape(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if in[0].Shape().Equal(n.Shape()) {
		return in[0]
	}
	return nil
}

// fullAsConstant makes one number of many equal ones, repeated.
func fullAsConstant(next *graph.Graph, n *graph.Node, _ []*graph.Node) *graph.Node {
	c := next.Scalar(n.DType(), n.Attrs().(ops.FullAttrs).Value)
	if n.Rank() == 0 {
		return c
	}
	return ops.Expand(c, n.Shape()...)
}

func reshapeOfNumber(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if _, ok := in[0].ScalarValue(); !ok {
		return nil
	}
	return constantOf(next, in[0].ConstData(), n.Shape())
}

func reshapeOfReshape(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	switch in[0].Op().Name {
	case "reshape", "squeeze", "unsqueeze":
		return ops.Reshape(in[0].In(0), n.Shape()...)
	}
	return nil
}

func expandOfExpand(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if in[0].Op().Name != "expand" {
		return nil
	}
	return ops.Expand(in[0].In(0), n.Shape()...)
}

// Products with a vector along rows of fewer bytes stay products where there are at least
// so many rows, whose sums then run side by side.
const (
	shortRow = 512
	manyRows = 16
)

// vectorAlongRows sums products up where a vector meets the rows of a matrix, or another
// vector, and both are contiguous: lanes share a sum, which in the order of a product's sums
// they cannot.
func vectorAlongRows(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	a, b := in[0], in[1]
	rows, cols := graph.Dim(1), graph.Dim(1)
	if a.Rank() > 1 {
		rows = a.Shape()[a.Rank()-2]
	}
	if b.Rank() > 1 {
		cols = b.Shape()[b.Rank()-1]
	}
	if !n.DType().IsFloat() || rows != 1 && cols != 1 || !isContiguous(a, a.Rank()-1) || !isContiguous(b, max(b.Rank()-2, 0)) {
		return nil
	}
	if rows == 1 {
		rows = cols
	}
	terms := a.Shape()[a.Rank()-1]
	isShort := terms.IsConst() && int(terms)*n.DType().Size() < shortRow
	if isShort && (!rows.IsConst() || rows >= manyRows) {
		return nil
	}
	if b.Rank() > 1 {
		b = ops.Transpose(b, -1, -2)
	}
	sum := ops.Sum(ops.Mul(a, b), -1)
	if sum.Shape().Equal(n.Shape()) {
		return sum
	}
	return ops.Reshape(sum, n.Shape()...)
}

// isContiguous reports whether the elements along an axis lie side by side.
func isContiguous(x *graph.Node, axis int) bool { return shapeinfer.LayoutOf(x).Strides[axis] == 1 }

// matMulOfRows multiplies a batch of matrices by one matrix as one matrix of all rows.
func matMulOfRows(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	x := in[0]
	if x.Rank() <= 2 || in[1].Rank() != 2 || !shapeinfer.LayoutOf(x).IsDense() {
		return nil
	}
	last := x.Rank() - 1
	rows := ops.Reshape(x, x.Shape()[:last].NumElements(), x.Shape()[last])
	return ops.Reshape(ops.MatMul(rows, in[1]), n.Shape()...)
}

func sumOfNothing(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if len(ops.Axes(n)) == 0 {
		return in[0]
	}
	return nil
}

func transposeTwice(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if in[0].Op().Name != "transpose" || n.Rank() == 0 {
		return nil
	}
	if orderOf(n) == orderOf(in[0]) {
		return in[0].In(0)
	}
	return nil
}

// orderOf gives the two axes that a transpose exchanges, the lesser first.
func orderOf(n *graph.Node) [2]int {
	a := n.Attrs().(ops.TransposeAttrs)
	x, y := a.A, a.B
	if x < 0 {
		x += n.Rank()
	}
	if y < 0 {
		y += n.Rank()
	}
	return [2]int{min(x, y), max(x, y)}
}
