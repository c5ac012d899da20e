package viz

import "strconv"

// labeler writes boxes as HTML-like labels of graphviz. Padding is made of cells, not of
// spaces, and no cell is empty: graphviz's versions differ in those.
type labeler struct {
	t *Theme
	b []byte
}

const (
	plainTable = `<table border="0" cellborder="0" cellspacing="0" cellpadding="0">`
	blank      = `"><font point-size="6"> </font></td>`
)

var pointSizes = [...]string{sizeTitle: "12", sizeType: "9", sizeNote: "8"}

// box returns the label of a box with the signs < and > around it.
func (l *labeler) box(b *box) string {
	l.b = append(l.b[:0], '<')
	p := l.t.paint(b.look)
	if b.shape == shapeCaption {
		l.caption(b)
		return string(append(l.b, '>'))
	}
	if b.shape == shapeStack {
		l.openBehind(p)
	}
	l.openBox(b, p)
	switch b.shape {
	case shapeCompact:
		l.compact(b, p)
	case shapeBox:
		l.title(b, p)
		for _, ln := range b.lines {
			l.text(`<tr><td>` + plainTable + `<tr>`)
			l.space(7)
			l.cell(ln.spans, ln.size, p)
			l.space(7)
			l.text(`</tr></table></td></tr>`)
		}
	default:
		l.leftRow(b.title, sizeTitle, p)
		for _, ln := range b.lines {
			l.leftRow(ln.spans, ln.size, p)
		}
	}
	l.text(`</table>`)
	if b.shape == shapeStack {
		l.text(`</td></tr></table></td></tr></table>`)
	}
	return string(append(l.b, '>'))
}

func (l *labeler) openBox(b *box, p Paint) {
	border, padding, style := "1", "2", "rounded"
	if b.heavy {
		border = "2"
	}
	if b.shape != shapeBox && b.shape != shapeCompact {
		padding = "3"
	}
	if b.cut {
		style = "rounded,dashed"
	}
	l.text(`<table border="` + border + `" cellborder="0" cellspacing="0" cellpadding="` + padding + `" style="` +
		style +
		`" bgcolor="` + p.Fill + `" color="` + p.Line + `">`)
}

// openBehind draws the corners of two further cards behind one.
func (l *labeler) openBehind(p Paint) {
	l.text(plainTable + `<tr><td border="1" sides="TR" color="` + p.Line + `" style="rounded" cellpadding="3">` +
		plainTable + `<tr><td border="1" sides="TR" color="` + p.Line + `" style="rounded" cellpadding="3">`)
}

// title writes the row of the operation with the chips around it.
func (l *labeler) title(b *box, p Paint) {
	l.text(`<tr><td><table border="0" cellborder="0" cellspacing="3" cellpadding="0"><tr>`)
	for _, c := range b.before {
		l.chip(c, p)
	}
	l.cell(b.title, sizeTitle, p)
	for _, c := range b.after {
		l.chip(c, p)
	}
	l.text(`</tr></table></td></tr>`)
}

// caption writes what a kernel's frame tells, without a border.
func (l *labeler) caption(b *box) {
	l.text(plainTable)
	for _, ln := range b.lines {
		l.text(`<tr><td align="left">`)
		l.spans(ln.spans, ln.size, l.t.Kernel)
		l.text(`</td></tr>`)
	}
	l.text(`</table>`)
}

// leftRow writes a row of a card.
func (l *labeler) leftRow(s []span, z size, p Paint) {
	l.text(`<tr>`)
	l.space(4)
	l.text(`<td align="left">`)
	l.spans(s, z, p)
	l.text(`</td>`)
	l.space(4)
	l.text(`</tr>`)
}

// compact writes everything into one row.
func (l *labeler) compact(b *box, p Paint) {
	l.text(`<tr><td><table border="0" cellborder="0" cellspacing="3" cellpadding="0"><tr>`)
	for _, c := range b.before {
		l.chip(c, p)
	}
	l.cell(b.title, sizeType, p)
	for _, c := range b.after {
		l.chip(c, p)
	}
	for _, ln := range b.lines {
		l.cell(ln.spans, ln.size, p)
	}
	l.text(`</tr></table></td></tr>`)
}

func (l *labeler) chip(c chip, p Paint) {
	l.text(`<td><table border="0" cellborder="0" cellspacing="0" cellpadding="2" bgcolor="` + l.t.paint(c.look).Chip +
		`" style="rounded"><tr>`)
	l.cell(c.spans, sizeType, p)
	l.text(`</tr></table></td>`)
}

func (l *labeler) cell(s []span, z size, p Paint) {
	l.text(`<td>`)
	l.spans(s, z, p)
	l.text(`</td>`)
}

func (l *labeler) space(width int) {
	l.text(`<td width="`)
	l.b = strconv.AppendInt(l.b, int64(width), 10)
	l.text(blank)
}

func (l *labeler) spans(list []span, z size, p Paint) { l.sized(list, pointSizes[z], p) }

func (l *labeler) sized(list []span, points string, p Paint) {
	for _, s := range list {
		colour, tag := l.ink(s, p)
		l.styled(s.text, points, colour, tag)
	}
}

// styled writes one piece of text; tag is a style of graphviz's or "".
func (l *labeler) styled(text, points, colour, tag string) {
	l.text(`<font point-size="` + points + `" color="` + colour + `">`)
	if tag != "" {
		l.text(`<` + tag + `>`)
	}
	if text == "" {
		text = " " // graphviz wants some text
	}
	l.b = appendText(l.b, text)
	if tag != "" {
		l.text(`</` + tag + `>`)
	}
	l.text(`</font>`)
}

// ink returns the colour of a style and the tag around its text.
func (l *labeler) ink(s span, p Paint) (colour, tag string) {
	switch s.style {
	case styleStrong:
		return l.t.Text, "b"
	case styleName:
		return l.t.paint(s.of).Line, "b"
	case styleType:
		return p.Type, ""
	case styleCaption:
		return p.Type, "b"
	case styleFaint:
		return l.t.Faint, ""
	case styleStretch:
		return l.t.Stretch, "b"
	case styleMaybe:
		return l.t.Stretch, "i"
	case styleDivision:
		return l.t.Divisions[s.division], "b"
	case styleSummed:
		return l.t.Stretch, "s"
	case styleBeside:
		return l.t.StretchText, ""
	case styleBad:
		return l.t.Wrong.Line, "b"
	case styleSilenced:
		return l.t.Silent.Type, "b"
	}
	return l.t.Text, ""
}

func (l *labeler) text(s string) { l.b = append(l.b, s...) }
