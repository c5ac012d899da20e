package graph

import "fmt"

// asked records where a gradient was requested.
type asked struct {
	y, x *Node // the value that is differentiated, and that with respect to which it is
	dy   *Node // the gradient that arrives at y where the user gave one, or nil
	at   Pos
}

// MarkGradient records that dx is the gradient of y with respect to x, and the source position that requested it:
// messages and pictures name parts of a gradient by it. dy is the upstream gradient if the user passed one, or nil.
// Only the first mark of a node counts.
func (g *Graph) MarkGradient(dx, y, x, dy *Node) {
	if dx != nil && dx.g == g && dx.bad == nil {
		g.markGradient(dx, asked{y, x, dy, Caller()})
	}
}

func (g *Graph) markGradient(dx *Node, a asked) {
	if g.gradients == nil {
		g.gradients = map[*Node]asked{}
	}
	if _, marked := g.gradients[dx]; !marked {
		g.gradients[dx] = a
	}
}

// asGradient returns the request of which n is the gradient; ok is false if it is none.
func (n *Node) asGradient() (a asked, ok bool) {
	if n.g != nil {
		a, ok = n.g.gradients[n]
	}
	return a, ok
}

// GradientOf returns the value with respect to which n was requested as a gradient, or nil. For a node that a
// compiler pass copied, it is the value of the user's graph.
func (n *Node) GradientOf() *Node {
	a, _ := n.asGradient()
	return a.x
}

// MarkLike records that n was made from the shapes of others, even without their elements, and returns n: if one of
// them cannot exist, n has no shape.
func (n *Node) MarkLike(others ...*Node) *Node {
	if n.g == nil || len(others) == 0 {
		return n
	}
	if n.g.likes == nil {
		n.g.likes = map[*Node][]*Node{}
	}
	n.g.likes[n] = others
	return n
}

// DerivedFrom lists nodes from which n was made, although it may not be computed from them: the forward node of its
// gradient, the value of which it is a gradient, the upstream gradient of that value, the values whose shapes it has,
// and the node for which it stands; for the end of a loop, the values that the loop slices.
func (n *Node) DerivedFrom() (list []*Node) {
	a, _ := n.asGradient()
	for _, x := range append([]*Node{n.origin, a.y, a.dy, n.StandsFor()}, n.like()...) {
		if x != nil {
			list = append(list, x)
		}
	}
	return list
}

// like returns the values of which n was made by their shapes.
func (n *Node) like() []*Node {
	if n.g == nil {
		return nil
	}
	return n.g.likes[n]
}

// Place returns the source position to which a message about the node leads: where it was made, or for a gradient
// where it was requested.
func (n *Node) Place() Pos {
	if a, is := n.asGradient(); is {
		return a.at
	}
	return n.pos
}

// call returns the call of the user's program that asks for the gradient: "Grad(loss, x)".
func (a asked) call() string {
	if f, ok := a.at.Frame(); ok && isFunction(f.Call) && f.Call != "Grad" {
		return f.Call + "(…)"
	}
	return fmt.Sprintf("Grad(%s, %s)", a.y.called(callDepth-1), a.x.called(callDepth-1))
}
