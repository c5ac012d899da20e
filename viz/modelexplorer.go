package viz

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// ModelExplorer writes the format of Google's Model Explorer, which can draw graphs of any size: a collection of one
// graph, with scopes as nested namespaces. Views and Gradient(Hidden) apply. Model Explorer does the folding.
func ModelExplorer(w io.Writer, s Source, opts ...Option) error {
	if err := checkPicture(w, s); err != nil {
		return err
	}
	o := newOptions(opts)
	m, err := s.model(o)
	if err != nil {
		return err
	}
	applyViews(m, o.views, o.gradient)
	title := m.title
	if o.title != "" {
		title = o.title
	}
	several := false
	for _, v := range m.values {
		several = several || v.part != forward
	}

	// Nodes are written one at a time: a graph's JSON may be larger than the graph.
	b := bufio.NewWriter(w)
	name, err := json.Marshal(title)
	if err != nil {
		return err
	}
	b.WriteString(`{"label":` + string(name) + `,"graphs":[{"id":` + string(name) + `,"nodes":[`)
	for i, v := range m.values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		node, err := json.Marshal(explorerNodeOf(v, several))
		if err != nil {
			return err
		}
		b.Write(node)
	}
	b.WriteString("\n]}]}\n")
	return b.Flush()
}

type explorerNode struct {
	ID            string          `json:"id"`
	Label         string          `json:"label"`
	Namespace     string          `json:"namespace"`
	Attrs         []explorerAttr  `json:"attrs,omitempty"`
	IncomingEdges []explorerEdge  `json:"incomingEdges,omitempty"`
	Outputs       []explorerValue `json:"outputsMetadata,omitempty"`
}

type explorerAttr struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

type explorerEdge struct {
	Source string `json:"sourceNodeId"`
	Output string `json:"sourceNodeOutputId"`
	Input  string `json:"targetNodeInputId"`
}

type explorerValue struct {
	ID    string         `json:"id"`
	Attrs []explorerAttr `json:"attrs"`
}

func explorerNodeOf(v *value, several bool) explorerNode {
	n := explorerNode{ID: strconv.Itoa(v.id), Label: v.op,
		Namespace: strings.ReplaceAll(v.scope, graph.ScopeSeparator, "/")}
	if several { // so that a layer and its gradient are two groups
		n.Namespace = strings.TrimSuffix(partNames[v.part]+"/"+n.Namespace, "/")
	}
	if v.role.isSource() && v.name != "" {
		n.Label = v.name
	}
	add := func(key, value string) {
		if value != "" {
			n.Attrs = append(n.Attrs, explorerAttr{key, value})
		}
	}
	add("name", v.name)
	add("arguments", v.attrText())
	add("part of", v.partOf)
	add("source", v.pos)
	if v.fault != nil {
		add("mistake", v.fault.whole)
	}
	for i, x := range v.in {
		if x.from == nil {
			add("operand "+strconv.Itoa(i), x.word)
			continue
		}
		n.IncomingEdges = append(n.IncomingEdges, explorerEdge{strconv.Itoa(x.from.id), "0", strconv.Itoa(i)})
		if x.axes != nil {
			add("operand "+strconv.Itoa(i)+" meets", typeText{axes: x.axes}.repeated())
		}
	}
	if v.judged {
		n.Outputs = []explorerValue{{"0", []explorerAttr{{"tensor_shape", plainType(v).String()}}}}
	}
	return n
}

// repeated writes axes with those in parentheses that broadcasting repeats, as the text
// form does.
func (t typeText) repeated() string {
	s := ""
	for i, a := range t.axes {
		if i > 0 {
			s += ","
		}
		switch a.mark {
		case markStretched:
			s += "(" + a.size + ")"
		case markUndecided:
			s += "(" + a.size + "?)"
		default:
			s += a.size
		}
	}
	return s
}
