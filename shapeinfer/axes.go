package shapeinfer

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

// Axis describes an axis of a value.
type Axis struct {
	Size graph.Dim
	// From lists the axes of inputs and parameters from which it comes: through broadcasting, reshapes that merge and
	// split axes, views, concatenations, products, gathers, convolutions and reductions. It is empty for an axis
	// without such an origin, such as one that repeats elements.
	From []Origin
}

// Origin is an axis of an input or a parameter from which an axis of a value, or a part of it, comes.
type Origin struct {
	graph.AxisOf
	// Inner and Count say which part: position p of the value's axis belongs to position floor(p/Inner) mod Count of
	// the origin's axis, times Step. For a whole axis, Inner and Step are 1 and Count is its size; Step is 0 if
	// unknown.
	Inner, Count, Step graph.Dim
}

// Axes returns, for each axis of a value, the axes of inputs and parameters from which it comes. It returns nil if the
// value has no shape.
func Axes(n *graph.Node) []Axis {
	if n == nil || !n.Judged() || n.Graph() == nil {
		return nil
	}
	f := axisflow.NewFlow(n.Graph(), givenAxes(n.Graph())...)
	list := make([]Axis, n.Rank())
	for axis, size := range n.Shape() {
		list[axis].Size = size
	}
	for _, d := range f.Value(n) {
		for _, t := range d.Terms {
			list[t.Axis].From = append(list[t.Axis].From, Origin{f.Source(d.Source), t.Inner, t.Size, t.Weight})
		}
	}
	return list
}

// givenAxes lists the axes of inputs and parameters.
func givenAxes(g *graph.Graph) (list []graph.AxisOf) {
	for _, nodes := range [][]*graph.Node{g.Inputs(), g.Params()} {
		for _, x := range nodes {
			for axis := range x.Rank() {
				list = append(list, graph.AxisOf{Node: x, Axis: axis})
			}
		}
	}
	return list
}

// String is "batch: axis 0 of x"; for an axis made of several, each has its count and the number of positions that each
// element covers, as in "8*batch: axis 0 of x [batch, each 8]".
func (a Axis) String() string {
	words := make([]string, len(a.From))
	for i, o := range a.From {
		if words[i] = o.AxisOf.String(); o.Inner != 1 || o.Count != a.Size {
			words[i] += fmt.Sprintf(" [%s, each %s]", o.Count, o.Inner)
		}
	}
	if len(words) == 0 {
		return a.Size.String()
	}
	return a.Size.String() + ": " + strings.Join(words, ", ")
}
