package viz

import "github.com/awalterschulze/gographviz/ast"

// attrs makes a list of attributes from names and values in turn. Values are written
// as they are: words, numbers, quoted strings or labels.
func attrs(pairs ...string) ast.AList {
	list := make(ast.AList, 0, len(pairs)/2+1)
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, attr(pairs[i], pairs[i+1]))
	}
	return list
}

func attr(name, value string) *ast.Attr { return &ast.Attr{Field: ast.ID(name), Value: ast.ID(value)} }

// quoted makes a string of a text that needs no escapes.
func quoted(s string) string { return `"` + s + `"` }

func nodeID(id string) *ast.NodeID { return &ast.NodeID{ID: ast.ID(id)} }

func node(id string, list ast.AList) ast.NodeStmt {
	s := ast.NodeStmt{NodeID: nodeID(id)}
	if len(list) > 0 {
		s.Attrs = ast.AttrList{list}
	}
	return s
}

// The writer keeps the first error; Flush gives it.

func (x *dotWriter) stmt(s ast.Stmt) {
	x.w.Write(x.indent)
	x.w.WriteString(s.String())
	x.w.WriteString(";\n")
}

func (x *dotWriter) open(head string) {
	x.w.Write(x.indent)
	x.w.WriteString(head)
	x.w.WriteString(" {\n")
	x.indent = append(x.indent, '\t')
}

func (x *dotWriter) close() {
	x.indent = x.indent[:len(x.indent)-1]
	x.w.Write(x.indent)
	x.w.WriteString("}\n")
}

// titleLabel writes the name large and what follows it small.
func (x *dotWriter) titleLabel(title []span) string {
	l := &x.l
	l.b = append(l.b[:0], '<')
	l.text(plainTable + `<tr>`)
	for i, s := range title {
		points := "15"
		if i > 0 {
			points = "11"
			l.space(12)
		}
		l.text(`<td>`)
		l.sized([]span{s}, points, Paint{})
		l.text(`</td>`)
	}
	l.text(`</tr></table>`)
	return string(append(l.b, '>'))
}

func (x *dotWriter) clusterLabel(s string) string {
	l := &x.l
	l.b = append(l.b[:0], '<')
	l.sized([]span{{text: shorten(s, longName), style: styleType}}, "11", l.t.Cluster)
	return string(append(l.b, '>'))
}

func (x *dotWriter) legendLabel(entries []legendEntry) string {
	l := &x.l
	l.b = append(l.b[:0], '<')
	l.text(plainTable + `<tr>`)
	l.space(6)
	for _, e := range entries {
		if e.mark != nil {
			l.cell(e.mark, sizeType, Paint{})
		} else {
			p, border := l.t.paint(e.look), "2"
			if e.kernel {
				p, border = l.t.Kernel, "1"
			}
			l.text(`<td width="18" height="12" fixedsize="true" border="` + border +
				`" color="` + p.Line + `" bgcolor="` + p.Fill + `" style="rounded` + blank)
		}
		l.space(5)
		l.cell([]span{{text: e.text, style: styleFaint}}, sizeType, Paint{})
		l.space(12)
	}
	l.text(`</tr></table>`)
	return string(append(l.b, '>'))
}
