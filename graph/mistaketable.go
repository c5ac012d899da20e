package graph

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// operandRow is one operand in the table of a message.
type operandRow struct {
	note         OperandNote
	label, dtype string
	cells        []string // its sizes
	made, pos    string
}

// operands writes the table of a message: how each value is called, its shape with the
// axes lined up from the right, where it comes from. Bad axes are marked below.
func (t *messageText) operands(m *Mistake) {
	all := m.Shown()
	if len(all) == 0 {
		return
	}
	shown := shortened(all)
	apart := m.Apart || !slices.ContainsFunc(all, func(o OperandNote) bool { return len(o.Bad) > 0 }) &&
		m.Node != nil && m.Node.IsPart()
	rows := make([]operandRow, len(shown))
	for i, o := range shown {
		rows[i] = t.row(o)
	}
	column := func(of func(operandRow) string) []string {
		words := make([]string, len(rows))
		for i, r := range rows {
			words[i] = of(r)
		}
		return padded(words)
	}
	labels := column(func(r operandRow) string { return r.label })
	if dtypes := column(func(r operandRow) string { return r.dtype }); dtypes[0] != "" {
		for i := range labels {
			labels[i] += "  " + dtypes[i]
		}
	}
	widths := columnWidths(rows)
	shapes := make([]string, len(rows))
	for i, r := range rows {
		w := widths
		if apart {
			w = columnWidths(rows[i : i+1])
		}
		if r.note.Promise == nil || r.cells != nil || r.note.Node != nil {
			shapes[i] = shapeText(r.cells, w)
		}
	}
	shapes = padded(shapes)
	made := column(func(r operandRow) string { return r.made })
	places := column(func(r operandRow) string { return r.pos })
	for i, r := range rows {
		t.line(labels[i] + "   " + shapes[i] + "   " + made[i] + "   " + places[i] + "   " + r.note.Text)
		switch {
		case apart:
			t.marks(len(labels[i]), columnWidths(rows[i:i+1]), rows[i:i+1])
		case i == len(rows)-1:
			t.marks(len(labels[i]), widths, rows)
		}
	}
	if more := len(all) - len(rows); more > 0 {
		t.line(fmt.Sprintf("and %d more operands", more))
	}
}

// maxRows bounds the rows of a table.
const maxRows = 8

// shortened returns the operands that a table shows: those with marks or notes, and the first ones.
func shortened(all []OperandNote) []OperandNote {
	if len(all) <= maxRows {
		return all
	}
	keep := make([]bool, len(all))
	kept := 0
	for _, only := range []func(o OperandNote) bool{
		func(o OperandNote) bool { return len(o.Bad)+len(o.Marks) > 0 || o.Text != "" },
		func(OperandNote) bool { return true },
	} {
		for i, o := range all {
			if kept < maxRows && !keep[i] && only(o) {
				keep[i] = true
				kept++
			}
		}
	}
	var some []OperandNote
	for i, o := range all {
		if keep[i] {
			some = append(some, o)
		}
	}
	return some
}

func (t *messageText) row(o OperandNote) operandRow {
	r := operandRow{note: o, label: o.Label}
	shape := o.Shape
	if o.Node != nil {
		n := o.Node.Written()
		r.made, r.pos = n.made(), t.place(n.Place())
		if r.label == "" {
			r.label = n.Called()
		}
		if r.made == r.label {
			r.made = ""
		}
		if shape == nil {
			shape = n.shape
		}
		if p, stated := n.promise(); stated && o.Text == "" && !t.silentPromises {
			o.Promise = &p
		}
	}
	if p := o.Promise; p != nil {
		r.note.Text = fmt.Sprintf("%q, %s", p.Form, p.Promiser())
		if !p.IsOfCall(o.Node) { // whose place stands beside it
			r.note.Text += " at " + t.place(p.Pos)
		}
	}
	if o.DType.Valid() {
		r.dtype = o.DType.String()
	}
	for _, d := range shape {
		r.cells = append(r.cells, d.String())
	}
	return r
}

// columnWidths returns the width of each axis, lined up from the right.
func columnWidths(rows []operandRow) []int {
	rank := 0
	for _, r := range rows {
		rank = max(rank, len(r.cells))
	}
	widths := make([]int, rank)
	for _, r := range rows {
		for i, c := range r.cells {
			at := rank - len(r.cells) + i
			widths[at] = max(widths[at], utf8.RuneCountInString(c))
		}
	}
	return widths
}

// shapeText writes a shape into columns: "[ batch, 128 ]".
func shapeText(cells []string, widths []int) string {
	var b strings.Builder
	missing := len(widths) - len(cells)
	b.WriteByte('[')
	for i, w := range widths {
		cell := ""
		if i >= missing {
			cell = cells[i-missing]
			if i < len(widths)-1 {
				cell += ","
			}
		}
		b.WriteString(" " + cell + spaces(w-utf8.RuneCountInString(cell)))
		if i < len(widths)-1 && !strings.HasSuffix(cell, ",") ||
			i < len(widths)-1 && utf8.RuneCountInString(cell) <= w {
			b.WriteByte(' ')
		}
	}
	b.WriteString(" ]")
	return b.String()
}

// marks writes a line that marks the bad axes of the rows, followed by the note about them.
func (t *messageText) marks(indent int, widths []int, rows []operandRow) {
	bad := make([]bool, len(widths))
	var notes []string
	for _, r := range rows {
		for _, a := range r.note.Bad {
			if 0 <= a && a < len(r.cells) { // a scalar has an axis 0 to be asked for, and none to be shown
				bad[len(widths)-len(r.cells)+a] = true
			}
		}
		notes = append(notes, r.note.Marks...)
	}
	var line strings.Builder
	if slices.Contains(bad, true) {
		line.WriteString(spaces(indent + len("   ")))
		for i, w := range widths {
			mark := " "
			if bad[i] {
				mark = "^"
			}
			line.WriteString("  " + strings.Repeat(mark, w))
		}
	}
	if len(notes) == 0 {
		if line.Len() > 0 {
			t.line(line.String())
		}
		return
	}
	if line.Len() == 0 {
		line.WriteString(spaces(indent))
	}
	margin := strings.TrimRight(line.String(), " ") + "   "
	for _, note := range notes {
		t.line(margin + note)
		margin = spaces(utf8.RuneCountInString(margin))
	}
}

// padded returns the words with spaces behind them, all of one width.
func padded(words []string) []string {
	width := 0
	for _, w := range words {
		width = max(width, utf8.RuneCountInString(w))
	}
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w + spaces(width-utf8.RuneCountInString(w))
	}
	return out
}

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }
