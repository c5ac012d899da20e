package page

import (
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// FromGraph makes a document of a graph that has not been compiled, with its mistakes.
func FromGraph(g *graph.Graph) *Document {
	d := &Document{Title: g.Name(), Columns: []*Column{NewColumn("built", "the graph as it was built", g, nil)}}
	d.AddMistakes(g)
	d.Columns[0].GuessOutputs()
	for i, n := range g.Nodes() {
		if n.IsInternalToLoop() {
			d.Columns[0].Values[i].Output = false
		}
	}
	return d
}

// NewColumn makes a column of a graph. sources are, by node, the places of the nodes in the first column from which it
// was made; nil for the first column itself.
func NewColumn(name, doc string, g *graph.Graph, sources [][]int) *Column {
	c := &Column{Name: name, Doc: doc, Values: make([]Value, len(g.Nodes()))}
	taken, loops := map[string]int{}, FindLoops(g)
	for i, n := range g.Nodes() {
		v := &c.Values[i]
		v.Label = n.Label()
		of := n.GradientOf()
		if of != nil && n.Name() == "" {
			v.Label = "∂" + of.Label()
		}
		if n.Name() != "" || of != nil {
			if taken[v.Label]++; taken[v.Label] > 1 {
				v.Label += "." + strconv.Itoa(taken[v.Label])
			}
		}
		v.Op, v.Scope, v.Role = n.Op().Name, loops.ScopeOf(n), roleOf(n)
		v.Name = n.BaseName()
		v.Type, v.Attrs = "?", attrsOf(n)
		if n.Judged() {
			v.Type = n.DType().Short() + n.Shape().Compact()
		}
		if f, ok := n.Pos().Frame(); ok {
			v.Pos, v.File, v.Line = n.Pos().Short(), f.File, f.Line
			if !n.IsWritten() {
				v.Pos = graph.Calling(n) + " at " + v.Pos
			}
		}
		v.Sources = []int{i}
		if sources != nil {
			v.Sources = sources[i]
		}
		v.Doubt = !n.Judged()
		for at := range n.Operands() {
			v.Operands = append(v.Operands, operandOf(g, n, at))
		}
		v.Part = c.partOf(n, v)
	}
	c.moveToUpdates()
	c.moveSources()
	for i, n := range g.Nodes() { // an optimiser folds to one frame
		if v := &c.Values[i]; v.Part == 2 && v.Scope == "" && len(v.Operands) > 0 {
			rule := graph.UpdateRule(n)
			v.Scope = rule[strings.LastIndex(rule, graph.ScopeSeparator)+1:]
		}
	}
	return c
}

// attrsOf returns the fixed arguments, without the data of long constants.
func attrsOf(n *graph.Node) string {
	const longest = 60
	if s := []rune(graph.FormatAttrs(n.Attrs())); len(s) > longest {
		return string(s[:longest]) + "…"
	} else {
		return string(s)
	}
}

func roleOf(n *graph.Node) string {
	switch {
	case n.IsInput():
		return "input"
	case n.IsParam():
		return "param"
	case n.IsConst():
		return "const"
	case n.Op().Class == graph.Reduce, n.Op().Class == graph.Movement, n.Op().Class == graph.Update:
		return n.Op().Class.String()
	}
	return ""
}

func operandOf(g *graph.Graph, n *graph.Node, at int) Operand {
	x := n.In(at)
	switch {
	case x == nil:
		return Operand{At: -1, Word: "nil"}
	case x.Graph() != g:
		return Operand{At: -1, Word: x.Label()}
	}
	return Operand{At: x.ID(), Axes: axesOf(n, at)}
}

// axesOf returns the result's axes as an operand is broadcast to them; those along which it is repeated are in
// parentheses. It is "" if there are none.
func axesOf(n *graph.Node, at int) string {
	kinds := n.Stretch(at)
	words, repeated := make([]string, len(kinds)), false
	for axis, k := range kinds {
		if axis >= n.Rank() {
			return ""
		}
		words[axis] = n.Shape()[axis].String()
		switch k {
		case graph.Stretched, graph.Missing:
			words[axis], repeated = "("+words[axis]+")", true
		case graph.Undecided:
			words[axis], repeated = "("+words[axis]+"?)", true
		}
	}
	if !repeated {
		return ""
	}
	return strings.Join(words, ",")
}

// partOf returns the part of the program to which a node belongs; its operands already have theirs.
func (c *Column) partOf(n *graph.Node, v *Value) int {
	if n.Origin() != nil {
		return 1
	}
	for _, x := range v.Operands {
		if x.At >= 0 && c.Values[x.At].Part != 0 {
			return 2
		}
	}
	return 0
}

// moveToUpdates moves values that only updates read, such as the decay of an optimiser's state, to the updates.
func (c *Column) moveToUpdates() {
	first := make([]int, len(c.Values)) // one more than the first part that reads a value
	for i := len(c.Values) - 1; i >= 0; i-- {
		v := &c.Values[i]
		if v.Part == 0 && len(v.Operands) > 0 && first[i] == 3 {
			v.Part = 2
		}
		for _, x := range v.Operands {
			if x.At >= 0 && (first[x.At] == 0 || v.Part < first[x.At]-1) {
				first[x.At] = v.Part + 1
			}
		}
	}
}

// moveSources returns inputs and constants that only a later part reads to that part.
func (c *Column) moveSources() {
	first := map[int]int{}
	for _, v := range c.Values {
		for _, x := range v.Operands {
			if old, read := first[x.At]; !read || v.Part < old {
				first[x.At] = v.Part
			}
		}
	}
	for i := range c.Values {
		if part, read := first[i]; read && len(c.Values[i].Operands) == 0 {
			c.Values[i].Part = part
		}
	}
}

// GuessOutputs marks values that nothing reads as outputs.
func (c *Column) GuessOutputs() {
	read := make([]bool, len(c.Values))
	for _, v := range c.Values {
		for _, x := range v.Operands {
			if x.At >= 0 {
				read[x.At] = true
			}
		}
	}
	for i := range c.Values {
		v := &c.Values[i]
		v.Output = !read[i] && !v.Doubt && v.Mistake == 0 && len(v.Operands) > 0
	}
}

// AddMistakes adds the mistakes that the check of the first column's graph finds.
func (d *Document) AddMistakes(g *graph.Graph) {
	report := shapeinfer.Check(g)
	for i, list := range [][]*graph.Mistake{report.Errors, report.Warnings} {
		for _, m := range list {
			e := Mistake{Code: string(m.Code), Warning: i == 1, Summary: m.Summary, Text: m.Error(),
				Pos: m.Place().Short(), Value: -1}
			if m.Node != nil && m.Node.Graph() == g {
				e.Value = m.Node.ID()
			}
			d.Mistakes = append(d.Mistakes, e)
			if e.Value >= 0 && !e.Warning {
				d.Columns[0].Values[e.Value].Mistake = len(d.Mistakes)
			}
		}
	}
	if len(d.Mistakes) > 0 {
		text := strings.TrimSpace(report.String())
		d.Report = text[strings.LastIndexByte(text, '\n')+1:]
	}
	values := d.Columns[0].Values
	for i := range values {
		for _, x := range values[i].Operands {
			if x.At >= 0 && (values[x.At].Mistake > 0 || values[x.At].Doubt) {
				values[i].Doubt = true
			}
		}
	}
}
