package viz

import (
	"fmt"
	"slices"
	"strconv"
)

// composer turns units into a drawing.
type composer struct {
	o        *options
	d        *drawing
	units    []*unit
	prefix   string // of all ids
	parts    [partCount]bool
	updates  bool // something is written behind the gradient
	frames   map[*unit][]*frame
	clusters [partCount]*cluster // of the parts
	count    int                 // of clusters of scopes
	ids      map[*unit]string
	main     map[*unit]*unit // the operand's unit that the unit stands below
	tops     map[*frame]int
	told     map[*kernelText]bool // kernels whose card tells what they cost
}

// compose makes the drawing of units, of which m's values are what is left of count.
func compose(m *model, units []*unit, count int, o *options) *drawing {
	c := newComposer(m, units, o, "")
	c.align()
	c.findColumns()
	c.d.title = c.title(m, count)
	return c.d
}

func newComposer(m *model, units []*unit, o *options, prefix string) *composer {
	c := &composer{o: o, prefix: prefix, units: units, frames: findFrames(units),
		ids: map[*unit]string{}, main: map[*unit]*unit{}, tops: map[*frame]int{}, told: map[*kernelText]bool{},
		d:       &drawing{root: &cluster{}, large: len(units) > 300},
		updates: slices.ContainsFunc(m.values, func(v *value) bool { return v.part == update && v.role == roleUpdate })}
	for _, u := range units {
		c.parts[u.part] = true
		kind := "n"
		if u.isCard() {
			kind = "c"
		}
		c.ids[u] = c.id(kind, u.first())
	}
	c.hangLoose()
	c.findSpines()
	c.findTops()
	for _, u := range units {
		c.place(u)
	}
	for i, f := range m.loose {
		b := c.faultBox(f, "")
		b.id = prefix + "m" + strconv.Itoa(i)
		c.d.root.boxes = append(c.d.root.boxes, b)
	}
	for _, u := range units {
		c.join(u)
	}
	c.addCaptions()
	c.alignOperands()
	c.alignTop()
	c.d.uses.planned = m.planned
	return c
}

// id names a box after a value.
func (c *composer) id(kind string, v *value) string {
	return fmt.Sprintf("%s%s%04d", c.prefix, kind, v.id)
}

// place puts a unit's box, and the boxes of outputs that it holds, into clusters.
func (c *composer) place(u *unit) {
	b := c.unitBox(u)
	b.id = c.ids[u]
	b.order = c.order(u)
	at := c.cluster(u)
	b.spine = c.spine(u, at)
	at.boxes = append(at.boxes, b)
	c.d.uses.box(b)
	for _, v := range u.terminals() {
		t := c.terminal(v)
		c.d.root.boxes = append(c.d.root.boxes, t)
		c.d.uses.box(t)
		c.edge(edge{from: c.ids[u], to: t.id, weight: 20, up: column(u.part, c.o) == 1})
	}
}

// cluster returns the cluster of a unit: that of its scope, within that of its part where
// there are several. Inputs and parameters outside of scopes stand free, as outputs do and
// what gradients start from: Graphviz keeps the order from left to right only of what
// stands free, and with it the gradient to the right of the forward values.
func (c *composer) cluster(u *unit) *cluster {
	if u.isOutside() {
		return c.d.root
	}
	return c.inFrames(u.part, c.frames[u])
}

// inFrames returns the cluster of the innermost of frames, or that of the part.
func (c *composer) inFrames(p part, frames []*frame) *cluster {
	if len(frames) == 0 {
		return c.partCluster(p)
	}
	fr := frames[len(frames)-1]
	if fr.drawn == nil {
		outer := c.inFrames(p, frames[:len(frames)-1])
		fr.drawn = &cluster{id: fmt.Sprintf("%ss%d", c.prefix, c.count), label: lastName(fr.scope),
			kernel: fr.kernel != nil}
		if fr.kernel != nil {
			fr.drawn.label = ""
		}
		c.count++
		outer.inner = append(outer.inner, fr.drawn)
	}
	return fr.drawn
}

// partCluster returns the cluster of a part; a program that has only one has none.
func (c *composer) partCluster(p part) *cluster {
	if !c.several() {
		return c.d.root
	}
	if c.clusters[p] == nil {
		c.clusters[p] = &cluster{id: partNames[p], label: c.partLabel(p)}
		c.d.root.inner = append(c.d.root.inner, c.clusters[p])
	}
	return c.clusters[p]
}

// partLabel names a part in print: what is computed from gradients need not update anything, as their norms do not.
func (c *composer) partLabel(p part) string {
	if p == update && !c.updates {
		return "from gradients"
	}
	return partNames[p]
}

// several reports whether the program has parts to tell apart.
func (c *composer) several() bool { return c.parts[gradient] || c.parts[update] }

// join draws the edges of a unit's operands. Several links from one card, or into one,
// are one edge.
func (c *composer) join(u *unit) {
	joined := map[*unit]bool{}
	for _, l := range u.in {
		if l.chip || (u.isCard() || l.from.isCard()) && joined[l.from] {
			continue
		}
		joined[l.from] = true
		c.edge(c.linkEdge(l))
	}
}

func (c *composer) linkEdge(l link) edge {
	e := edge{from: c.ids[l.from], to: c.ids[l.to], weight: 4, up: column(l.to.part, c.o) == 1,
		divided: l.via.from.divided}
	if c.main[l.to] == l.from {
		e.weight = 20
	}
	switch v := l.user; {
	case v.fault != nil:
		e.style = edgeBad
	case v.doubt:
		e.style = edgeSilent
	case l.via.writes:
		e.style = edgeWrite
	case l.via.axes != nil && !l.to.isCard():
		e.style = edgeStretch
	}
	if !l.to.isCard() {
		e.bead = c.bead(l)
		e.beadID = c.id("b", l.user) + "_" + strconv.Itoa(l.index)
		e.cluster = c.common(l)
	}
	if e.bead != nil {
		e.weight = min(e.weight, 2)
	} else {
		e.length = c.entry(l)
	}
	return e
}

// bead is what happens to an operand on its way: a conversion, repeated axes.
func (c *composer) bead(l link) []span {
	var spans []span
	if l.via.as != "" {
		spans = append(spans, span{text: l.via.as, style: styleBeside})
	}
	if l.via.axes != nil && l.user.fault == nil {
		spans = axesSpans(l.via.axes, styleBeside)
		spans[0].text = l.via.as + spans[0].text
		c.d.uses.axes(l.via.axes)
	}
	return spans
}

// common returns the innermost cluster that holds both ends of a link.
func (c *composer) common(l link) *cluster {
	if l.from.part != l.to.part || c.cluster(l.from) == c.d.root && l.from.scope == "" {
		return c.d.root
	}
	return c.inFrames(l.to.part, commonFrames(c.frames[l.from], c.frames[l.to]))
}

// commonFrames returns the frames that both ends are in.
func commonFrames(a, b []*frame) []*frame {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

func (c *composer) edge(e edge) {
	c.d.uses.edge(e)
	c.d.edges = append(c.d.edges, e)
}
