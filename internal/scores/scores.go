// Package scores distinguishes products of positions with positions, such as the scores of attention, from those of
// layers with weights. Both autodiff and the compiler use it: such products are cheaper to recompute than to keep.
//
// scores.go has the conditions.
package scores

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// MostTerms is the most terms of a sum for which a product is computed again rather than kept.
const MostTerms = 256

// widerBy is the least ratio of a product's rows and columns to the length of its sums. With less, the factors take as
// much memory as the product.
const widerBy = 2

// IsProduct reports whether a node is a product of two values that are not weights, and much larger than its factors.
func IsProduct(n *graph.Node) bool {
	if n.Op().Class != graph.Contract || len(n.Operands()) < 2 || n.Rank() < 2 || n.In(0).Rank() < 2 ||
		n.In(1).Rank() < 2 || !n.DType().IsFloat() {
		return false
	}
	terms, known := n.In(0).Shape()[n.In(0).Rank()-1].Int()
	if !known || terms > MostTerms {
		return false
	}
	for _, d := range n.Shape()[n.Rank()-2:] {
		if size, known := d.Int(); known && size < widerBy*terms {
			return false
		}
	}
	return !isWeight(n.In(0)) && !isWeight(n.In(1))
}

// isWeight reports whether a value is computed from parameters alone.
func isWeight(x *graph.Node) bool {
	const most = 64 // that are looked at
	list, found := []*graph.Node{alias.Viewed(x)}, false
	for i := 0; i < len(list); i++ {
		n := list[i]
		if found = found || n.IsParam(); n.Op().Class == graph.Source && !n.IsParam() && !n.IsConst() || i == most {
			return false
		}
		for _, y := range n.Operands() {
			if v := alias.Viewed(y); !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
	}
	return found
}
