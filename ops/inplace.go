package ops

import (
	"slices"
	"strconv"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opCopyInPlace *graph.Op

// inPlace holds, for each elementwise operation, the one that writes the result into the
// first operand. Its name has a "_" behind it.
var inPlace = map[*graph.Op]*graph.Op{}

func init() {
	opCopyInPlace = enter(&graph.Op{
		Name: "copy_", Func: "CopyInPlace", Doc: "y written into x.", Class: graph.Update, Fill: true,
		MinIn: 2, MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return rules.InPlace(c, c.DType(0), rules.BroadcastOperands(c))
		},
		Emit: func(_ graph.Emitter, _ node, x []graph.Value) graph.Value { return x[1] },
		Grad: each(noGradientOf, same),
	})
	opCopyInPlace.Ref = named("numpy.copyto", "torch.Tensor.copy_", "", "", "",
		func(e *graph.Example) node { return CopyInPlace(Copy(e.Of("x", "n")), e.Of("y", "n")) })
	composed("InPlace", "the result of an elementwise operation, written into its first operand.",
		shownAs("InPlace(ops.Lookup(\"exp\"), nil, x)",
			named("", "", "", "", "", func(e *graph.Example) node {
				return InPlace(opExp, nil, Copy(e.Of("x", "n")))
			})))
	composed("AddInPlace", "x + y, written into x.",
		named("", "torch.Tensor.add_", "", "", "",
			func(e *graph.Example) node { return AddInPlace(Copy(e.Of("x", "n")), e.Of("y", "n")) }))
	composed("SubInPlace", "x - y, written into x.",
		named("", "torch.Tensor.sub_", "", "", "",
			func(e *graph.Example) node { return SubInPlace(Copy(e.Of("x", "n")), e.Of("y", "n")) }))
	composed("MulInPlace", "x * y, written into x.",
		named("", "torch.Tensor.mul_", "", "", "",
			func(e *graph.Example) node { return MulInPlace(Copy(e.Of("x", "n")), e.Of("y", "n")) }))
	composed("DivInPlace", "x / y, written into x.",
		named("", "torch.Tensor.div_", "", "", "",
			func(e *graph.Example) node { return DivInPlace(Copy(e.Of("x", "n")), e.Of("y", "n")) }))
	composed("PowInPlace", "x to the power y, written into x.",
		named("", "torch.Tensor.pow_", "", "", "",
			func(e *graph.Example) node { return PowInPlace(Copy(e.Of("x", "n")), e.Of("y", "n")) }))
}

func noGradientOf(node, node) node { return nil }

func same(_, dy node) node { return dy }

// newInPlace makes the entry that writes what of computes into its first operand.
func newInPlace(of *graph.Op) *graph.Op {
	return &graph.Op{
		Name: of.Name + "_", Func: of.Func + "InPlace", Doc: of.Doc + " The result is written into the first operand.",
		Class: graph.Update, MinIn: of.MinIn, MaxIn: of.MaxIn, OutOfPlace: of,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			in := c.Node().Operands()
			wanted, m := computedIn(of, in)
			if m != nil {
				c.Fail(m)
				return graph.InvalidDType, nil
			}
			if wanted[0] != c.DType(0) {
				// That the result cannot be stored is reported before the dtype in which it cannot be computed.
				return rules.InPlace(c, wanted[0], rules.BroadcastOperands(c))
			}
			result, shape := of.Infer(c)
			return rules.InPlace(c, result, shape)
		},
		Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
			return e.Convert(of.Emit(e, n, x), n.DType())
		},
		Grad: func(n, dy node, i int) node {
			switch {
			case of.Grad == nil:
				return nil
			case readsOverwritten(of, n, i):
				return of.Grad(graph.Apply(of, n.Attrs(), append([]node{Copy(n.In(0))}, n.Operands()[1:]...)...), dy, i)
			}
			return of.Grad(n, dy, i)
		},
	}
}

// readsOverwritten reports whether the gradient with respect to operand i of a write reads
// the value that the write destroys, which must then be copied first, as PyTorch does. The
// rule is run on stand-ins to see.
func readsOverwritten(of *graph.Op, n node, i int) bool {
	g := n.Graph().Derive()
	in := make([]node, len(n.Operands()))
	for k, x := range n.Operands() {
		in[k] = g.Input("x"+strconv.Itoa(k), x.DType(), x.Shape()...)
	}
	of.Grad(g.Copy(n, in), g.Input("dy", n.DType(), n.Shape()...), i)
	for _, m := range g.Nodes() {
		if m.Op().Class != graph.Update && slices.Contains(m.Operands(), in[0]) {
			return true
		}
	}
	return false
}

// computedIn returns the dtypes to which the operation converts its operands. The mistake is one of the
// operation.
func computedIn(op *graph.Op, in []*graph.Node) ([]graph.DType, *graph.Mistake) {
	to, m := op.PromotedOf(in)
	if to == nil && m == nil {
		for _, x := range in {
			to = append(to, x.DType())
		}
	}
	return to, m
}

// InPlace applies an elementwise operation to x and the other operands, writes the result into x's storage, and
// returns the new value: InPlace(ops.Lookup("exp"), nil, x). The result has x's shape and dtype: broadcasting may
// repeat the other operands, but not x. x itself keeps its old value: operations that read it run before the write.
// [After] returns other values of the same storage as they are after it.
func InPlace(op *graph.Op, attrs any, x *graph.Node, others ...*graph.Node) *graph.Node {
	if op == nil {
		return graph.Apply(nil, attrs, append([]node{x}, others...)...)
	}
	write := inPlace[op]
	if write == nil {
		write = newInPlace(op)
	}
	in := append([]*graph.Node{x}, others...)
	for _, v := range in {
		if v == nil || !v.Judged() || x.Graph() == nil {
			return graph.Apply(write, attrs, in...) // the mistake is there or elsewhere
		}
	}
	if op.Class != graph.Elementwise || op.Infer == nil || op.Emit == nil {
		defer graph.BeginCall(write.Func, attrs, in...)()
		return CopyInPlace(x, Apply(op, attrs, in...))
	}
	g := x.Graph()
	wanted, m := computedIn(op, in)
	if m != nil {
		return graph.Apply(write, attrs, in...) // refused by its rule
	}
	for i, v := range others {
		in[i+1] = g.Convert(v, wanted[i+1])
	}
	switch {
	case wanted[0] == x.DType():
		return graph.Apply(write, attrs, apart(x, in)...)
	case wanted[0].Category() > x.DType().Category():
		return graph.Apply(write, attrs, in...) // refused by its rule
	}
	defer graph.BeginCall(write.Func, attrs, append([]node{x}, others...)...)()
	in[0] = g.Convert(x, wanted[0])
	return CopyInPlace(x, graph.Apply(op, attrs, in...))
}

// apart copies the operands that share memory with the destination at other positions,
// where the policy says so.
func apart(x node, in []node) []node {
	g := x.Graph()
	if g.Policy().Alias != graph.AutoCopy {
		return in
	}
	for i, y := range in[1:] {
		if y.Graph() == g && rules.NeedsCopy(x, y) {
			in[i+1] = Copy(y).Implied()
			g.Note(rules.CopyNote(x, in[i+1]))
		}
	}
	return in
}

// AddInPlace writes x + y into x's storage and returns the new value. See [InPlace].
func AddInPlace(x, y *graph.Node) *graph.Node { return InPlace(opAdd, nil, x, y) }

// SubInPlace writes x - y into x's storage and returns the new value. See [InPlace].
func SubInPlace(x, y *graph.Node) *graph.Node { return InPlace(opSub, nil, x, y) }

// MulInPlace writes x * y into x's storage and returns the new value. See [InPlace].
func MulInPlace(x, y *graph.Node) *graph.Node { return InPlace(opMul, nil, x, y) }

// DivInPlace writes x / y into x's storage and returns the new value. See [InPlace].
func DivInPlace(x, y *graph.Node) *graph.Node { return InPlace(opDiv, nil, x, y) }

// PowInPlace writes x to the power y into x's storage and returns the new value. See [InPlace].
func PowInPlace(x, y *graph.Node) *graph.Node {
	if bad := negativePower("PowInPlace", x, y); bad != nil {
		return bad
	}
	return InPlace(opPow, nil, x, y)
}

// CopyInPlace writes y, converted to x's dtype, into x's storage and returns the new value. A number fills x, even if
// x repeats its elements. See [InPlace].
func CopyInPlace(x, y *graph.Node) *graph.Node {
	if x == nil || y == nil || !x.Judged() || !y.Judged() || x.Graph() == nil {
		return graph.Apply(opCopyInPlace, nil, x, y)
	}
	return graph.Apply(opCopyInPlace, nil, apart(x, []node{x, x.Graph().Convert(y, x.DType())})...)
}
