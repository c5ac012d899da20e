package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// minProduct is the number of elements of a matrix from which it is computed as a product. Many smaller ones would take
// longer, because each is a separate product.
const minProduct = 32

// sumOfProducts replaces sum(a[…, i, 1, k]·b[…, 1, j, k]) over k by a matrix product: each factor has an axis that the
// other lacks, so each element of one meets many of the other. n is the sum before the pass, and x the elementwise
// product in the new graph, which should have no other user. The result is nil if there is no such product.
func sumOfProducts(n, x *graph.Node) *graph.Node {
	if !analysis.IsSum(n) || analysis.PrimOf(x) != graph.PrimMul || x.Rank() > 26 {
		return nil
	}
	a, b := x.In(0), x.In(1)
	if a.DType() != n.DType() || b.DType() != n.DType() || slices.Contains(x.Stretch(0), graph.Undecided) ||
		slices.Contains(x.Stretch(1), graph.Undecided) {
		return nil
	}
	has := func(of *graph.Node, axis int) bool {
		own := axis - (x.Rank() - of.Rank())
		return own >= 0 && of.Shape()[own] != 1
	}
	folded := n.Op().Axes(n)
	rows, cols, terms := graph.Dim(1), graph.Dim(1), graph.Dim(1)
	var kept []int
	for axis, d := range x.Shape() {
		inA, inB := has(a, axis), has(b, axis)
		switch isFolded := slices.Contains(folded, axis); {
		case isFolded && inA != inB:
			return nil // only one factor has this axis: it should be summed before
		case isFolded:
			terms = terms.Times(d)
			continue
		case inA && !inB:
			rows = rows.Times(d)
		case inB && !inA:
			cols = cols.Times(d)
		}
		kept = append(kept, axis)
	}
	elements, known := rows.Times(cols).Int()
	if rows == 1 || cols == 1 || terms == 1 || known && elements < minProduct {
		return nil
	}
	labels := func(of *graph.Node) (text string) {
		for axis := range of.Shape() {
			text += string(rune('a' + axis + x.Rank() - of.Rank()))
		}
		return text
	}
	result := ""
	for _, axis := range kept {
		result += string(rune('a' + axis))
	}
	return analysis.SkipIdentityViews(ops.Reshape(ops.Einsum(labels(a)+","+labels(b)+"->"+result, a, b), n.Shape()...))
}
