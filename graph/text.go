package graph

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// longConstant is the number of elements past which the text form elides a constant.
const longConstant = 8

// String returns the graph's text form: one value a line, operands before users. It does not depend on positions in the
// source file, so that golden tests can compare it.
func (g *Graph) String() string {
	return g.text(func(n *Node) (sign rune, remark string) { return ' ', n.badText() })
}

// TextWithLines is String with the user's file and line at the end of each line.
func (g *Graph) TextWithLines() string {
	return g.text(func(n *Node) (sign rune, remark string) {
		return ' ', strings.TrimSpace(n.pos.String() + " " + n.badText())
	})
}

func (n *Node) badText() string {
	if n.bad == nil {
		return ""
	}
	return string(n.bad.Code) + ": " + n.bad.Summary
}

// Mark is written next to a node in the text form.
type Mark struct {
	Sign rune   // before the line
	Text string // at its end
}

// MarkedText is String with marks, and with the user's file and line if known.
func (g *Graph) MarkedText(marks map[*Node]Mark) string {
	return g.text(func(n *Node) (sign rune, remark string) {
		if m, marked := marks[n]; marked {
			return m.Sign, n.pos.String() + " " + m.Text
		}
		return ' ', ""
	})
}

func (g *Graph) text(mark func(*Node) (sign rune, remark string)) string {
	var b strings.Builder
	fmt.Fprintf(&b, "graph %q\n", g.name)
	ids := g.idents()
	for _, n := range g.nodes {
		sign, remark := mark(n)
		b.WriteString(string(sign) + " " + ids[n.id] + ":" + n.typeText() + " = " + n.opWord())
		for i, x := range n.in {
			b.WriteString(" " + operandText(ids, n, i, x))
		}
		if a := n.attrText(); a != "" {
			b.WriteString(" {" + a + "}")
		}
		if remark != "" {
			b.WriteString("   # " + remark)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (n *Node) typeText() string {
	if !n.judged {
		return "?"
	}
	return n.dtype.Short() + n.shape.Compact()
}

// opWord is the operation's name; quoted where it is no word, or one that says that a value
// is computed from nothing, and this one is not.
func (n *Node) opWord() string {
	isSource := n.op == inputOp || n.op == paramOp || n.op == constOp
	if name := n.op.Name; isWord(name) && isSource == slices.ContainsFunc(SourceOps(), func(op *Op) bool {
		return op.Name == name
	}) {
		return name
	}
	return strconv.Quote(n.op.Name)
}

func (n *Node) attrText() string {
	if c, ok := n.attrs.(ConstAttrs); ok {
		if d := reflect.ValueOf(c.Data); d.Len() > longConstant {
			return fmt.Sprintf("%d elements", d.Len())
		}
		return formatAttr(reflect.ValueOf(c.Data))
	}
	return FormatAttrs(n.attrs)
}

// operandText returns an operand; where it is repeated to meet the result, the axes
// follow, with repeated ones in parentheses: b(32),128.
func operandText(ids []string, n *Node, i int, x *Node) string {
	if x == nil {
		return "nil"
	}
	if x.g != n.g {
		return "(" + x.label() + ")"
	}
	text := ids[x.id]
	kinds := n.Stretch(i)
	if kinds == nil {
		return text
	}
	parts := make([]string, len(kinds))
	repeated := false
	for axis, k := range kinds {
		parts[axis] = n.shape[axis].String()
		switch k {
		case Stretched, Missing:
			parts[axis], repeated = "("+parts[axis]+")", true
		case Undecided:
			parts[axis], repeated = "("+parts[axis]+"?)", true
		}
	}
	if !repeated {
		return text
	}
	return text + "<" + strings.Join(parts, ",") + ">"
}

// idents returns each node its word in the text form: its name, numbered where taken,
// quoted where it is no word; or "v" and its number.
func (g *Graph) idents() []string {
	ids := make([]string, len(g.nodes))
	taken := make(map[string]int, len(g.nodes))
	for i, n := range g.nodes {
		name := n.Name()
		if name == "" {
			ids[i] = "v" + strconv.Itoa(i)
			continue
		}
		taken[name]++
		if k := taken[name]; k > 1 {
			name += "." + strconv.Itoa(k)
		}
		if !isWord(name) || isNumbered(name) {
			name = strconv.Quote(name)
		}
		ids[i] = name
	}
	return ids
}

func isWord(s string) bool {
	for i, r := range s {
		if !unicode.IsLetter(r) && r != '_' && (i == 0 || !unicode.IsDigit(r) && r != '/' && r != '.') {
			return false
		}
	}
	return s != ""
}

// isNumbered reports whether s looks like the word of a node without a name.
func isNumbered(s string) bool {
	_, err := strconv.Atoi(strings.TrimPrefix(s, "v"))
	return strings.HasPrefix(s, "v") && err == nil
}
