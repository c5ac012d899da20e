package graph

import (
	"fmt"
	"slices"
	"strings"
)

// substitution is the values that operations read instead of parameters.
type substitution struct {
	values map[*Node]*Node
	read   map[*Node]bool // parameters whose values were read
	outer  *substitution
}

// WithParams builds nodes that read values instead of parameters: wherever build passes params[i] to an operation, the
// operation gets values[i], of the same shape and dtype. It is how a layer is applied with parameters that the program
// computes, such as those of an inner step of MAML, of a hypernetwork, or of each example in ops.Vmap. It is
// torch.func.functional_call. The nodes are otherwise as without it: gradients of any order flow to the values, and
// nothing is copied.
//
// In build, a gradient with respect to params[i] is that of values[i]. Within another WithParams, the inner one counts
// for its own parameters. State, of [Graph.State], is not replaced: it is read and written as always.
//
// These are mistakes: a value of another shape or dtype, a node that is no parameter, a parameter that nothing in build
// reads, and a write to a replaced parameter in build. A value without a name gets that of its parameter with
// ".substitute" added, for messages, pictures and profiles.
func (g *Graph) WithParams(params, values []*Node, build func()) {
	s := &substitution{values: map[*Node]*Node{}, read: map[*Node]bool{}, outer: g.substitution}
	values = g.ValuesOf(values)
	known := len(g.mistakes)
	if len(params) != len(values) {
		g.refuseParams(&Mistake{Code: CodeOperand, Summary: fmt.Sprintf(
			"got %d values for %d parameters: each parameter needs one", len(values), len(params))})
	}
	for i, w := range params[:min(len(params), len(values))] {
		v := values[i]
		if m, about := s.refuses(g, i, w, v); m != nil {
			m.Help = append(m.Help, s.remedies(params, w, v)...)
			g.refuseParams(m, about...)
			break // others are most often wrong for the same reason
		}
		if !v.isWhole() {
			continue // its own mistake was reported
		}
		s.values[w] = v
		if v.name == "" && !v.implied {
			v.Named(w.Name() + ".substitute")
		}
	}
	if build != nil {
		s.during(g, build)
	}
	unread := slices.DeleteFunc(slices.Clone(params), func(w *Node) bool { return s.values[w] == nil || s.read[w] })
	if len(unread) > 0 && len(g.mistakes) == known {
		g.refuseParams(s.unreadMistake(unread), unread...)
	}
}

// during builds with a substitution, or with none if it is nil.
func (s *substitution) during(g *Graph, build func()) {
	outer := g.substitution
	g.substitution = s
	defer func() { g.substitution = outer }()
	build()
}

// ValuesOf returns what operations read for the given nodes: within [Graph.WithParams] the values that replace
// parameters, for all others the nodes themselves.
func (g *Graph) ValuesOf(nodes []*Node) []*Node {
	if g == nil || g.substitution == nil {
		return nodes
	}
	return g.substitution.valuesOf(nodes)
}

func (s *substitution) valuesOf(nodes []*Node) []*Node {
	values := slices.Clone(nodes)
	for i, x := range nodes {
		if v := s.valueOf(x); v != nil {
			values[i] = v
		}
	}
	return values
}

// valueOf returns what is read for a replaced parameter; nil for another node.
func (s *substitution) valueOf(x *Node) *Node {
	for ; s != nil; s = s.outer {
		if v := s.values[x]; v != nil {
			s.read[x] = true
			return v
		}
	}
	return nil
}

// isWhole reports whether all is known of the node's shape and it has no mistake.
func (n *Node) isWhole() bool {
	return n.judged && n.bad == nil && !slices.Contains(n.shape, UnknownDim)
}

// strayWrite refuses a write to a replaced parameter.
func (s *substitution) strayWrite(op *Op, in []*Node) *Mistake {
	if op.Class != Update || len(in) == 0 {
		return nil
	}
	v := s.valueOf(in[0])
	if v == nil {
		return nil
	}
	return &Mistake{Code: CodeOperand,
		Summary: fmt.Sprintf("%s is written where WithParams replaces it by %s", in[0].Called(), v.Called()),
		Help:    []string{"build the updates of parameters outside of WithParams"}}
}

// refuses says what is wrong with parameter i and its value, and which nodes that is about.
func (s *substitution) refuses(g *Graph, i int, w, v *Node) (m *Mistake, about []*Node) {
	m = &Mistake{Code: CodeOperand}
	switch {
	case w == nil || w.op == nil:
		m.Summary = fmt.Sprintf("parameter %d is nil", i)
	case w.g != g:
		m.Summary = fmt.Sprintf("parameter %d, %s, belongs to another graph", i, w.Called())
		m.Help = []string{"build all nodes of a program in one graph"}
	case !w.IsParam():
		m.Summary = fmt.Sprintf("%s is %s, not a parameter", w.Called(), Describe(w))
		m.Help = []string{"pass parameters, such as those of optim.Trainable(g, \"layer\") or the fields of a layer"}
		return m, []*Node{w}
	case w.IsState():
		m.Summary = fmt.Sprintf("%s is state, which is not replaced", w.Called())
		m.Help = []string{"leave it out: state is read and written as always",
			"or apply the layer in a pass that carries its state: nn.Pass.Carrying"}
		return m, []*Node{w}
	case s.values[w] != nil:
		m.Summary = fmt.Sprintf("%s is listed twice among the parameters", w.Called())
		return m, []*Node{w}
	case v == nil || v.op == nil:
		m.Summary = fmt.Sprintf("the value for %s is nil", w.ofLayer())
		return m, []*Node{w}
	case v.g == nil:
		m.Summary = fmt.Sprintf("the value for %s is the number %s, but must be a tensor", w.ofLayer(), v.Called())
		m.Help = []string{fmt.Sprintf("use a value of its shape: ops.FullLike(%s, %s)", w.Called(), v.Called())}
		return m, []*Node{w}
	case v.g != g:
		m.Summary = fmt.Sprintf("the value for %s, %s, belongs to another graph", w.ofLayer(), v.Called())
		m.Help = []string{"build all nodes of a program in one graph"}
		return m, []*Node{w}
	case !w.judged || !v.isWhole() || v.dtype == w.dtype && slices.Equal(g.settled(v.shape), g.settled(w.shape)):
		return nil, nil
	default:
		m.Summary = fmt.Sprintf("the value for %s is %s%s, but the parameter is %s%s", w.ofLayer(), v.dtype, v.shape,
			w.dtype, w.shape)
		return m, []*Node{w, v}
	}
	return m, nil
}

// remedies say how a value may get the type of its parameter.
func (s *substitution) remedies(params []*Node, w, v *Node) []string {
	isItsOwn := func(p *Node) bool { return p != nil && p.IsParam() && slices.Equal(p.shape, v.shape) }
	switch {
	case w == nil || v == nil || v.g == nil || w.g != v.g || !w.IsParam() || w.IsState():
		return nil
	case slices.Equal(v.shape, w.shape):
		return []string{fmt.Sprintf("ops.Cast(%s, %s.DType()) has its dtype", v.Called(), w.Called())}
	case slices.ContainsFunc(params, isItsOwn):
		return []string{"pass the values in the order of their parameters"}
	case len(v.shape) > 0 && slices.Equal(v.shape[1:], w.shape):
		return []string{
			"for parameters of each example, call WithParams in the function of ops.Vmap over the values: it gets those of one example"}
	case v.shape.NumElements() == w.shape.NumElements():
		return []string{fmt.Sprintf("ops.Reshape(%s, %s.Shape()...) has its shape", v.Called(), w.Called())}
	}
	return nil
}

// ofLayer calls a parameter by its name and that of its layer.
func (n *Node) ofLayer() string {
	if n.Scope() == "" {
		return n.Called()
	}
	return fmt.Sprintf("%s of layer %s", n.Called(), n.Scope())
}

// unreadMistake is that of parameters which nothing has read.
func (s *substitution) unreadMistake(unread []*Node) *Mistake {
	names := shortList(unread, func(_ int, w *Node) string { return w.Called() })
	return &Mistake{Code: CodeOperand,
		Summary: "nothing that is built with these values reads " + strings.Join(names, ", "),
		Help: []string{
			"pass only parameters of the layers that are applied, such as optim.Trainable(g, \"layer\")"}}
}

// refuseParams records a mistake of a call of WithParams.
func (g *Graph) refuseParams(m *Mistake, about ...*Node) {
	(*substitution)(nil).during(g, func() {
		if len(about) == 0 {
			RefusedIn(g, "WithParams", m)
			return
		}
		RefusedBy("WithParams", nil, m.tell, about...)
	})
}
