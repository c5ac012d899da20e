package axisflow

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// NewLint returns a flow from the axes of inputs and of everything that is combined with them: parameters, constants,
// positions. When one of these meets a value that comes from an input, all its axes count as one source: see
// [Flow.Weights]. A value of a deep model thus has no more sources than the model has inputs.
func NewLint(g *graph.Graph) *Flow { return newLint(g, (*graph.Node).IsInput) }

// NewSteps is [NewLint] for single steps of loops: carried values are inputs of the step.
func NewSteps(g *graph.Graph) *Flow {
	return newLint(g, func(n *graph.Node) bool {
		a, is := n.Loop()
		return n.IsInput() || is && a.Role == graph.LoopCarried
	})
}

func newLint(g *graph.Graph, isInput func(*graph.Node) bool) *Flow {
	f := newFlow(g)
	var others []*graph.Node
	for _, n := range g.Nodes() {
		switch {
		case !n.Judged():
		case isInput(n):
			f.addAxes(n)
		case len(n.Operands()) > 0:
		default:
			others = append(others, n)
		}
	}
	f.inputs = len(f.sources)
	f.sources = append(f.sources, graph.AxisOf{}) // of weights
	for _, n := range others {
		if n.Op().Class == graph.Source {
			f.addAxes(n)
		} else if axis, is := positionAlong(n); is {
			f.addSource(graph.AxisOf{Node: n, Axis: axis}, len(f.sources))
		}
	}
	return f
}

// addAxes makes each axis of a node a source.
func (f *Flow) addAxes(n *graph.Node) {
	v := make(Value, 0, n.Rank())
	for axis, size := range n.Shape() {
		if size != 1 {
			v = append(v, whole(len(f.sources), axis, size))
		}
		f.sources = append(f.sources, graph.AxisOf{Node: n, Axis: axis})
	}
	if len(v) > 0 {
		f.begin[n] = v
	}
}

// IsInput reports whether a source is an axis of an input.
func (f *Flow) IsInput(source int) bool { return source < f.inputs }

// Weights returns the number of the source for the axes of all values that are combined with inputs.
func (f *Flow) Weights() int { return f.inputs }

// united merges all sources that are not inputs, in a value that depends on inputs.
func (f *Flow) united(v Value) Value {
	first := slices.IndexFunc(v, func(d Dependence) bool { return d.Source >= f.inputs })
	if first < 1 || len(v) == first+1 && v[first].Source == f.inputs {
		return v
	}
	u := Dependence{Source: f.inputs, Mixed: true}
	for _, d := range v[first:] {
		for _, t := range d.Terms {
			if t.Weight = 0; !slices.Contains(u.Terms, t) {
				u.Terms = append(u.Terms, t)
			}
		}
	}
	return append(v[:first:first], u)
}
