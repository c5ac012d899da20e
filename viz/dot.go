package viz

import (
	"bufio"
	"io"
	"strconv"

	"github.com/awalterschulze/gographviz/ast"
)

// DOT writes a picture in Graphviz's language.
func DOT(w io.Writer, s Source, opts ...Option) error {
	if err := checkPicture(w, s); err != nil {
		return err
	}
	o := newOptions(opts)
	m, err := s.model(o)
	if err != nil {
		return err
	}
	return writeDOT(w, draw(m, o), o, forms[0])
}

// form says how much a picture asks of Graphviz. Its versions fail, each at other
// pictures, at boxes held in one line, at edges that are there only to keep an order, at
// curves around boxes and at rows across frames.
type form struct {
	name   string
	lines  bool // boxes of a spine stand below one another
	orders bool // rows keep their order from left to right
	rows   bool
	curves bool // edges are curves that go around boxes
}

// forms begins with the best one.
var forms = []form{
	{"in full", true, true, true, true},
	{"without fixed orders", false, false, true, true},
	{"with straight edges", false, false, true, false},
	{"without rows", false, false, false, false},
}

// draw takes a model through the steps that make it a drawing.
func draw(m *model, o *options) *drawing {
	count := len(m.values)
	applyViews(m, o.views, o.gradient)
	absorb(m)
	frameKernels(m, o.kernels)
	units := fold(m, o)
	decideChips(units, o)
	d := compose(m, units, count, o)
	addSamples(d, m, units, o)
	return d
}

// dotWriter prints statements of gographviz's syntax tree one at a time: a whole tree's
// own String takes time in the square of its length.
type dotWriter struct {
	w      *bufio.Writer
	o      *options
	form   form
	l      labeler
	indent []byte
}

func writeDOT(w io.Writer, d *drawing, o *options, f form) error {
	x := &dotWriter{w: bufio.NewWriter(w), o: o, form: f, l: labeler{t: o.theme}}
	x.open("digraph broadloom")
	x.header(d)
	x.open("subgraph cluster_all")
	x.frame(d)
	x.cluster(d.root, x.beads(d))
	x.edges(d)
	if f.rows {
		for i, r := range d.rows {
			x.row("row"+strconv.Itoa(i), r)
		}
		x.columns(d.columns)
		for _, h := range d.hung {
			x.arrow(edge{up: h.up}, h.above, h.below, attrs("style", "invis", "dir", "none"))
		}
	}
	x.close()
	x.close()
	return x.w.Flush()
}

// header sets what holds for all.
func (x *dotWriter) header(d *drawing) {
	t := x.o.theme
	direction := "TB"
	if x.o.leftToRight {
		direction = "LR"
	}
	graph := attrs("rankdir", direction, "newrank", "true", "nodesep", "0.35", "ranksep", "0.38", "pad", "0.35",
		"bgcolor", quoted(t.Background), "fontname", quoted("Arial"), "fontcolor", quoted(t.Text),
		"labelloc", "t", "labeljust", "l", "label", x.titleLabel(d.title))
	if d.large { // graphviz's own limits, beside our chips
		graph = append(graph, attrs("nslimit", "2", "mclimit", "0.5", "maxiter", "100")...)
	}
	if d.large || !x.form.curves {
		graph = append(graph, attr("splines", "line"))
	}
	x.stmt(ast.GraphAttrs{graph})
	x.stmt(ast.NodeAttrs{attrs("shape", "plain", "fontname", quoted("Arial"), "fontcolor", quoted(t.Text))})
	x.stmt(ast.EdgeAttrs{attrs("color", quoted(t.Edge), "arrowsize", "0.65", "penwidth", "1.2")})
}

// frame makes the outer cluster, which has no border: its label is the legend.
func (x *dotWriter) frame(d *drawing) {
	label := quoted("")
	if entries := d.uses.legend(x.o.divisions); x.o.legend && len(entries) > 0 {
		label = x.legendLabel(entries)
	}
	x.stmt(ast.GraphAttrs{attrs("label", label, "labelloc", "b", "labeljust", "l", "penwidth", "0", "margin", "6")})
}

// beads sorts the beads of edges by the clusters in which they stand.
func (x *dotWriter) beads(d *drawing) map[*cluster][]edge {
	beads := map[*cluster][]edge{}
	for _, e := range d.edges {
		if e.bead != nil {
			beads[e.cluster] = append(beads[e.cluster], e)
		}
	}
	return beads
}

func (x *dotWriter) cluster(c *cluster, beads map[*cluster][]edge) {
	for _, b := range c.boxes {
		x.box(b)
	}
	for _, e := range beads[c] {
		x.bead(e)
	}
	for _, in := range c.inner {
		p, label := x.o.theme.Cluster, quoted("")
		if in.label != "" {
			label = x.clusterLabel(in.label)
		}
		if in.kernel {
			p = x.o.theme.Kernel
		}
		x.open("subgraph cluster_" + in.id)
		x.stmt(ast.GraphAttrs{attrs("label", label, "labelloc", "t", "labeljust", "l", "style", quoted("rounded"),
			"color", quoted(p.Line), "bgcolor", quoted(p.Fill), "margin", "12", "penwidth", "1")})
		x.cluster(in, beads)
		x.close()
	}
}

func (x *dotWriter) box(b *box) {
	list := attrs("label", x.l.box(b), "tooltip", tooltip(b.tooltip))
	if b.spine != "" && x.form.lines {
		list = append(list, attr("group", b.spine))
	}
	if b.order != "" {
		list = append(list, attr("ordering", b.order))
	}
	x.stmt(node(b.id, list))
}

func (x *dotWriter) bead(e edge) {
	x.l.b = append(x.l.b[:0], '<')
	x.l.spans(e.bead, sizeType, Paint{})
	label := string(append(x.l.b, '>'))
	x.stmt(node(e.beadID, attrs("label", label, "tooltip", quoted("broadcast"), "margin", "0")))
}

// edges writes first what flows with the program, then what flows against it: those
// edges are written from user to operand, so that graphviz puts the user above.
func (x *dotWriter) edges(d *drawing) {
	for _, e := range d.edges {
		if !e.up {
			x.edge(e)
		}
	}
	turned := false
	for _, e := range d.edges {
		if e.up {
			if !turned {
				x.stmt(ast.EdgeAttrs{attrs("dir", "back")})
				turned = true
			}
			x.edge(e)
		}
	}
}

func (x *dotWriter) edge(e edge) {
	list := x.edgeStyle(e)
	if e.weight > 1 {
		list = append(list, attr("weight", strconv.Itoa(e.weight)))
	}
	if e.length > 1 {
		list = append(list, attr("minlen", strconv.Itoa(e.length)))
	}
	if e.bead == nil {
		x.arrow(e, e.from, e.to, list)
		return
	}
	x.arrow(e, e.from, e.beadID, append(list[:len(list):len(list)], attr("dir", "none")))
	x.arrow(e, e.beadID, e.to, list)
}

func (x *dotWriter) arrow(e edge, from, to string, list ast.AList) {
	if e.up {
		from, to = to, from
	}
	s := ast.EdgeStmt{Source: nodeID(from), EdgeRHS: ast.EdgeRHS{{Op: ast.DIRECTED, Destination: nodeID(to)}}}
	if len(list) > 0 {
		s.Attrs = ast.AttrList{list}
	}
	x.stmt(s)
}

func (x *dotWriter) edgeStyle(e edge) ast.AList {
	if e.style == edgePlain && len(e.divided) == 0 {
		return nil
	}
	colour, dashed := x.o.theme.edgePaint(e.style)
	if len(e.divided) > 0 {
		colour = x.o.theme.divisionColours(e.divided)
	}
	list := attrs("color", quoted(colour))
	if dashed {
		list = append(attrs("style", "dashed"), list...)
	}
	return list
}

// row puts boxes beside one another.
func (x *dotWriter) row(name string, r row) {
	x.open("subgraph " + name)
	x.stmt(ast.GraphAttrs{attrs("rank", "same")})
	if !r.ordered || !x.form.orders {
		for _, id := range r.ids {
			x.stmt(node(id, nil))
		}
		x.close()
		return
	}
	s := ast.EdgeStmt{Source: nodeID(r.ids[0]), Attrs: ast.AttrList{attrs("style", "invis", "dir", "none")}}
	for _, id := range r.ids[1:] {
		s.EdgeRHS = append(s.EdgeRHS, &ast.EdgeRH{Op: ast.DIRECTED, Destination: nodeID(id)})
	}
	x.stmt(s)
	x.close()
}

// columns keeps the order of columns, which Graphviz's versions would choose differently:
// each hangs from a node that is not seen, these nodes stand in one row in their order,
// and columns in another order would make their edges cross.
func (x *dotWriter) columns(columns [][]string) {
	if len(columns) == 0 {
		return
	}
	heads := make([]string, len(columns))
	for i := range columns {
		heads[i] = "top" + strconv.Itoa(i)
		x.stmt(node(heads[i], attrs("style", "invis", "shape", "point", "width", "0.01")))
	}
	x.row("rowtop", row{heads, true})
	for i, ids := range columns {
		for _, id := range ids {
			x.stmt(ast.EdgeStmt{Source: nodeID(heads[i]),
				EdgeRHS: ast.EdgeRHS{{Op: ast.DIRECTED, Destination: nodeID(id)}},
				Attrs:   ast.AttrList{attrs("style", "invis", "dir", "none", "weight", "0")}})
		}
	}
}
