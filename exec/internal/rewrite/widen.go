package rewrite

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Widen computes reductions, products, sums by index and Go functions of narrow dtypes in wider ones: see
// graph.DType.Computed. Results are converted back once. Elementwise operations do not need it: kernels convert their
// operands as they load them.
func Widen(u *Program) error {
	if !slices.ContainsFunc(u.Graph.Nodes(), computesNarrow) {
		return nil
	}
	u.Rewrite(func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if !computesNarrow(n) {
			return nil
		}
		return widened(n, in)
	})
	return nil
}

// computesNarrow reports whether a node combines elements of which at least one has a narrow dtype.
func computesNarrow(n *graph.Node) bool {
	switch op := n.Op(); op.Class {
	case graph.Function:
		if op.Ordered || op.AsStored {
			return false
		}
	case graph.Reduce, graph.Contract:
	case graph.Gather:
		if op.Fold == graph.NoFold {
			return false
		}
	default:
		return false
	}
	return isNarrow(n) || slices.ContainsFunc(n.Operands(), isNarrow)
}

func isNarrow(n *graph.Node) bool { return n.DType().Computed() != n.DType() }

// widened applies n's operation to operands in the dtypes in which they are computed.
func widened(n *graph.Node, in []*graph.Node) *graph.Node {
	wide, turned := slices.Clone(in), comparesElements(n.Op())
	for i, x := range in {
		if x.DType() == graph.Uint64 && n.Op().Class == graph.Function {
			continue // functions compare Uint64 themselves
		}
		if isNarrow(x) {
			wide[i] = convertedFactor(n, x)
			if turned && x.DType() == graph.Uint64 {
				wide[i] = highBitTurned(wide[i])
			}
		}
	}
	y := graph.Apply(n.Op(), n.Attrs(), wide...)
	switch {
	case turned && n.DType() == graph.Uint64:
		y = highBitTurned(y)
	case turned && n.Op().Class == graph.Gather && n.DType().IsInt() && isNarrow(n):
		y = withinDType(y, n) // a position without elements has the minimum or maximum of the wide dtype
	}
	return ops.Cast(y, n.DType())
}

// convertedFactor converts an operand. The factor of a product is converted before movements, such as the transposition
// of weights: a product reads any layout, and a copy in another order would take longer. Movements that repeat
// elements, such as windows, are converted after.
func convertedFactor(n, x *graph.Node) *graph.Node {
	if n.Op().Class == graph.Contract {
		if y := convertedBelow(x); y != nil {
			return y
		}
	}
	return ops.Cast(x, x.DType().Computed())
}

// convertedBelow converts a value before the movements that rearrange it; nil if x does not just rearrange elements.
func convertedBelow(x *graph.Node) *graph.Node {
	op := x.Op()
	switch {
	case op.Class != graph.Movement:
		return ops.Cast(x, x.DType().Computed())
	case op.View == nil || len(x.Operands()) != 1 || x.Shape().NumElements() != x.In(0).Shape().NumElements():
		return nil
	}
	below := convertedBelow(x.In(0))
	if below == nil {
		return nil
	}
	return graph.Apply(op, x.Attrs(), below)
}

// withinDType clamps integers to the range of n's dtype.
func withinDType(y, n *graph.Node) *graph.Node {
	least, most := int64(0), int64(1)<<n.DType().Bits()-1
	if !n.DType().IsUnsigned() {
		least, most = -(most+1)/2, most/2
	}
	number := func(v int64) *graph.Node {
		return y.Graph().Number(graph.LiteralAttrs{Whole: v, Kind: graph.CategoryInt}, y.DType())
	}
	return ops.Minimum(ops.Maximum(y, number(least)), number(most))
}

// comparesElements reports whether a result depends on the order of elements, not on their sums and products.
func comparesElements(op *graph.Op) bool {
	switch op.Fold {
	case graph.FoldMax, graph.FoldMaxNumber, graph.FoldMin, graph.FoldArgMax, graph.FoldArgMin:
		return true
	}
	return false
}

// highBitTurned flips the sign bit. This maps Uint64 bits to Int64, or back, and keeps their order.
func highBitTurned(x *graph.Node) *graph.Node {
	return ops.BitXor(x, x.Graph().Number(
		graph.LiteralAttrs{Whole: math.MinInt64, Kind: graph.CategoryInt}, graph.Int64))
}
