package viz

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/internal/page"
)

// ParseText reads the text form that [Text] writes of a graph or of a compiled program. The result can be drawn,
// searched and written again without the program, for example from a test or a bug report. It cannot be run: the text
// contains only the names of operations.
func ParseText(r io.Reader) (Source, error) {
	if r == nil {
		return nil, errors.New("viz: the reader of ParseText is nil")
	}
	p := &parsed{byID: map[string]int{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		if err := p.line(lines.Text()); err != nil {
			return nil, fmt.Errorf("viz: line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("viz: %w", err)
	}
	if !p.named {
		return nil, fmt.Errorf("viz: there is no line that starts with the word graph")
	}
	return p, nil
}

// parsed is a program that was read from text.
type parsed struct {
	name    string
	named   bool
	values  []parsedValue
	byID    map[string]int
	heads   map[int][]string // lines that are no values', by the number of the next value
	kernel  string           // of the lines that follow
	kernels []string
}

type parsedValue struct {
	sign     byte
	id       string // as it is written, in quotes where it is no plain word
	typ      string // "?" where it was not judged
	op       string // as it is written, like id
	operands []parsedOperand
	attrs    string
	buffer   string
	remark   string
	kernel   string
}

type parsedOperand struct {
	at   int    // the value's number, or -1
	word string // what stands for a value of another graph
	axes string
}

func (p *parsed) line(s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return nil
	case strings.HasPrefix(s, "graph "):
		name, err := strconv.Unquote(strings.TrimPrefix(s, "graph "))
		if err != nil || p.named {
			return fmt.Errorf("want one line: graph and a quoted name; got %q", s)
		}
		p.name, p.named, p.heads = name, true, map[int][]string{}
		return nil
	case !p.named:
		return fmt.Errorf("want a line: graph and a quoted name; got %q", s)
	case strings.HasPrefix(s, "kernel "):
		words := strings.Fields(s)
		p.kernel = strings.Join(words[:2], " ")
		p.kernels = append(p.kernels, p.kernel)
		p.heads[len(p.values)] = append(p.heads[len(p.values)], s)
		return nil
	case s == "outside of kernels":
		p.kernel = ""
		p.heads[len(p.values)] = append(p.heads[len(p.values)], s)
		return nil
	}
	v, err := p.value(s)
	if err != nil {
		return err
	}
	p.byID[v.id] = len(p.values)
	p.values = append(p.values, v)
	return nil
}

// value reads "  h:f32[2,3] = mul x y<(2),3> {axis=1}   → buf 0   # model.go:12".
func (p *parsed) value(s string) (v parsedValue, err error) {
	if len(s) < 3 || s[1] != ' ' {
		return v, fmt.Errorf("want two columns for a sign before a value; got %q", s)
	}
	v.sign, v.kernel = s[0], p.kernel
	var rest string
	if v.id, rest, err = identifier(s[2:], ":"); err != nil {
		return v, err
	}
	v.typ, rest, _ = strings.Cut(strings.TrimPrefix(rest, ":"), " = ")
	if v.op, rest, err = identifier(rest, " "); err != nil {
		return v, err
	}
	if v.typ == "" || v.op == "" {
		return v, fmt.Errorf("want a name, a type, = and an operation; got %q", s)
	}
	for len(rest) > 1 && rest[1] != ' ' && rest[1] != '{' {
		var x parsedOperand
		if x, rest, err = p.operand(rest[1:]); err != nil {
			return v, err
		}
		v.operands = append(v.operands, x)
	}
	if attrs, found := strings.CutPrefix(rest, " {"); found {
		end := endOfAttrs(attrs)
		if end < 0 {
			return v, fmt.Errorf("the arguments of %s have no end", v.op)
		}
		v.attrs, rest = attrs[:end], attrs[end+1:]
	}
	if note, found := strings.CutPrefix(rest, "   → "); found {
		if at := strings.Index(note, "   # "); at >= 0 {
			v.buffer, rest = note[:at], note[at:]
		} else {
			v.buffer, rest = note, ""
		}
	}
	v.remark, _ = strings.CutPrefix(rest, "   # ")
	return v, nil
}

// endOfAttrs finds the brace that is followed by the end or by a note.
func endOfAttrs(s string) int {
	for i := range len(s) {
		if after := s[i+1:]; s[i] == '}' &&
			(after == "" || strings.HasPrefix(after, "   → ") || strings.HasPrefix(after, "   # ")) {
			return i
		}
	}
	return -1
}

func (p *parsed) operand(s string) (x parsedOperand, rest string, err error) {
	x.at = -1
	if strings.HasPrefix(s, "(") || strings.HasPrefix(s, "nil ") || s == "nil" {
		end := strings.Index(s+" ", ") ")
		if s[0] != '(' {
			end = 2
		}
		if end < 0 {
			return x, "", fmt.Errorf("an operand in parentheses has no end: %q", s)
		}
		x.word = s[:end+1]
		return x, s[end+1:], nil
	}
	id, rest, err := identifier(s, " <")
	if err != nil {
		return x, "", err
	}
	at, known := p.byID[id]
	if !known {
		return x, "", fmt.Errorf("the operand %q is not a value of an earlier line", id)
	}
	x.at = at
	if strings.HasPrefix(rest, "<") {
		end := strings.IndexByte(rest, '>')
		if end < 0 {
			return x, "", fmt.Errorf("the axes of operand %q have no end", id)
		}
		x.axes, rest = rest[1:end], rest[end+1:]
	}
	return x, rest, nil
}

// identifier reads a word that ends before one of the signs, or a quoted one with its
// quotes.
func identifier(s, ends string) (id, rest string, err error) {
	if strings.HasPrefix(s, `"`) {
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			return "", "", fmt.Errorf("a quoted name has no end: %q", s)
		}
		return quoted, s[len(quoted):], nil
	}
	if end := strings.IndexAny(s, ends); end >= 0 {
		return s[:end], s[end:], nil
	}
	return s, "", nil
}

// text writes what was read.
func (p *parsed) text(lines bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "graph %q\n", p.name)
	for i, v := range p.values {
		for _, h := range p.heads[i] {
			b.WriteString(h + "\n")
		}
		b.WriteString(string(v.sign) + " " + v.id + ":" + v.typ + " = " + v.op)
		for _, x := range v.operands {
			b.WriteString(" " + p.operandText(x))
		}
		if v.attrs != "" {
			b.WriteString(" {" + v.attrs + "}")
		}
		if v.buffer != "" {
			b.WriteString("   → " + v.buffer)
		}
		if v.remark != "" {
			b.WriteString("   # " + v.remark)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (p *parsed) operandText(x parsedOperand) string {
	if x.at < 0 {
		return x.word
	}
	text := p.values[x.at].id
	if x.axes != "" {
		text += "<" + x.axes + ">"
	}
	return text
}

func (p *parsed) page(*options) *page.Document {
	c := &page.Column{Name: "text", Doc: "a program that was read from its text form"}
	for i, v := range p.values {
		value := page.Value{Label: v.label(), Op: v.word(), Type: v.typ, Attrs: v.attrs, Buffer: v.buffer,
			Pos: v.remark, Sources: []int{i}, Doubt: v.typ == "?"}
		value.Role, value.Scope, value.Name = v.source(), parentScope(v.name()), lastName(v.name())
		for _, x := range v.operands {
			value.Operands = append(value.Operands, page.Operand{At: x.at, Word: x.word, Axes: x.axes})
		}
		c.Values = append(c.Values, value)
	}
	c.GuessOutputs()
	return &page.Document{Title: p.name, Columns: []*page.Column{c}}
}
