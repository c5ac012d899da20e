package viz

import (
	"strings"
)

const (
	longName = 40 // runes of a name in a box
	longChip = 24 // runes of a name in a chip
	maxChips = 6  // chips in a box
	wideNote = 46 // runes in a row of a message
)

// unitBox makes the box of a unit.
func (c *composer) unitBox(u *unit) *box {
	if u.isCard() {
		return c.cardBox(u)
	}
	v := u.first()
	if v.fault != nil {
		return c.faultBox(v.fault, v.op)
	}
	b := &box{look: v.look(), heavy: v.heavy(), cut: v.cut, tooltip: v.tooltip()}
	if v.role == roleMovement && !v.stored {
		b.shape = shapeCompact
	}
	b.title = c.titleSpans(v)
	if v.doubt {
		b.title = []span{{text: v.op, style: styleSilenced}}
	}
	c.addChips(b, u)
	if c.o.detail&Types != 0 && v.judged {
		b.lines = append(b.lines, line{sizeType, typeSpans(v.typ)})
		c.d.uses.axes(v.typ.axes)
	}
	notes := noteLines(v, c.o.detail)
	if v.buffer != "" && !v.output && c.o.detail&Buffers != 0 {
		notes = append(notes, noteLine(v.bufferNote()))
	}
	b.lines = append(b.lines, notes...)
	return b
}

// bufferNote tells where a value lies and why.
func (v *value) bufferNote() string {
	if v.kept {
		return "kept for gradient · " + v.buffer
	}
	return v.buffer
}

func noteLine(text string) line { return line{sizeNote, []span{{text: text, style: styleFaint}}} }

func (v *value) look() look {
	switch {
	case v.doubt, v.unused:
		return lookSilent
	case v.role == roleInput:
		return lookInput
	case v.role == roleParam, v.role == roleUpdate:
		return lookParam
	case v.role == roleConst:
		return lookConst
	case v.role == roleSeed:
		return lookOutput
	case v.kept && (v.stored || !v.planned):
		return lookKept
	case v.role == roleReduce:
		return lookReduce
	case v.stored:
		return lookStored
	case v.role == roleMovement:
		return lookMovement
	}
	return lookPlain
}

// heavy reports whether a value stays in memory, as far as a graph tells.
func (v *value) heavy() bool {
	if v.planned && !v.role.isSource() {
		return v.stored
	}
	return !v.doubt && (v.kept || v.role == roleInput || v.role == roleParam || v.role == roleUpdate ||
		v.role == roleSeed)
}

// titleSpans returns "h = tanh": the user's name, or the word of the text form where
// chips refer to it or it was asked for, then the operation.
func (c *composer) titleSpans(v *value) []span {
	name := v.name
	if name == "" && (v.shown || c.o.detail&Names != 0) {
		name = v.label
	}
	if v.output && v.role != roleSeed || name == v.op {
		name = "" // it stands at the output, or says nothing more than the operation
	}
	name = shorten(name, longName)
	if v.role == roleUpdate {
		return c.updateTitle(v)
	}
	if v.role.isSource() || v.role == roleSeed {
		if name == "" {
			name = v.op
		}
		return append([]span{{text: name, style: styleStrong}}, constSpans(v)...)
	}
	var spans []span
	if name != "" {
		spans = append(spans, v.nameSpan(name), span{text: "= "})
	}
	op := v.op
	var attrs []span
	if text := v.attrText(); text != "" && len(text) <= wideAttrs && v.role != roleMovement {
		op += " "
		attrs = []span{{text: text}}
	}
	return append(append(spans, span{text: op, style: styleStrong}), attrs...)
}

// wideAttrs is the length past which arguments stand below the operation.
const wideAttrs = 16

// nameSpan prints a value's name in the colour of what it is.
func (v *value) nameSpan(name string) span {
	s := span{text: name + " ", style: styleName, of: v.look()}
	if v.gradientOf != nil {
		s.of = v.gradientOf.look()
	}
	switch s.of {
	case lookPlain, lookStored, lookMovement, lookReduce:
		s.style = styleStrong
	}
	return s
}

func constSpans(v *value) []span {
	if v.role != roleConst || len(v.attrs) == 0 {
		return nil
	}
	return []span{{text: " " + v.attrText()}}
}

// updateTitle returns "w ← sub_", where w is not joined by an edge.
func (c *composer) updateTitle(v *value) []span {
	op := span{text: v.op, style: styleStrong}
	if len(v.in) == 0 || v.in[0].from == nil {
		return []span{op}
	}
	target := v.in[0].from
	return []span{target.nameSpan(shorten(baseName(target), longName)), {text: "← "}, op}
}

func noteLines(v *value, d Detail) []line {
	notes := v.notes
	if text := v.attrText(); len(text) > wideAttrs && v.role != roleMovement && !v.role.isSource() {
		notes = append([]string{text}, notes...)
	}
	if d&Lines != 0 {
		notes = append(notes[:len(notes):len(notes)], v.pos)
	}
	var lines []line
	for _, n := range notes {
		lines = append(lines, noteLine(n))
	}
	return lines
}

// tooltip tells all of a value.
func (v *value) tooltip() []string {
	text := v.label + " = " + v.op
	for _, x := range v.in {
		if x.from == nil {
			text += " " + x.word
		} else if x.from.absorbed {
			text += " " + x.from.inline
		} else {
			text += " " + x.from.label
		}
	}
	if len(v.attrs) > 0 {
		text += " {" + v.attrText() + "}"
	}
	lines := []string{text}
	if v.judged {
		lines = append(lines, v.typ.String())
	}
	if v.scope != "" {
		lines = append(lines, "in "+v.scope)
	}
	if v.partOf != "" {
		lines = append(lines, "part of "+v.partOf)
	}
	return append(lines, v.pos)
}

// terminals returns the outputs of a unit that get boxes of their own. A card lists
// gradients, and where it has many outputs, all of them.
func (u *unit) terminals() []*value {
	list := u.outputs()
	if u.isCard() && (len(list) > 1 || u.part != forward) {
		return nil
	}
	return list
}

func (u *unit) outputs() []*value {
	var list []*value
	for _, v := range u.values {
		if v.output && v.role != roleSeed {
			list = append(list, v)
		}
	}
	return list
}

// terminal makes the box of an output.
func (c *composer) terminal(v *value) *box {
	b := &box{id: c.id("o", v), look: lookOutput, heavy: true, tooltip: v.tooltip()}
	if x := v.gradientOf; x != nil {
		b.look = x.look()
	}
	b.title = []span{{text: shorten(baseName(v), longName), style: styleStrong}}
	if c.o.detail&Types != 0 {
		b.lines = []line{{sizeType, typeSpans(plainType(v))}}
	}
	if v.buffer != "" && c.o.detail&Buffers != 0 {
		b.lines = append(b.lines, noteLine(v.buffer))
	}
	return b
}

// plainType returns a value's type without the axes that the value has folded.
func plainType(v *value) typeText {
	t := typeText{dtype: v.typ.dtype}
	for _, a := range v.typ.axes {
		switch {
		case a.mark != markSummed:
			t.axes = append(t.axes, axis{size: a.size})
		case a.to != "":
			t.axes = append(t.axes, axis{size: a.to})
		}
	}
	return t
}

// baseName is the shortest word that tells a value: its name without scopes, or its
// label.
func baseName(v *value) string {
	if v.name != "" {
		return v.name
	}
	return v.label
}

// faultBox tells a mistake. op is "" for one that belongs to no value.
func (c *composer) faultBox(f *fault, op string) *box {
	b := &box{look: lookWrong, heavy: true, shape: shapeCard, tooltip: strings.Split(f.whole, "\n")}
	if op == "" {
		op = "mistake"
	}
	b.title = []span{{text: op + " ", style: styleBad}, {text: f.code, style: styleFaint}}
	for _, o := range f.operands {
		spans := append([]span{{text: shorten(o.label, longName) + ": "}}, typeSpans(o.typ)...)
		b.lines = append(b.lines, line{sizeType, spans})
	}
	for _, text := range wrap(f.summary, wideNote, 8) {
		b.lines = append(b.lines, line{sizeType, []span{{text: text}}})
	}
	b.lines = append(b.lines, line{sizeType, []span{{text: f.pos, style: styleFaint}}})
	return b
}

// wrap breaks text into rows at spaces; words that are longer than a row are cut.
func wrap(text string, width, most int) []string {
	var rows []string
	row := ""
	for _, word := range strings.Fields(text) {
		word = shorten(word, width)
		if row != "" && len([]rune(row))+1+len([]rune(word)) > width {
			rows = append(rows, row)
			row = ""
		}
		if row != "" {
			row += " "
		}
		row += word
	}
	rows = append(rows, row)
	if len(rows) > most {
		rows = append(rows[:most-1], rows[most-1]+" …")
	}
	return rows
}
