package stablehlo

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// printer writes a module in MLIR's generic form, which every parser of MLIR reads.
type printer struct {
	w         *bufio.Writer
	names     map[*value]string
	live      map[*instr]bool
	places    map[graph.Pos]string // the alias of a place in the user's program
	locations []string             // what the aliases stand for
	next      int
}

// write writes the module.
func (p *printer) write(m *Module) {
	p.live = m.main.live()
	fmt.Fprintf(p.w, "module @%s attributes {%s} {\n", symbol(m.name), strings.Join(m.attributes, ", "))
	for _, line := range m.prelude {
		fmt.Fprintf(p.w, "  %s\n", line)
	}
	p.w.WriteString("  func.func public @main(")
	for i, v := range m.main.args {
		if i > 0 {
			p.w.WriteString(", ")
		}
		p.name(v, fmt.Sprintf("arg%d", i))
		fmt.Fprintf(p.w, "%%arg%d: %s", i, v.tensor)
		p.dictionary(m.argumentAttributes(i))
	}
	p.w.WriteString(") -> (")
	for i, v := range m.main.out {
		if i > 0 {
			p.w.WriteString(", ")
		}
		p.w.WriteString(v.tensor.String())
		p.dictionary(m.resultAttributes(i))
	}
	p.w.WriteString(") {\n")
	p.body(m.main, "    ")
	p.w.WriteString("  }\n}\n")
	for i, text := range p.locations {
		fmt.Fprintf(p.w, "#loc%d = loc(%s)\n", i+1, text)
	}
}

func (p *printer) dictionary(attrs []string) {
	if len(attrs) > 0 {
		p.w.WriteString(" {" + strings.Join(attrs, ", ") + "}")
	}
}

func (p *printer) name(v *value, name string) { p.names[v] = "%" + name }

// body writes the instructions of a block, and its results.
func (p *printer) body(b *block, indent string) {
	for _, i := range b.body {
		if p.live[i] {
			p.instr(i, indent)
		}
	}
	fmt.Fprintf(p.w, "%s\"%s\"(%s) : (%s) -> ()\n", indent, b.terminator, p.list(b.out), typeList(b.out))
}

func (p *printer) instr(i *instr, indent string) {
	p.w.WriteString(indent)
	name := fmt.Sprint(p.next)
	p.next++
	if len(i.out) == 1 {
		p.name(i.out[0], name)
		p.w.WriteString("%" + name + " = ")
	} else {
		for k, v := range i.out {
			p.name(v, fmt.Sprintf("%s#%d", name, k))
		}
		fmt.Fprintf(p.w, "%%%s:%d = ", name, len(i.out))
	}
	fmt.Fprintf(p.w, "\"%s\"(%s)", i.op, p.list(i.in))
	if len(i.attrs) > 0 {
		words := make([]string, len(i.attrs))
		for k, a := range i.attrs {
			words[k] = a.String()
		}
		p.w.WriteString(" <{" + strings.Join(words, ", ") + "}>")
	}
	if len(i.regions) > 0 {
		p.regions(i.regions, indent)
	}
	fmt.Fprintf(p.w, " : (%s) -> ", typeList(i.in))
	if len(i.out) == 1 {
		p.w.WriteString(i.out[0].tensor.String())
	} else {
		p.w.WriteString("(" + typeList(i.out) + ")")
	}
	p.w.WriteString(p.location(i.pos) + "\n")
}

func (p *printer) regions(list []*block, indent string) {
	p.w.WriteString(" (")
	for k, r := range list {
		if k > 0 {
			p.w.WriteString(", ")
		}
		p.w.WriteString("{\n")
		if len(r.args) > 0 {
			words := make([]string, len(r.args))
			for j, v := range r.args {
				name := fmt.Sprint(p.next)
				p.next++
				p.name(v, name)
				words[j] = "%" + name + ": " + v.tensor.String()
			}
			fmt.Fprintf(p.w, "%s^bb0(%s):\n", indent, strings.Join(words, ", "))
		}
		p.body(r, indent+"  ")
		p.w.WriteString(indent + "}")
	}
	p.w.WriteString(")")
}

func (p *printer) list(values []*value) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = p.names[v]
	}
	return strings.Join(words, ", ")
}

// location returns the reference to a place in the user's program, or "".
func (p *printer) location(at graph.Pos) string {
	alias, known := p.places[at]
	if !known {
		if f, ok := at.Frame(); ok {
			p.locations = append(p.locations, fmt.Sprintf("%q:%d:%d", f.File, f.Line, f.Column))
			alias = fmt.Sprintf(" loc(#loc%d)", len(p.locations))
		}
		p.places[at] = alias
	}
	return alias
}

// symbol makes a name of a module of a graph's name.
func symbol(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if name == "" || '0' <= name[0] && name[0] <= '9' {
		name = "m" + name
	}
	return name
}

// WriteText writes the module as text: MLIR in generic form. Each operation carries the user's file and line.
func (m *Module) WriteText(w io.Writer) error {
	p := &printer{w: bufio.NewWriter(w), names: map[*value]string{}, places: map[graph.Pos]string{}}
	p.write(m)
	return p.w.Flush()
}

// String returns the text that [Module.WriteText] writes.
func (m *Module) String() string {
	var b strings.Builder
	_ = m.WriteText(&b) // a Builder takes all
	return b.String()
}
