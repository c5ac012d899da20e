package viz

// Sizes of the plain layout's text and of what is around it.
const (
	titlePoints, typePoints, notePoints = 12, 9, 8
	pageTitlePoints, framePoints        = 15, 11
	rowPad, chipPad, boxPad, boxSide    = 5, 4, 3, 8
)

var plainPoints = [...]float64{sizeTitle: titlePoints, sizeType: typePoints, sizeNote: notePoints}

// plainRows is the text of a box, in rows.
type plainRows struct {
	rows []plainRow
	w, h float64
	left bool // rows begin at the left instead of being centred
}

type plainRow struct {
	pieces []piece
	w, h   float64
}

// piece is text, or a chip.
type piece struct {
	spans  []span
	points float64
	chip   *chip
	w      float64
}

// plainText measures text.
type plainText struct{ t *Theme }

func (m plainText) spans(list []span, points float64) (w float64) {
	l := labeler{t: m.t}
	for _, s := range list {
		_, tag := l.ink(s, Paint{})
		w += textWidth(s.text, points, tag == "b")
	}
	return w
}

func (m plainText) text(list []span, z size) piece {
	points := plainPoints[z]
	return piece{spans: list, points: points, w: m.spans(list, points)}
}

func (m plainText) chip(c chip) piece {
	return piece{spans: c.spans, points: typePoints, chip: &c, w: m.spans(c.spans, typePoints) + 2*chipPad}
}

// box measures what a box says.
func (m plainText) box(b *box) plainRows {
	if b.shape == shapeCaption {
		return m.caption(b)
	}
	var r plainRows
	z := sizeTitle
	if b.shape == shapeCompact {
		z = sizeType
	}
	var first []piece
	for _, c := range b.before {
		first = append(first, m.chip(c))
	}
	first = append(first, m.text(b.title, z))
	for _, c := range b.after {
		first = append(first, m.chip(c))
	}
	for _, ln := range b.lines {
		if b.shape == shapeCompact {
			first = append(first, m.text(ln.spans, ln.size))
		}
	}
	r.add(first)
	for _, ln := range b.lines {
		if b.shape != shapeCompact {
			r.add([]piece{m.text(ln.spans, ln.size)})
		}
	}
	r.left = b.shape == shapeCard || b.shape == shapeStack
	return r.padded(boxSide)
}

func (m plainText) caption(b *box) plainRows {
	r := plainRows{left: true}
	for _, ln := range b.lines {
		r.add([]piece{m.text(ln.spans, ln.size)})
	}
	return r.padded(0)
}

func (m plainText) bead(list []span) plainRows {
	var r plainRows
	r.add([]piece{m.text(list, sizeType)})
	return r.padded(2)
}

// width returns what a frame's label takes.
func (m plainText) width(c *cluster) float64 {
	return textWidth(shorten(c.label, longName), framePoints, false)
}

func (r *plainRows) add(pieces []piece) {
	row := plainRow{pieces: pieces, w: rowPad * float64(len(pieces)-1)}
	for _, p := range pieces {
		row.w += p.w
		row.h = max(row.h, p.points*1.4)
		if p.chip != nil {
			row.h = max(row.h, p.points+2*chipPad)
		}
	}
	r.rows = append(r.rows, row)
}

func (r plainRows) padded(side float64) plainRows {
	for _, row := range r.rows {
		r.w = max(r.w, row.w)
		r.h += row.h
	}
	r.w, r.h = r.w+2*side, r.h+2*boxPad
	return r
}
