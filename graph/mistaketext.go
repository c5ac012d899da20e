package graph

import (
	"fmt"
	"slices"
	"strings"
)

// Error returns the whole message. The first line has the form "file.go:12:7: error BL101: Add(x, y): summary", which
// editors can jump to. The operands follow, with their axes aligned from the right, then help. The column is that of
// the call, if the source can be read.
func (m *Mistake) Error() string { return m.Text("") }

// Text is Error with the paths of files relative to a directory.
func (m *Mistake) Text(dir string) string {
	t := messageText{dir: dir, silentPromises: slices.Contains(withoutPromises, m.Code)}
	if m.Node != nil {
		t.g = m.Node.g
	}
	if place := t.place(m.Place()); place != "?" { // a graph that was read from a file has no lines
		t.WriteString(place + ": ")
	}
	fmt.Fprintf(&t.Builder, "%s %s: ", m.Severity, m.Code)
	if m.Node != nil && !m.Whole {
		t.WriteString(Describe(m.Node) + ": ")
	}
	t.WriteString(m.Summary)
	if m.Pos == (Pos{}) || m.Node != nil && m.Pos.Func() == m.Node.pos.Func() {
		t.calls(m.Node)
	}
	t.operands(m)
	if m.Node != nil && len(m.Sizes) > 0 {
		t.line(t.declarations(m.Node.g, m.Sizes))
	}
	for _, line := range m.Detail {
		t.line(line)
	}
	for _, fix := range m.Fixes {
		text := "help: " + fix.Text
		if fix.At != nil {
			text += " (" + t.place(fix.At.pos) + ")"
		}
		t.line(text)
	}
	for _, line := range m.Help {
		t.line("help: " + line)
	}
	return t.String()
}

// calls says from where the user's function was called that made the node, where it was
// called more than once: the line alone then does not tell which value is meant.
func (t *messageText) calls(n *Node) {
	if n == nil {
		return
	}
	in, _ := n.pos.Frame()
	for _, from := range n.CalledFrom() {
		// A function that the library calls, as Scope does, is part of the one around it.
		if isInner := from.Call != "" && from.function() == in.function(); !isInner {
			t.line(fmt.Sprintf("in %s, called at %s", in.function(), from.In(t.dir)))
		}
		in = from
	}
}

// declarations says where named sizes were declared.
func (t *messageText) declarations(g *Graph, names []string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = fmt.Sprintf("%q at %s", name, t.place(g.DimPos(name)))
	}
	return "declared: " + strings.Join(words, ", ")
}

// withoutPromises are the codes of messages that leave out which shapes are promised of operands. Those about promises
// show them already; others are about dtypes, writes, gradients or dependencies, which shapes do not explain.
var withoutPromises = []Code{
	CodeContract, CodeCrossedNames, CodeIndependence, CodeLeftOut, CodeGivenProbabilities,
	CodeLeaf, CodeOrder, CodeWriters, CodeImmutable, CodeInPlaceDType, CodeDType, CodeGradient,
}

// messageText is a message under construction.
type messageText struct {
	strings.Builder
	dir string
	g   *Graph
	// silentPromises leaves out which shapes are promised of operands: see withoutPromises.
	silentPromises bool
}

// place returns a place as all places of the message are written.
func (t *messageText) place(p Pos) string {
	f, ok := t.g.Locate(p)
	if !ok {
		return "?"
	}
	return f.In(t.dir)
}

const messageIndent = "      "

// line adds a line, without spaces at its end; the lines of a longer text are all
// indented.
func (t *messageText) line(text string) {
	for _, part := range strings.Split(text, "\n") {
		t.WriteString("\n" + strings.TrimRight(messageIndent+part, " "))
	}
}
