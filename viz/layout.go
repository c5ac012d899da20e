package viz

import (
	"fmt"
	"slices"
)

// findSpines chooses for each unit the operand that it should stand right below, and
// for each part the line that the picture keeps straight.
func (c *composer) findSpines() {
	last := map[part]*unit{}
	for _, u := range c.units {
		for _, l := range u.in {
			if !l.chip && leads(l.from, c.main[u]) {
				c.main[u] = l.from
			}
		}
		if old := last[u.part]; old == nil || u.rank >= old.rank {
			last[u.part] = u
		}
	}
	for p := range partCount {
		steps := len(c.units) // folded scopes can make cycles
		for u := last[p]; u != nil && u.part == p && steps > 0; u = c.main[u] {
			u.spine, steps = true, steps-1
		}
	}
}

// leads reports whether u is a better operand to stand below than old: the lowest one,
// and a source only where there is nothing else.
func leads(u, old *unit) bool {
	if old == nil || old.first().role.isSource() != u.first().role.isSource() {
		return old == nil || old.first().role.isSource()
	}
	return u.rank > old.rank
}

// spine names the line on which a unit of a cluster stands. Each cluster has a line of its
// own: Graphviz tears clusters apart to keep boxes of several of them on one.
func (c *composer) spine(u *unit, at *cluster) string {
	if !u.spine {
		return ""
	}
	return partNames[u.part] + at.id
}

// entry returns the rows that an edge into a scope must span for the scope to lie below
// where the edge starts: a scope beside its predecessor makes pictures drift sideways.
func (c *composer) entry(l link) int {
	to := c.frames[l.to]
	common := len(commonFrames(c.frames[l.from], to))
	if common == len(to) {
		return 1
	}
	if rows := l.to.rank - c.tops[to[common]] + 1; rows <= mostEntry {
		return rows
	}
	return 1
}

// mostEntry bounds the rows that an edge is stretched.
const mostEntry = 3

// findTops finds the uppermost row of every frame.
func (c *composer) findTops() {
	for _, u := range c.units {
		for _, fr := range c.frames[u] {
			if top, known := c.tops[fr]; !known || u.rank < top {
				c.tops[fr] = u.rank
			}
		}
	}
}

// order keeps a box's operands from left to right as the program has them. Edges against
// the program are written from user to operand.
func (c *composer) order(u *unit) string {
	edges := 0
	for _, l := range u.in {
		if !l.chip {
			edges++
		}
	}
	switch {
	case edges < 2 || u.isCard() || c.d.large:
		return ""
	case column(u.part, c.o) == 1:
		return "out"
	}
	return "in"
}

// alignOperands puts the sources that a box reads right above it in their order.
func (c *composer) alignOperands() {
	for _, u := range c.units {
		var ids []string
		for _, l := range u.in {
			direct := !l.chip && l.via.axes == nil && l.via.as == "" && l.from.rank == u.rank-1
			if direct && !l.from.isCard() && l.from.first().role.isSource() && !slices.Contains(ids, c.ids[l.from]) {
				ids = append(ids, c.ids[l.from])
			}
		}
		if len(ids) > 1 && !u.isCard() && column(u.part, c.o) == 0 {
			c.d.rows = append(c.d.rows, row{ids, true})
		}
	}
}

// mostTop is the number of sources past which those at the beginning of the program are
// not brought into one row.
const mostTop = 8

// alignTop puts the sources that the first operations read into one row, so that the
// program starts on one line although some edges carry beads.
func (c *composer) alignTop() {
	direct := map[*unit]bool{} // read through an edge without a bead
	for _, u := range c.units {
		for _, l := range u.in {
			if !l.chip && c.bead(l) == nil {
				direct[l.from] = true
			}
		}
	}
	var ids []string
	for _, u := range c.units {
		if !u.isCard() && u.part == forward && u.scope == "" && u.first().role.isSource() &&
			(u.rank == 0 || u.rank == 1 && !direct[u]) {
			ids = append(ids, c.ids[u])
		}
	}
	if len(ids) > 1 && len(ids) <= mostTop {
		c.d.rows = append(c.d.rows, row{ids, false})
	}
}

// align puts what belongs together into one row where the gradient flows up beside the
// forward values: an output and the seed of its gradient, a value and its gradient, a
// scope and its gradient.
func (c *composer) align() {
	if c.o.gradient != Beside || !c.parts[gradient] {
		return
	}
	unitOf := map[*value]*unit{}
	cards := map[string]*unit{}
	for _, u := range c.units {
		for _, v := range u.values {
			unitOf[v] = u
		}
		if u.isCard() && u.part == forward {
			cards[u.scopes[0]] = u
		}
	}
	beside := func(ids ...string) { c.d.rows = append(c.d.rows, row{ids, true}) }
	atBottom := false
	for _, u := range c.units {
		if u.isCard() {
			if f := cards[u.scopes[0]]; u.part == gradient && f != nil && len(f.scopes) == len(u.scopes) &&
				c.level(f, u) {
				beside(c.ids[f], c.ids[u])
			}
			continue
		}
		switch v := u.first(); {
		case v.role == roleSeed && v.gradientOf != nil && v.gradientOf.output && unitOf[v.gradientOf] != nil:
			atBottom = true
			beside(c.id("o", v.gradientOf), c.ids[u])
		case v.part == gradient && v.role.isSource():
			if y := c.arrivesAt(v); y != nil {
				atBottom = true
				beside(c.id("o", y), c.ids[u])
			}
		case v.output && v.gradientOf != nil:
			if x := unitOf[v.gradientOf]; x != nil && !x.isCard() && c.level(x, u) {
				beside(c.ids[x], c.id("o", v))
			}
		}
	}
	if !atBottom {
		c.alignBottom()
	}
}

// alignBottom puts the beginning of the gradient beside the last output of the forward
// values where the compiler has left nothing of what the gradient starts from.
func (c *composer) alignBottom() {
	var last *value
	var lowest, first *unit
	for _, u := range c.units {
		switch {
		case u.part == forward:
			for _, v := range u.terminals() {
				if lowest == nil || u.rank >= lowest.rank {
					lowest, last = u, v
				}
			}
		case u.part == gradient && (first == nil || u.rank < first.rank):
			first = u
		}
	}
	if last != nil && first != nil {
		c.d.rows = append(c.d.rows, row{[]string{c.id("o", last), c.ids[first]}, false})
	}
}

const (
	columnHolds = 3  // boxes by which a column is held in its place
	fewBoxes    = 45 // boxes up to which one is enough: its edge takes room too
)

// findColumns chooses boxes of the forward part and of the gradient by which their order
// is kept.
func (c *composer) findColumns() {
	if c.o.gradient != Beside || c.clusters[forward] == nil || c.clusters[gradient] == nil {
		return
	}
	for _, p := range []part{forward, gradient} {
		ids, most := c.clusters[p].boxIDs(), columnHolds
		if len(c.units) <= fewBoxes {
			most = 1
		}
		var holds []string
		for i := 0; i < len(ids) && len(holds) < most; i += max(1, len(ids)/most) {
			holds = append(holds, ids[i])
		}
		c.d.columns = append(c.d.columns, holds)
	}
}

// boxIDs lists the boxes of a cluster and of those inside of it, but for captions.
func (c *cluster) boxIDs() (ids []string) {
	for _, b := range c.boxes {
		if b.shape != shapeCaption {
			ids = append(ids, b.id)
		}
	}
	for _, in := range c.inner {
		ids = append(ids, in.boxIDs()...)
	}
	return ids
}

// level reports whether a forward unit and one of the gradient are drawn at about the
// same height anyway: rows of others would stretch their edges.
func (c *composer) level(f, u *unit) bool {
	lowest := 0
	for _, x := range c.units {
		if x.part == forward {
			lowest = max(lowest, x.rank)
		}
	}
	above := lowest + 1 - f.rank - (u.rank + 1)
	return above <= 2 && above >= -2
}

// arrivesAt returns the output that a gradient given by the user most likely belongs to:
// the only one of its type.
func (c *composer) arrivesAt(dy *value) *value {
	var found *value
	for _, u := range c.units {
		for _, v := range u.values {
			if v.output && v.part == forward && plainType(v).String() == dy.typ.String() {
				if found != nil {
					return nil
				}
				found = v
			}
		}
	}
	return found
}

// title returns the line above the picture.
func (c *composer) title(m *model, count int) []span {
	name := m.title
	if c.o.title != "" {
		name = c.o.title
	}
	folded, drawn := false, 0
	for _, u := range c.units {
		folded = folded || u.isCard() || u.first().cut
		drawn++
	}
	spans := []span{{text: shorten(name, 2*longName) + " ", style: styleStrong}}
	switch {
	case m.faults > 0:
		return append(spans, span{text: "does not compile: " + plural(m.faults, "error"), style: styleBad})
	case folded:
		return append(spans,
			span{text: fmt.Sprintf("%s, drawn as %s", plural(count, "node"), groupDigits(drawn)), style: styleFaint})
	}
	return append(spans, span{text: plural(count, "node"), style: styleFaint})
}
