package shapeinfer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

// Independent proves that y treats the examples along an axis independently: its elements at each position of the axis
// are computed only from the examples that are fed at the same position. Examples are fed along the given axes, by
// default along the input axes that have the same size. It returns nil, or a mistake that names the operation that
// mixes examples. What cannot be proved need not be wrong. [Check] proves what ops.Independent declares.
func Independent(y *graph.Node, axis int, of ...graph.AxisOf) error {
	if y == nil || !y.Judged() || axis < -y.Rank() || axis >= y.Rank() {
		return &graph.Mistake{Code: graph.CodeAxis, Node: y,
			Summary: fmt.Sprintf("there is no axis %d whose examples could be independent", axis)}
	}
	if axis < 0 {
		axis += y.Rank()
	}
	for _, a := range of {
		if a.Node == nil || !a.Node.Judged() || a.Node.Graph() != y.Graph() || a.Axis < 0 || a.Axis >= a.Node.Rank() {
			return &graph.Mistake{Code: graph.CodeAxis, Node: y,
				Summary: "examples are fed along axes that the graph does not have"}
		}
	}
	if m := leakMistake(graph.Independence{AxisOf: graph.AxisOf{Node: y, Axis: axis}, Of: of}); m != nil {
		return m
	}
	return nil
}

// checkIndependence proves what was declared of examples.
func checkIndependence(g *graph.Graph, r *Report) {
	for _, s := range g.Independences() {
		if !s.Node.Judged() {
			continue // its own mistake
		}
		if m := leakMistake(s); m != nil {
			m.Detail = append(m.Detail, fmt.Sprintf(
				"declared at %s: Independent(%s, %d)", s.Pos, s.Node.Called(), s.Axis))
			r.Errors = append(r.Errors, m)
		}
	}
}

// leakMistake says what keeps examples from being independent, or returns nil.
func leakMistake(s graph.Independence) *graph.Mistake {
	of, m := examplesOf(s)
	if m != nil {
		return m
	}
	leak := axisflow.Independent(s.Node, s.Axis, of)
	if leak == nil {
		return nil
	}
	if leak.At == nil {
		return &graph.Mistake{Code: graph.CodeIndependence, Node: s.Node, Pos: s.Pos, Operands: pathRows(leak, s.Node),
			Apart: true, Path: true,
			Summary: fmt.Sprintf("the examples of %s are along axis %d of %s, not along axis %d",
				listOfAxes(of), leak.Along, s.Node.Called(), s.Axis)}
	}
	m = &graph.Mistake{Code: graph.CodeIndependence, Node: leak.At, Operands: pathRows(leak, s.Node), Apart: true,
		Path: true,
		Summary: fmt.Sprintf(
			"examples are mixed: elements of %s at one position of axis %d are computed from other positions of %s",
			s.Node.Called(), s.Axis, listOfAxes(of))}
	m.Help = mixedHelp(leak)
	return m
}

// examplesOf returns the axes along which examples are fed.
func examplesOf(s graph.Independence) (of []graph.AxisOf, m *graph.Mistake) {
	size := s.Node.Shape()[s.Axis]
	refuse := func(format string, args ...any) *graph.Mistake {
		return &graph.Mistake{Code: graph.CodeIndependence, Node: s.Node, Pos: s.Pos,
			Operands: []graph.OperandNote{{Node: s.Node}}, Summary: fmt.Sprintf(format, args...),
			Help: []string{
				fmt.Sprintf(
					"name the axes along which examples are fed: Independent(%s, %d, graph.AxisOf{Node: …, Axis: 0})",
					s.Node.Called(), s.Axis)}}
	}
	if of = s.Of; of == nil {
		for _, x := range s.Node.Graph().Inputs() {
			axes := axesOfSize(x, size)
			switch {
			case len(axes) == 1 || len(axes) > 1 && slices.Contains(axes, s.Axis):
				at := axes[0]
				if slices.Contains(axes, s.Axis) {
					at = s.Axis
				}
				of = append(of, graph.AxisOf{Node: x, Axis: at})
			case len(axes) > 1:
				return nil, refuse("%s has several axes of size %s, and nothing says along which one examples are fed",
					x.Called(), size)
			}
		}
		if len(of) == 0 {
			return nil, refuse("no input has an axis of size %s, along which examples could be fed", size)
		}
	}
	p := prove.NewProver(s.Node.Graph().Bounds)
	for _, a := range of {
		if p.Equal(a.Node.Shape()[a.Axis], size) != prove.Proved {
			return nil, refuse("%s does not have as many examples as %s", a, s.AxisOf)
		}
	}
	return of, nil
}

func axesOfSize(x *graph.Node, size graph.Dim) (axes []int) {
	for axis, d := range x.Shape() {
		if d == size {
			axes = append(axes, axis)
		}
	}
	return axes
}

// maxPath bounds the values that are shown of a path.
const maxPath = 8

// pathRows shows the way of examples to a value, one value for each line of the program.
func pathRows(leak *axisflow.Leak, y *graph.Node) (rows []graph.OperandNote) {
	var shown []*graph.Node
	for i, n := range leak.Path {
		isEnd := n == leak.At || n == y || i == 0
		if !isEnd && (sameLine(n, leak.Path[i+1]) || leak.At != nil && sameLine(n, leak.At)) {
			continue
		}
		if n.Written() == n {
			shown = append(shown, n)
		}
	}
	for len(shown) > maxPath {
		shown = slices.Delete(shown, farthest(shown, leak.At), farthest(shown, leak.At)+1)
	}
	for _, n := range shown {
		row := graph.OperandNote{Node: n}
		if n == leak.At {
			row.Text = "mixes examples"
		}
		rows = append(rows, row)
	}
	return rows
}

func sameLine(a, b *graph.Node) bool {
	fa, ok := a.Pos().Frame()
	fb, also := b.Pos().Frame()
	return ok && also && fa.File == fb.File && fa.Line == fb.Line
}

// farthest returns the place of a value in the middle of a list, farthest from another one.
func farthest(list []*graph.Node, from *graph.Node) int {
	at := slices.Index(list, from)
	if at < len(list)/2 {
		return len(list) - 2
	}
	return 1
}

func listOfAxes(of []graph.AxisOf) string {
	words := make([]string, len(of))
	for i, a := range of {
		words[i] = a.String()
	}
	return strings.Join(words, ", ")
}

// mixedHelp is advice about an operation that mixes examples.
func mixedHelp(leak *axisflow.Leak) []string {
	if leak.Normalizes {
		return []string{
			"each example is normalized by the statistics of all, as batch normalization does in training mode: " +
				"BatchNormInference uses running statistics, and LayerNorm and GroupNorm those of each example"}
	}
	return nil
}
