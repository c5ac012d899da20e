package viz

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// plainSVG draws a drawing in the layout of this package.
func plainSVG(d *drawing, o *options) []byte {
	p := layPlain(d, o)
	x := &plainWriter{t: o.theme, l: labeler{t: o.theme}}
	legend := d.uses.legend(o.divisions)
	if !o.legend {
		legend = nil
	}
	x.page(p, legend)
	return x.b.Bytes()
}

// plainWriter writes SVG with the elements that Graphviz writes: groups of the classes
// node, edge and cluster.
type plainWriter struct {
	t *Theme
	l labeler
	b bytes.Buffer
}

func (x *plainWriter) f(format string, args ...any) { fmt.Fprintf(&x.b, format, args...) }

// escaped makes text fit for XML.
func escaped(s string) string {
	var b strings.Builder
	s = strings.Map(func(r rune) rune {
		if turns(r) {
			return '□'
		}
		return r
	}, s)
	xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
	return b.String()
}

func (x *plainWriter) page(p *plain, legend []legendEntry) {
	title := p.measureTitle()
	w, h := math.Ceil(max(p.w, title.w+pagePad, x.legendWidth(legend))+pagePad), math.Ceil(p.h+2*pagePad)
	x.f(`<?xml version="1.0" encoding="UTF-8" standalone="no"?>`+"\n"+
		`<svg width="%[1]gpt" height="%[2]gpt" viewBox="0 0 %[1]g %[2]g" xmlns="http://www.w3.org/2000/svg" font-family="Arial,Helvetica,sans-serif">`+
		"\n<title>broadloom</title>\n",
		w, h)
	x.f(`<rect width="%g" height="%g" fill="%s"/>`+"\n", w, h, x.t.Background)
	x.row(plainRow{pieces: title.pieces}, pagePad, pagePad/2+4, Paint{})
	x.frame(p.root, true)
	for i := range p.lines {
		x.line(&p.lines[i], p.o.leftToRight)
	}
	x.boxes(p.root)
	x.legend(legend, p.h+pagePad/2)
	x.f("</svg>\n")
}

// measureTitle makes the row above the picture.
func (p *plain) measureTitle() (r plainRow) {
	for i, s := range p.d.title {
		points := float64(pageTitlePoints)
		if i > 0 {
			points = framePoints
		}
		w := p.measurer.spans([]span{s}, points)
		r.pieces = append(r.pieces, piece{spans: []span{s}, points: points, w: w})
		r.w += w + rowPad
	}
	return r
}

func (x *plainWriter) frame(s *spot, isRoot bool) {
	if !isRoot {
		paint := x.t.Cluster
		if s.cluster.kernel {
			paint = x.t.Kernel
		}
		x.f(`<g class="cluster"><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6" fill="%s" stroke="%s"/>`, s.x,
			s.y, s.w, s.h, paint.Fill, paint.Line)
		if s.cluster.label != "" {
			x.f(`<text x="%.1f" y="%.1f" font-size="%d" fill="%s">%s</text>`, s.x+framePad/2, s.y+14, framePoints,
				x.t.Cluster.Type, escaped(shorten(s.cluster.label, longName)))
		}
		x.f("</g>\n")
	}
	for _, in := range s.inner {
		if in.cluster != nil {
			x.frame(in, false)
		}
	}
}

func (x *plainWriter) boxes(s *spot) {
	for _, in := range s.inner {
		switch {
		case in.cluster != nil:
			x.boxes(in)
		case in.bead != nil:
			x.f(
				`<g id="%s" class="node"><title>broadcast</title><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="3" fill="%s"/>`,
				in.id, in.x, in.y, in.w, in.h, x.t.Background)
			x.rows(in, Paint{})
			x.f("</g>\n")
		default:
			x.box(in)
		}
	}
}

func (x *plainWriter) box(s *spot) {
	b, paint := s.box, x.t.paint(s.box.look)
	x.f(`<g id="%s" class="node"><title>%s</title>`, s.id, escaped(strings.Join(b.tooltip, "\n")))
	if b.shape == shapeCaption {
		x.rows(s, x.t.Kernel)
		x.f("</g>\n")
		return
	}
	style := `stroke-width="1"`
	if b.heavy {
		style = `stroke-width="2"`
	}
	if b.cut {
		style += ` stroke-dasharray="5,3"`
	}
	if b.shape == shapeStack {
		for _, behind := range []float64{6, 3} {
			x.f(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="5" fill="%s" stroke="%s"/>`, s.x+behind,
				s.y-behind, s.w, s.h, paint.Fill, paint.Line)
		}
	}
	x.f(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="5" fill="%s" stroke="%s" %s/>`, s.x, s.y, s.w, s.h,
		paint.Fill, paint.Line, style)
	x.rows(s, paint)
	x.f("</g>\n")
}

// rows writes the text of a box.
func (x *plainWriter) rows(s *spot, p Paint) {
	y := s.y + boxPad
	for _, r := range s.text.rows {
		left := s.x + (s.w-r.w)/2
		if s.text.left {
			left = s.x + (s.w-(s.text.w-2*boxSide))/2
		}
		x.row(r, left, y+r.h/2, p)
		y += r.h
	}
}

// row writes pieces from a point on, around a line in the middle.
func (x *plainWriter) row(r plainRow, left, middle float64, p Paint) {
	for _, c := range r.pieces {
		at := left
		if c.chip != nil {
			x.f(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="3" fill="%s"/>`,
				left, middle-c.points/2-chipPad+1, c.w, c.points+2*chipPad-2, x.t.paint(c.chip.look).Chip)
			at += chipPad
		}
		x.f(`<text x="%.1f" y="%.1f" font-size="%g" xml:space="preserve">`, at, middle+c.points*0.35, c.points)
		for _, s := range c.spans {
			colour, tag := x.l.ink(s, p)
			x.f(`<tspan fill="%s"%s>%s</tspan>`, colour, map[string]string{
				"b": ` font-weight="bold"`, "i": ` font-style="italic"`, "s": ` text-decoration="line-through"`}[tag],
				escaped(s.text))
		}
		x.f("</text>")
		left += c.w + rowPad
	}
}

// line writes an edge as a curve through its bends.
func (x *plainWriter) line(l *plainLine, leftToRight bool) {
	colour, dash := x.t.edgePaint(l.style)
	if len(l.divided) > 0 {
		colour = x.t.Divisions[l.divided[0]]
	}
	x.f(`<g class="edge"><title>%s-&gt;%s</title><path fill="none" stroke="%s" stroke-width="1.2"`, l.tail, l.head,
		colour)
	if dash {
		x.f(` stroke-dasharray="5,3"`)
	}
	x.f(` d="M%.1f,%.1f`, l.fromPort.x, l.fromPort.y)
	last := l.fromPort
	for _, q := range append(l.bends, l.toPort) {
		a, b := point{last.x, (last.y + q.y) / 2}, point{q.x, (last.y + q.y) / 2}
		if leftToRight {
			a, b = point{(last.x + q.x) / 2, last.y}, point{(last.x + q.x) / 2, q.y}
		}
		x.f(` C%.1f,%.1f %.1f,%.1f %.1f,%.1f`, a.x, a.y, b.x, b.y, q.x, q.y)
		last = q
	}
	x.f(`"/>`)
	if l.atHead {
		x.arrow(l.toPort, -1, leftToRight, colour)
	}
	if l.atTail {
		x.arrow(l.fromPort, 1, leftToRight, colour)
	}
	x.f("</g>\n")
}

// arrow writes an arrowhead; back is the way from its tip along the line.
func (x *plainWriter) arrow(tip point, back float64, leftToRight bool, colour string) {
	const length, half = 6.5, 2.6
	a, b := point{tip.x - half, tip.y + back*length}, point{tip.x + half, tip.y + back*length}
	if leftToRight {
		a, b = point{tip.x + back*length, tip.y - half}, point{tip.x + back*length, tip.y + half}
	}
	x.f(`<polygon fill="%s" points="%.1f,%.1f %.1f,%.1f %.1f,%.1f"/>`, colour, tip.x, tip.y, a.x, a.y, b.x, b.y)
}

const swatchWidth, swatchHeight = 18, 12

func (x *plainWriter) legendWidth(entries []legendEntry) float64 {
	w := float64(pagePad)
	for _, e := range entries {
		w += x.markWidth(e) + textWidth(e.text, typePoints, false) + 2*rowPad + 12
	}
	return w
}

func (x *plainWriter) markWidth(e legendEntry) float64 {
	if e.mark != nil {
		return plainText{x.t}.spans(e.mark, typePoints)
	}
	return swatchWidth
}

// legend writes what colours mean, in one row.
func (x *plainWriter) legend(entries []legendEntry, middle float64) {
	left := float64(pagePad)
	for _, e := range entries {
		w := x.markWidth(e)
		if e.mark != nil {
			x.row(plainRow{pieces: []piece{{spans: e.mark, points: typePoints, w: w}}}, left, middle, Paint{})
		} else {
			p := x.t.paint(e.look)
			if e.kernel {
				p = x.t.Kernel
			}
			x.f(`<rect x="%.1f" y="%.1f" width="%d" height="%d" rx="3" fill="%s" stroke="%s"/>`, left,
				middle-swatchHeight/2, swatchWidth, swatchHeight, p.Fill, p.Line)
		}
		text := span{text: e.text, style: styleFaint}
		x.row(plainRow{pieces: []piece{{spans: []span{text}, points: typePoints}}}, left+w+rowPad, middle, Paint{})
		left += w + textWidth(e.text, typePoints, false) + 2*rowPad + 12
	}
}
