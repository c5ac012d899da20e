package axislint

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// keptWeights finds a softmax along an axis that a product keeps while it sums another one: the weights of a sum do not
// add up to 1, as those of attention do along the keys. The summed values must belong to the positions that the scores
// are about, and have features of their own. So a distribution that is multiplied by a transition matrix is no mistake.
func keptWeights(l *lint, n *graph.Node) *graph.Mistake {
	if !l.isFromInput(n) || n.Rank() < 2 {
		return nil
	}
	for _, axis := range l.forms.Normalized(n) {
		if axis == n.Rank()-1 && l.isLeftFactor(n) || !l.isOfInputs(n, axis) {
			continue
		}
		for other := range n.Rank() {
			if other == axis || n.Shape()[other] == 1 || !l.isOfInputs(n, other) || !l.arePairs(n, axis, other) {
				continue
			}
			if product := l.sums(n, axis, other); product != nil &&
				!l.isNormalizedToo(n, func(a int) bool { return a == other }) {
				return keptMistake(n, product, axis, other)
			}
		}
	}
	return nil
}

// arePairs reports whether two axes of a value are not both axes of one input, such as a table of examples and their
// classes.
func (l *lint) arePairs(n *graph.Node, axis, other int) bool {
	a, _ := l.origins(n, axis)
	b, _ := l.origins(n, other)
	return !slices.ContainsFunc(a, func(s int) bool {
		return slices.ContainsFunc(b, func(t int) bool {
			return s != t && l.flow().Source(s).Node == l.flow().Source(t).Node
		})
	})
}

func keptMistake(n, product *graph.Node, axis, other int) *graph.Mistake {
	x := n.In(0)
	m := &graph.Mistake{Code: graph.CodeKeptWeights, Node: n,
		Summary: fmt.Sprintf(
			"the results add up to 1 along axis %d, and %s sums along axis %d: the weights of what it sums do not add up to 1",
			axis, product.Called(), other),
		Operands: []graph.OperandNote{{Node: x, Bad: []int{axis, other}}}}
	if a, is := n.Attrs().(interface{ WithAxis(int) any }); is {
		m.Help = append(m.Help,
			fmt.Sprintf("%s gives weights for axis %d", graph.CallText(n, a.WithAxis(other-n.Rank()), x.Called()),
				other))
	}
	m.Help = append(m.Help, silence("CodeKeptWeights", "KeptWeights"))
	return m
}

// isOfInputs reports whether an axis of a value comes only from inputs. In slot attention, weights make the slots that
// compete for what is summed.
func (l *lint) isOfInputs(n *graph.Node, axis int) bool {
	from, weights := l.origins(n, axis)
	return l.areInputs(from) && !weights
}

// isLeftFactor reports whether a value, also after dropout and the like, is only used as the left operand of products,
// which sum along its last axis.
func (l *lint) isLeftFactor(n *graph.Node) bool {
	for _, user := range l.usersOf(n) {
		switch {
		case user.Origin() != nil:
		case user.Op().Class == graph.Contract && user.In(0) == n:
		case user.In(0) == n && user.Op().Class != graph.Movement && user.Shape().Equal(n.Shape()) &&
			l.isLeftFactor(user):
		default:
			return false
		}
	}
	return true
}

// sums returns a product that keeps one axis of a value and sums another, with values of the positions that both are
// about. It returns nil if a reduction comes first, as when weights are divided by their sum.
func (l *lint) sums(n *graph.Node, kept, summed int) *graph.Node {
	products, reduced := l.productsOf(n, summed)
	if reduced {
		return nil
	}
	flow := l.forms.From(graph.AxisOf{Node: n, Axis: kept})
	at := slices.IndexFunc(products, func(p factorOf) bool {
		d, is := flow.Value(p.product).Of(0)
		return is && len(d.Terms) > 0 && l.areValues(p, n, kept, summed)
	})
	if at < 0 {
		return nil
	}
	return products[at].product
}

// areValues reports whether the other factor of a product, along the summed axis, comes from the same positions as n's
// summed axis, and has another axis that is none of such positions.
func (l *lint) areValues(p factorOf, n *graph.Node, kept, summed int) bool {
	places, _ := l.origins(n, summed)
	rows, _ := l.origins(n, kept)
	y := p.product.In(1 - p.factor)
	along, own := max(y.Rank()-2, 0), y.Rank()-1
	if p.factor == 1 {
		along, own = own, y.Rank()-2
	}
	if y.Graph() != l.g || along == own || own < 0 || y.Shape()[own] == 1 {
		return false
	}
	from, _ := l.origins(y, along)
	features, _ := l.origins(y, own)
	return share(from, places) && !share(features, places) && !share(features, rows)
}

// factorOf is a product, and which of its operands comes from a value.
type factorOf struct {
	product *graph.Node
	factor  int
}

// productsOf lists the first products that sum a value along an axis, and reports whether reductions do so.
func (l *lint) productsOf(n *graph.Node, axis int) (products []factorOf, reduced bool) {
	flow := l.forms.From(graph.AxisOf{Node: n, Axis: axis})
	l.follow(n, func(x, user *graph.Node) step {
		d, is := flow.Value(user).Of(0)
		switch {
		case is && len(d.Terms) > 0:
			return goOn
		case user.Op().Class == graph.Reduce:
			reduced = true
		case user.Op().Class == graph.Contract:
			products = append(products, factorOf{user, slices.Index(user.Operands(), x)})
		}
		return passOver
	})
	return products, reduced
}
