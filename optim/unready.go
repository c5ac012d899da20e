package optim

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/ancestors"
)

// scaleStart is the initial factor of a [LossScale]: it tells which parameter is one.
type scaleStart struct {
	filled
	of *LossScale
}

// sumStart is the initial sum of gradients of [Accumulate].
type sumStart struct {
	filled
	runs int
}

// unready says why gradients are not those of the loss: they are still scaled, or a part of them is missing; or "".
func (o Optimizer) unready(grads []*graph.Node) string {
	at := slices.IndexFunc(grads, func(dw *graph.Node) bool { return dw != nil && dw.Graph() != nil })
	if at < 0 {
		return ""
	}
	g := grads[at].Graph()
	var reads []bool
	for _, p := range g.Params() {
		a, _ := p.Attrs().(graph.ParamAttrs)
		scale, isScale := a.Init.(scaleStart)
		sum, isSum := a.Init.(sumStart)
		if !isScale && !isSum {
			continue
		}
		if reads == nil {
			reads = ancestors.Marks(g, grads)
		}
		switch {
		case isScale && scale.of.isLeftIn(reads):
			return fmt.Sprintf("the gradients are those of a loss that %s multiplies: divide them, by grads, finite := "+
				"scale.Unscale(autodiff.Grad(scale.Apply(loss), params)), and pass optim.When(finite)", p.Called())
		case isSum && reads[p.ID()] && sum.runs > 1 && o.when == nil:
			return fmt.Sprintf("the gradients are complete in every %s run only: pass the second result of Accumulate, "+
				"optim.When(full)", ordinal(sum.runs))
		}
	}
	return ""
}

// isLeftIn reports whether gradients, whose ancestors are marked, have the factor: one of them is that of the product,
// and nothing else reads the factor, as a division by it would.
func (s *LossScale) isLeftIn(reads []bool) bool {
	scaled := false
	for id, n := range s.scale.Graph().Nodes()[:len(reads)] {
		isFactor := func(x *graph.Node) bool { return x.Written() == s.scale }
		switch {
		case !reads[id] || isFactor(n) || !slices.ContainsFunc(n.Operands(), isFactor):
		case s.isOfProduct(n):
			scaled = true
		default:
			return false
		}
	}
	return scaled
}

// isOfProduct reports whether a node is the loss times the factor, or a part of its gradient.
func (s *LossScale) isOfProduct(n *graph.Node) bool {
	for ; n != nil; n = n.Origin() {
		if slices.Contains(s.scaled, n) {
			return true
		}
	}
	return false
}

// ordinal writes a number of a place, such as 2nd.
func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n, suffix)
}
