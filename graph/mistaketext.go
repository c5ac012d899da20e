package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error gives the whole message. The first line has the form "file.go:12: error
// BL101: Add(x, y): summary", which editors can jump to; the operands follow with
// their axes lined up from the right, then what can be done.
func (m *Mistake) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s %s: ", m.Place(), m.Severity, m.Code)
	if m.Node != nil {
		fmt.Fprintf(&b, "%s: ", Describe(m.Node))
	}
	b.WriteString(m.Summary)
	writeOperands(&b, m.Operands)
	for _, line := range m.Detail {
		b.WriteString("\n      " + line)
	}
	for _, line := range m.Help {
		b.WriteString("\n      help: " + line)
	}
	return b.String()
}

// Describe gives a node as it was written: "Add(x, b)".
func Describe(n *Node) string {
	if n.op == nil {
		return n.label()
	}
	var b strings.Builder
	b.WriteString(n.op.Func)
	b.WriteByte('(')
	sep := ""
	for _, x := range n.in {
		b.WriteString(sep + x.shown())
		sep = ", "
	}
	if n.op.Class == Source && n.name != "" {
		b.WriteString(sep + n.Name())
	} else if a := FormatAttrs(n.attrs); a != "" && n.op != constOp {
		b.WriteString(sep + a)
	}
	b.WriteByte(')')
	return b.String()
}

// writeOperands writes a table: label, shape with axes lined up from the right, where
// the value comes from; under a shape with bad axes, a line that marks them.
func writeOperands(b *strings.Builder, ops []OperandNote) {
	if len(ops) == 0 {
		return
	}
	cells := make([][]string, len(ops))
	labels := make([]string, len(ops))
	rank, labelWidth := 0, 0
	for i, o := range ops {
		if o.Shape == nil && o.Node != nil {
			o.Shape = o.Node.shape
		}
		for _, d := range o.Shape {
			cells[i] = append(cells[i], d.String())
		}
		labels[i] = o.Label
		if labels[i] == "" && o.Node != nil {
			labels[i] = o.Node.shown()
		}
		rank = max(rank, len(cells[i]))
		labelWidth = max(labelWidth, utf8.RuneCountInString(labels[i]))
	}
	width := make([]int, rank)
	for _, row := range cells {
		for i, c := range row {
			at := rank - len(row) + i
			width[at] = max(width[at], utf8.RuneCountInString(c))
		}
	}
	var bad []bool
	for i, o := range ops {
		line, marks := shapeCells(cells[i], width, o.Bad)
		fmt.Fprintf(b, "\n      %s%s   %s", labels[i], pad(labelWidth-utf8.RuneCountInString(labels[i])), line)
		if t := o.origin(); t != "" {
			b.WriteString("   " + t)
		}
		if bad == nil {
			bad = make([]bool, rank)
		}
		for _, a := range o.Bad {
			bad[rank-len(cells[i])+a] = true
		}
		if i == len(ops)-1 && slices.Contains(bad, true) {
			fmt.Fprintf(b, "\n      %s   %s", pad(labelWidth), strings.TrimRight(marks(bad), " "))
		}
	}
}

// shapeCells writes one shape into columns, and returns a function that writes the line
// of marks under them.
func shapeCells(row []string, width []int, _ []int) (line string, marks func([]bool) string) {
	var b strings.Builder
	missing := len(width) - len(row)
	b.WriteString("[ ")
	for i, w := range width {
		cell := ""
		if i >= missing {
			cell = row[i-missing]
			if i < len(width)-1 {
				cell += ","
			}
		}
		b.WriteString(cell + pad(w+1-utf8.RuneCountInString(cell)))
		if i < len(width)-1 {
			b.WriteByte(' ')
		}
	}
	b.WriteString("]")
	return b.String(), func(bad []bool) string {
		var m strings.Builder
		m.WriteString("  ")
		for i, w := range width {
			mark := " "
			if bad[i] {
				mark = "^"
			}
			m.WriteString(strings.Repeat(mark, w) + "  ")
		}
		return m.String()
	}
}

func (o OperandNote) origin() string {
	if o.Text != "" || o.Node == nil {
		return o.Text
	}
	n := o.Node.Written()
	return fmt.Sprintf("%s   %s", n.made(), n.pos)
}

// shown is how a message calls the node: as the user wrote it, and a number by its value.
func (n *Node) shown() string {
	n = n.Written()
	if n != nil && n.op == constOp && n.name == "" {
		if v, ok := n.ScalarValue(); ok {
			return formatNumber(n.dtype, v)
		}
	}
	return n.label()
}

func formatNumber(t DType, v float64) string {
	switch t {
	case Bool:
		return strconv.FormatBool(v != 0)
	case Float32:
		return strconv.FormatFloat(v, 'g', -1, 32)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// made says in a few words how the node came to be.
func (n *Node) made() string {
	if n.op.Class == Source {
		return n.op.Func
	}
	return Describe(n)
}

func pad(n int) string { return strings.Repeat(" ", max(n, 0)) }
