package graph

import (
	"fmt"
	"strings"
)

// Error gives the whole message. The first line has the form "file.go:12: error
// BL101: Add(x, y): summary", which editors can jump to; the operands follow with
// their axes lined up from the right, then what can be done.
func (m *Mistake) Error() string { return m.Text("") }

// Text is Error with the paths of files relative to a directory.
func (m *Mistake) Text(dir string) string {
	t := messageText{dir: dir}
	fmt.Fprintf(&t.Builder, "%s: %s %s: ", m.Place().In(dir), m.Severity, m.Code)
	if m.Node != nil {
		t.WriteString(Describe(m.Node) + ": ")
	}
	t.WriteString(m.Summary)
	t.operands(m)
	for _, line := range m.Detail {
		t.line(line)
	}
	for _, fix := range m.Fixes {
		text := "help: " + fix.Text
		if fix.At != nil {
			text += " (" + fix.At.pos.In(dir) + ")"
		}
		t.line(text)
	}
	for _, line := range m.Help {
		t.line("help: " + line)
	}
	return t.String()
}

// messageText is a message under construction.
type messageText struct {
	strings.Builder
	dir string
}

const messageIndent = "      "

// line adds a line, without spaces at its end; the lines of a longer text are all
// indented.
func (t *messageText) line(text string) {
	for _, part := range strings.Split(text, "\n") {
		t.WriteString("\n" + strings.TrimRight(messageIndent+part, " "))
	}
}
