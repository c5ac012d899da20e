package viz

import (
	"cmp"
	"slices"
)

// Distances of the plain layout.
const (
	framePad    = 14
	frameHeader = 20 // of a frame with a label
	pagePad     = 24
)

// plain is a drawing laid out without Graphviz: each frame by itself from the inside out,
// as a box of the frame around it.
type plain struct {
	d        *drawing
	o        *options
	root     *spot
	spots    map[string]*spot // of boxes and beads, by id
	lines    []plainLine
	w, h     float64
	measurer plainText
}

// spot is a box, a bead or an open frame, and where it is.
type spot struct {
	id         string
	outer      *spot
	index      int // among what the outer frame holds
	depth      int
	cluster    *cluster // of a frame
	inner      []*spot
	links      []plainLink
	text       plainRows // of a box or bead
	box        *box
	bead       []span
	x, y, w, h float64 // of the upper left corner, which is absolute once all is placed
}

// plainLink is a line within a frame, between what it holds.
type plainLink struct {
	arc
	line int
}

// plainLine is an edge, or the half of one on one side of its bead, from its upper end to
// its lower one.
type plainLine struct {
	tail, head       string
	atTail, atHead   bool // where arrowheads are
	style            edgeStyle
	divided          []int // the mesh axes over which what it carries is divided; the first one colours it
	level            *spot
	bends            []point // relative to the level's frame until all is placed
	fromPort, toPort point
}

type point struct{ x, y float64 }

// layPlain lays a drawing out.
func layPlain(d *drawing, o *options) *plain {
	p := &plain{d: d, o: o, spots: map[string]*spot{}, measurer: plainText{t: o.theme}}
	beads := map[*cluster][]edge{}
	for _, e := range d.edges {
		if e.bead != nil {
			beads[e.cluster] = append(beads[e.cluster], e)
		}
		p.addLines(e)
	}
	p.root = p.frame(d.root, nil, beads)
	for i := range p.lines {
		p.link(i)
	}
	p.place(p.root)
	p.settle(p.root, pagePad, pagePad)
	p.connect()
	return p
}

// addLines takes an edge apart at its bead, and turns what flows against the program.
func (p *plain) addLines(e edge) {
	add := func(from, to string, arrow bool) {
		l := plainLine{tail: from, head: to, atHead: arrow, style: e.style, divided: e.divided}
		if e.up {
			l.tail, l.head, l.atTail, l.atHead = to, from, arrow, false
		}
		p.lines = append(p.lines, l)
	}
	if e.bead == nil {
		add(e.from, e.to, true)
		return
	}
	add(e.from, e.beadID, false)
	add(e.beadID, e.to, true)
}

// frame makes the spots of a cluster and of all in it.
func (p *plain) frame(c *cluster, outer *spot, beads map[*cluster][]edge) *spot {
	s := &spot{id: c.id, cluster: c, outer: outer}
	if outer != nil {
		s.depth = outer.depth + 1
	}
	add := func(in *spot) {
		in.outer, in.index, in.depth = s, len(s.inner), s.depth+1
		in.w, in.h = in.text.w, in.text.h
		p.spots[in.id] = in
		s.inner = append(s.inner, in)
	}
	for _, b := range c.boxes {
		add(&spot{id: b.id, box: b, text: p.measurer.box(b)})
	}
	for _, e := range beads[c] {
		add(&spot{id: e.beadID, bead: e.bead, text: p.measurer.bead(e.bead)})
	}
	for _, c := range c.inner {
		in := p.frame(c, s, beads)
		in.index = len(s.inner)
		s.inner = append(s.inner, in)
	}
	return s
}

// link finds the innermost frame around both ends of a line.
func (p *plain) link(i int) {
	l := &p.lines[i]
	a, b := p.spots[l.tail], p.spots[l.head]
	for a.outer != b.outer {
		if a.depth >= b.depth {
			a = a.outer
		} else {
			b = b.outer
		}
	}
	l.level = a.outer
	l.level.links = append(l.level.links, plainLink{arc{a.index, b.index}, i})
}

// turned exchanges the axes where the program is drawn from left to right.
func (p *plain) turned(e extent) extent {
	if p.o.leftToRight {
		e.across, e.along = e.along, e.across
	}
	return e
}

// place lays a frame out, its inner frames first, and gives it its size.
func (p *plain) place(s *spot) {
	sizes, arcs := make([]extent, len(s.inner)), make([]arc, len(s.links))
	for i, in := range s.inner {
		if in.cluster != nil {
			p.place(in)
		}
		sizes[i] = p.turned(extent{in.w, in.h})
	}
	for i, k := range s.links {
		arcs[i] = k.arc
	}
	centres, bends, size := layOut(sizes, arcs)
	top := float64(framePad)
	if s.cluster.label != "" {
		top = frameHeader
	}
	within := func(e extent) point {
		e = p.turned(e)
		return point{framePad + e.across, top + e.along}
	}
	for i, in := range s.inner {
		c := within(centres[i])
		in.x, in.y = c.x-in.w/2, c.y-in.h/2
	}
	for i, k := range s.links {
		for _, bend := range bends[i] {
			p.lines[k.line].bends = append(p.lines[k.line].bends, within(bend))
		}
	}
	size = p.turned(size)
	s.w, s.h = max(size.across, p.measurer.width(s.cluster))+2*framePad, top+size.along+framePad
}

// settle makes the places within a frame absolute.
func (p *plain) settle(s *spot, x, y float64) {
	s.x, s.y = x, y
	for _, k := range s.links {
		bends := p.lines[k.line].bends
		for i := range bends {
			bends[i].x, bends[i].y = bends[i].x+x, bends[i].y+y
		}
	}
	for _, in := range s.inner {
		if in.cluster != nil {
			p.settle(in, x+in.x, y+in.y)
		} else {
			in.x, in.y = in.x+x, in.y+y
		}
	}
	p.w, p.h = max(p.w, s.x+s.w), max(p.h, s.y+s.h)
}

// connect spreads the ends of lines over the sides of their boxes, in the order in which
// the lines come.
func (p *plain) connect() {
	type end struct {
		port *point
		next point // where the line goes from there
	}
	out, in := map[*spot][]end{}, map[*spot][]end{}
	for i := range p.lines {
		l := &p.lines[i]
		a, b := p.spots[l.tail], p.spots[l.head]
		way := slices.Concat([]point{a.centre()}, l.bends, []point{b.centre()})
		out[a] = append(out[a], end{&l.fromPort, way[1]})
		in[b] = append(in[b], end{&l.toPort, way[len(way)-2]})
	}
	spread := func(s *spot, ends []end, after bool) {
		slices.SortStableFunc(ends, func(x, y end) int {
			if p.o.leftToRight {
				return cmp.Compare(x.next.y, y.next.y)
			}
			return cmp.Compare(x.next.x, y.next.x)
		})
		for i, e := range ends {
			share := float64(i+1) / float64(len(ends)+1)
			*e.port = s.port(share, after, p.o.leftToRight)
		}
	}
	for _, s := range p.spots {
		spread(s, out[s], true)
		spread(s, in[s], false)
	}
}

func (s *spot) centre() point { return point{s.x + s.w/2, s.y + s.h/2} }

// port returns a point on the side of a box where lines begin, or on the one where they end.
func (s *spot) port(share float64, after, leftToRight bool) point {
	switch {
	case leftToRight && after:
		return point{s.x + s.w, s.y + s.h*share}
	case leftToRight:
		return point{s.x, s.y + s.h*share}
	case after:
		return point{s.x + s.w*share, s.y + s.h}
	}
	return point{s.x + s.w*share, s.y}
}
