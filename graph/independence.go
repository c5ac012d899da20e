package graph

import "fmt"

// AxisOf is an axis of a value, counted from the first.
type AxisOf struct {
	Node *Node
	Axis int
}

// String is "axis 0 of x".
func (a AxisOf) String() string { return fmt.Sprintf("axis %d of %s", a.Axis, a.Node.Called()) }

// Independence declares that a value treats examples independently: its elements at each position of an axis are
// computed only from elements of other values at the same position.
type Independence struct {
	AxisOf
	// Of are the axes along which examples are fed. If nil, they are those of the inputs that have the size of the
	// axis.
	Of []AxisOf
	// Pos is the source position of the declaration.
	Pos Pos
}

// DeclareIndependent records a declaration, which package shapeinfer proves. Axes that the graph does not have are
// ignored.
func (g *Graph) DeclareIndependent(s Independence) {
	for _, a := range append([]AxisOf{s.AxisOf}, s.Of...) {
		if a.Node == nil || a.Node.g != g || a.Axis < 0 || a.Axis >= a.Node.Rank() {
			return
		}
	}
	s.Pos = Caller()
	g.independences = append(g.independences, s)
}

// Independences lists the declarations to be proved, in program order.
func (g *Graph) Independences() []Independence { return g.independences }
