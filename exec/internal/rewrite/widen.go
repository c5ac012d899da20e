package rewrite

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Widen writes reductions, products, sums by index and Go functions of narrow dtypes with those of the dtypes in which they are
// computed: see graph.DType.Computed. Results are converted back, once. Elements need no such pass: their operands are converted
// where a kernel loads them.
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

// computesNarrow reports whether a node combines elements of which one at least is of a narrow dtype.
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

// widened applies n's operation to operands converted to the dtypes in which they are computed.
func widened(n *graph.Node, in []*graph.Node) *graph.Node {
	wide, turned := slices.Clone(in), comparesElements(n.Op())
	for i, x := range in {
		if x.DType() == graph.Uint64 && n.Op().Class == graph.Function {
			continue // which compare as they want
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
		y = withinDType(y, n) // where nothing is united, there is the least or the greatest of the wide dtype
	}
	return ops.Cast(y, n.DType())
}

// convertedFactor converts an operand. That of a product is converted where it lies and then arranged, as a transposed weight is: a product reads
// any arrangement, and a copy in another order would take longer. Windows and what else has elements several times are converted as they are.
func convertedFactor(n, x *graph.Node) *graph.Node {
	if n.Op().Class == graph.Contract {
		if y := convertedBelow(x); y != nil {
			return y
		}
	}
	return ops.Cast(x, x.DType().Computed())
}

// convertedBelow returns a value arranged as x is of one that was converted before; nil where x is more than another arrangement.
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

// withinDType bounds integers by the least and the greatest of n's dtype.
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

// comparesElements reports whether the result depends on the order of elements, and not on sums and products of them.
func comparesElements(op *graph.Op) bool {
	switch op.Fold {
	case graph.FoldMax, graph.FoldMaxNumber, graph.FoldMin, graph.FoldArgMax, graph.FoldArgMin:
		return true
	}
	return false
}

// highBitTurned makes an int64 of the bits of an uint64, or the other way about, so that the order of numbers stays.
func highBitTurned(x *graph.Node) *graph.Node {
	return ops.BitXor(x, x.Graph().Number(graph.LiteralAttrs{Whole: math.MinInt64, Kind: graph.CategoryInt}, graph.Int64))
}
