package graph

import "fmt"

// AxisOf is an axis of a value, counted from the first.
type AxisOf struct {
	Node *Node
	Axis int
}

// String is "axis 0 of x".
func (a AxisOf) String() string { return fmt.Sprintf("axis %d of %s", a.Axis, a.Node.Called()) }

// Independence states that the elements of a value at each position of an axis are computed from
// those elements of others that stand at the same position of theirs: that they treat examples
// independently of each other.
type Independence struct {
	AxisOf
	// Of are the axes along which examples are fed; nil are those of the inputs that have the size
	// of the axis.
	Of []AxisOf
	// Pos is the place in the user's program that states it.
	Pos Pos
}

// DeclareIndependent notes what is to be proved of a value: package shapeinfer does. Of axes that the
// graph does not have there is nothing to be proved.
func (g *Graph) DeclareIndependent(s Independence) {
	for _, a := range append([]AxisOf{s.AxisOf}, s.Of...) {
		if a.Node == nil || a.Node.g != g || a.Axis < 0 || a.Axis >= a.Node.Rank() {
			return
		}
	}
	s.Pos = Caller()
	g.independences = append(g.independences, s)
}

// Independences lists what is to be proved of values, in the order of the program.
func (g *Graph) Independences() []Independence { return g.independences }
