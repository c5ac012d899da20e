package conformance

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// step is one line of a program.
type step struct {
	Op    string                     `json:"op"`
	In    []string                   `json:"in"`
	Out   names                      `json:"out"`
	Attrs map[string]json.RawMessage `json:"attrs"`

	Shape        sizes   `json:"shape"` // of an input or a leaf
	DType        string  `json:"dtype"`
	Data         numbers `json:"data"`
	RequiresGrad bool    `json:"requires_grad"`
	NoGrad       bool    `json:"no_grad"`
}

// names are the results of a step: one name or several.
type names []string

// UnmarshalJSON reads one name or a list.
func (n *names) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*n = names{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(n))
}

// String returns the step as a call: "z = add(x, y) dim=1".
func (s step) String() string {
	text := fmt.Sprintf("%s(%s)", s.Op, strings.Join(s.In, ", "))
	if len(s.In) == 0 {
		text = fmt.Sprintf("%s%v", s.Op, graph.Shape(s.Shape))
	}
	if len(s.Out) > 0 {
		text = strings.Join(s.Out, ", ") + " = " + text
	}
	for name, v := range s.Attrs {
		text += fmt.Sprintf(" %s=%s", name, v)
	}
	return text
}

// writes reports whether the step changes its first operand in place.
func (s *step) writes() bool { return strings.HasSuffix(s.Op, "_") }

// program builds the steps of symbolic.jsonl: names stand for values, and a step that
// writes returns its first operand's name to the new value.
type program struct {
	g      *graph.Graph
	inputs []*graph.Node
	values map[string]*graph.Node
	truth  map[string]bool // names of truth values
	last   *graph.Node
}

func newProgram(g *graph.Graph, steps []step) *program {
	p := &program{g: g, values: map[string]*graph.Node{}, truth: map[string]bool{}}
	for _, s := range steps {
		if s.Op == "where" {
			p.truth[s.In[0]] = true
		}
	}
	return p
}

func (p *program) step(s *step) error {
	if s.Op == "input" {
		t := graph.Float64
		if p.truth[s.Out[0]] {
			t = graph.Bool
		}
		n := p.g.Input(s.Out[0], t, s.Shape...).Mutable()
		p.inputs = append(p.inputs, n)
		p.values[s.Out[0]], p.last = n, n
		return nil
	}
	in := make([]*graph.Node, len(s.In))
	for i, name := range s.In {
		in[i] = p.values[name]
	}
	if s.writes() {
		n, err := write(s, in)
		p.values[s.In[0]], p.last = n, n
		return err
	}
	out, err := build(s.Op, nil, in, s.Attrs)
	if err != nil {
		return err
	}
	for i, name := range s.Out {
		p.values[name] = out[i]
	}
	p.last = out[0]
	return nil
}
