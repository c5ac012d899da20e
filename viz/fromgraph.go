package viz

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/page"
)

func (s graphSource) model(o *options) (*model, error) {
	b := newGraphModel(s.g)
	if o.divided != nil {
		b.divide(o)
	}
	for _, mistake := range s.g.Mistakes() {
		b.m.faults++
		if n := mistake.Node; n == nil || n.Graph() != s.g {
			b.m.loose = append(b.m.loose, newFault(mistake))
		}
	}
	return b.m, nil
}

func newGraphModel(g *graph.Graph) *graphModel {
	b := &graphModel{g: g, m: &model{title: g.Name()}, values: make([]*value, len(g.Nodes())), labels: nodeLabels(g),
		loops: page.FindLoops(g)}
	for i, n := range g.Nodes() {
		b.values[i] = b.value(n)
	}
	b.m.values = b.values
	b.noteSteps()
	b.moveToUpdates()
	b.moveSources()
	b.nameCalls()
	b.findUses()
	b.nameGradients()
	b.leaveOutExamples()
	return b
}

// leaveOutExamples leaves out the values of single examples: those of all examples are drawn. Mistakes are found in the
// former.
func (b *graphModel) leaveOutExamples() {
	if len(b.g.Mistakes()) == 0 {
		b.m.values = slices.DeleteFunc(slices.Clone(b.values), func(v *value) bool {
			return b.g.Nodes()[v.id].IsOfExample()
		})
	}
}

// graphModel fills a model from a graph.
type graphModel struct {
	g      *graph.Graph
	m      *model
	values []*value
	labels []string
	loops  page.Loops
}

func (b *graphModel) value(n *graph.Node) *value {
	v := &value{id: n.ID(), label: b.labels[n.ID()], op: n.Op().Name, scope: b.loops.ScopeOf(n),
		body: b.loops.NameOf(n.Region()), pos: n.Pos().Short(),
		judged: n.Judged(), random: n.Op().Random}
	if !n.IsWritten() {
		v.partOf = graph.Calling(n)
	}
	v.name = n.BaseName()
	for i := range n.Operands() {
		v.in = append(v.in, b.operand(n, i))
	}
	v.role, v.part = roleOf(n), b.partOf(n, v)
	v.doubt = !v.judged
	for _, x := range v.in {
		v.doubt = v.doubt || x.from != nil && (x.from.fault != nil || x.from.doubt)
	}
	if m, wrong := n.Err().(*graph.Mistake); wrong {
		for _, x := range v.in {
			if x.from != nil {
				x.from.shown = true // the message calls it by its label
			}
		}
		v.fault = newFault(m)
		return v
	}
	if n.Op().Class != graph.Loop { // the frame of the loop tells them
		v.attrs = attrTexts(n.Attrs())
	}
	if v.judged {
		v.typ = typeOf(n.DType(), n.Shape())
	}
	if !v.doubt {
		b.markType(v, n)
	}
	return v
}

func roleOf(n *graph.Node) role {
	switch {
	case n.IsInput():
		return roleInput
	case n.IsParam():
		return roleParam
	case n.Op().Class == graph.Source && len(n.Operands()) == 0:
		return roleConst
	case n.Op().Class == graph.Reduce:
		return roleReduce
	case n.Op().Class == graph.Movement && len(n.Operands()) == 1:
		return roleMovement
	case n.Op().Class == graph.Update:
		return roleUpdate
	}
	return rolePlain
}

// partOf returns the part of a node whose operands have theirs.
func (b *graphModel) partOf(n *graph.Node, v *value) part {
	if n.Origin() != nil {
		return gradient
	}
	for _, x := range v.in {
		if x.from != nil && x.from.part != forward {
			return update
		}
	}
	return forward
}

func (b *graphModel) operand(n *graph.Node, i int) operand {
	x := n.In(i)
	switch {
	case x == nil:
		return operand{word: "nil"}
	case x.Graph() != b.g:
		return operand{word: x.Label()}
	}
	o := operand{from: b.values[x.ID()], writes: i == 0 && n.Op().Class == graph.Update}
	if kinds := n.Stretch(i); repeats(kinds) && n.Err() == nil {
		o.axes = stretched(n.Shape(), kinds)
	}
	return o
}

// markType shows in a value's own type what became of its operand's axes: a reduction
// is shown with the axes that it folds, a repeating movement with those that it repeats.
func (b *graphModel) markType(v *value, n *graph.Node) {
	if axes, keep, ok := foldedAxes(n); ok {
		v.role = roleReduce
		v.attrs = foldedText(axes, n.In(0).Rank())
		v.typ.axes = typeOf(n.DType(), n.In(0).Shape()).axes
		for _, a := range axes {
			v.typ.axes[a].mark = markSummed
			if keep {
				v.typ.axes[a].to = "1"
			}
		}
	}
	if v.role == roleMovement && v.in[0].axes != nil {
		v.typ.axes, v.in[0].axes = v.in[0].axes, nil
	}
	v.converts = isConversion(n)
}

// foldedText names the folded axes, or says nothing where all are.
func foldedText(axes []int, rank int) []string {
	if len(axes) == rank {
		return nil
	}
	words := make([]string, len(axes))
	for i, a := range axes {
		words[i] = strconv.Itoa(a)
	}
	if len(words) == 1 {
		return []string{"axis " + words[0]}
	}
	return []string{"axes " + strings.Join(words, ",")}
}

func typeOf(t graph.DType, s graph.Shape) typeText {
	text := typeText{dtype: t.Short(), axes: make([]axis, len(s))}
	for i, d := range s {
		text.axes[i].size = d.String()
		if d.IsUnknown() {
			text.axes[i].size = "?"
		}
	}
	return text
}

func repeats(kinds []graph.AxisKind) bool {
	for _, k := range kinds {
		if k != graph.Same {
			return true
		}
	}
	return false
}

func stretched(s graph.Shape, kinds []graph.AxisKind) []axis {
	axes := typeOf(graph.InvalidDType, s).axes
	for i, k := range kinds {
		switch k {
		case graph.Stretched, graph.Missing:
			axes[i].mark = markStretched
		case graph.Undecided:
			axes[i].mark = markUndecided
		}
	}
	return axes
}

func newFault(m *graph.Mistake) *fault {
	f := &fault{code: string(m.Code), summary: m.Summary, pos: m.Place().Short(), whole: m.Error()}
	for _, o := range m.Operands {
		shape, t, label := o.Shape, graph.InvalidDType, o.Label
		if o.Node != nil {
			t = o.Node.DType()
			if shape == nil {
				shape = o.Node.Shape()
			}
			if label == "" {
				label = o.Node.Label()
			}
		}
		typ := typeOf(t, shape)
		if t == graph.InvalidDType {
			typ.dtype = ""
		}
		for _, a := range o.Bad {
			if a >= 0 && a < len(typ.axes) {
				typ.axes[a].mark = markBad
			}
		}
		f.operands = append(f.operands, faultOperand{label, typ})
	}
	return f
}

// nodeLabels returns each node the word of the text form, numbered where it is taken.
func nodeLabels(g *graph.Graph) []string {
	labels := make([]string, len(g.Nodes()))
	taken := map[string]int{}
	for i, n := range g.Nodes() {
		labels[i] = n.Label()
		if n.Name() == "" {
			continue
		}
		if taken[labels[i]]++; taken[labels[i]] > 1 {
			labels[i] = fmt.Sprintf("%s.%d", labels[i], taken[labels[i]])
		}
	}
	return labels
}
