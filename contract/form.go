package contract

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// form is a shape as it is written: "b t h*dh".
type form struct {
	text string
	axes []axis
	many int // which of the axes stands for several; -1: none
}

// axis is one word of a form.
type axis struct {
	text  string
	named string // the axis is also called so: "rows" of "rows=3"
	size  *expr  // nil: any size
	many  string // the name of several axes, "batch" of "*batch"; anonymous for "..."
	// broadcast says that the axis may also have the size 1: "#c".
	broadcast bool
}

// anonymous is the name of several axes of which nothing is said.
const anonymous = "..."

// formError is what is wrong with a form, and where.
type formError struct {
	column int // counted from 0, in runes
	text   string
	help   string
}

const (
	helpSpaces = "separate axes by spaces, and write expressions without: \"b t h*dh\""
	helpAny    = "write _ for an axis of any size, ... for any number of axes"
)

// parseForm reads a form.
func parseForm(text string) (f *form, err *formError) {
	p := &parser{text: text}
	f = &form{text: text, many: -1}
	for p.spaces(); p.err == nil && p.at < len(text); p.spaces() {
		start := p.at
		a := p.axis()
		if p.err == nil && p.at < len(text) && !p.isSpace() {
			p.unexpected()
		}
		a.text = text[start:p.at]
		if a.many != "" && p.err == nil {
			if f.many >= 0 {
				p.fail(start, helpAny, "%s and %s both stand for several axes: it is unclear how many each has",
					f.axes[f.many].text, a.text)
			}
			f.many = len(f.axes)
		}
		f.axes = append(f.axes, a)
	}
	return f, p.err
}

// parser reads the text of a form.
type parser struct {
	text  string
	at    int
	depth int // of brackets
	err   *formError
}

// maxDepth bounds brackets within brackets.
const maxDepth = 100

func (p *parser) fail(at int, help, format string, args ...any) *expr {
	if p.err == nil {
		p.err = &formError{utf8.RuneCountInString(p.text[:at]), fmt.Sprintf(format, args...), help}
	}
	return &expr{}
}

// unexpected complains of what stands here.
func (p *parser) unexpected() *expr {
	if p.at >= len(p.text) {
		return p.fail(p.at, helpSpaces, "a size is missing at the end")
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	help := helpSpaces
	switch r {
	case '[', ']':
		help = "write the axes without brackets around them: \"b t d\""
	case '?', ':', '-':
		help = helpAny
	case '.':
		help = "... has three dots"
	}
	if p.isSpace() {
		return p.fail(p.at, help, "a size is missing")
	}
	return p.fail(p.at, help, "unexpected %q", r)
}

func (p *parser) isSpace() bool {
	return p.at < len(p.text) && strings.IndexByte(" \t\n", p.text[p.at]) >= 0
}

func (p *parser) spaces() {
	for p.isSpace() {
		p.at++
	}
}

// take moves over a text if it comes next. Inside of brackets there may be spaces before it.
func (p *parser) take(s string) bool {
	at := p.at
	if p.depth > 0 {
		p.spaces()
	}
	if strings.HasPrefix(p.text[p.at:], s) {
		p.at += len(s)
		return true
	}
	p.at = at
	return false
}

// axis reads one word.
func (p *parser) axis() (a axis) {
	start := p.at
	a.broadcast = p.take("#")
	several := p.take("*")
	a.broadcast = a.broadcast || several && p.take("#")
	switch {
	case several:
		if a.many = p.word(); a.many == "" {
			p.fail(start, helpSpaces, "the name of the axes is missing after *")
		}
		return a
	case p.take("..."):
		a.many = anonymous
	case strings.HasPrefix(p.text[p.at:], "_"):
		p.word()
	default:
		a.size = p.sum()
		if a.size.op == name && p.err == nil && p.take("=") {
			a.named, a.size = a.size.name, p.sum()
		}
		return a
	}
	if a.broadcast {
		p.fail(start, "write # before a name", "# says nothing of an axis of any size")
	}
	return a
}

func (p *parser) sum() *expr {
	e := p.product()
	for p.err == nil {
		switch {
		case p.take("+"):
			e = &expr{op: plus, x: e, y: p.product()}
		case p.take("-"):
			e = &expr{op: minus, x: e, y: p.product()}
		default:
			return e
		}
	}
	return e
}

func (p *parser) product() *expr {
	e := p.factor()
	for p.err == nil {
		switch {
		case p.take("*"):
			e = &expr{op: times, x: e, y: p.factor()}
		case p.take("//"):
			e = p.division(floor, e)
		case p.take("/"):
			e = p.division(exactly, e)
		case p.take("%"):
			e = p.division(modulo, e)
		default:
			return e
		}
	}
	return e
}

// division reads the divisor.
func (p *parser) division(op operator, x *expr) *expr {
	at := p.at
	y := p.factor()
	if y.op == number && y.num == 0 && p.err == nil {
		return p.fail(at, "", "a division by 0")
	}
	return &expr{op: op, x: x, y: y}
}

func (p *parser) factor() *expr {
	if p.depth > 0 {
		p.spaces()
	}
	if p.take("(") {
		return p.inside(p.sum)
	}
	at := p.at
	word := p.word()
	first, _ := utf8.DecodeRuneInString(word)
	switch {
	case word == "":
		return p.unexpected()
	case unicode.IsDigit(first):
		n, err := strconv.ParseInt(word, 10, 32)
		if err != nil {
			return p.fail(at, "", "%s is not a valid size", word)
		}
		return &expr{op: number, num: n}
	case p.take("("):
		return p.inside(func() *expr { return p.call(at, word) })
	}
	return &expr{op: name, name: word}
}

// inside reads what stands between brackets, of which the first was read.
func (p *parser) inside(read func() *expr) *expr {
	if p.depth++; p.depth > maxDepth {
		return p.fail(p.at, "", "too many brackets")
	}
	e := read()
	if p.err == nil && !p.take(")") {
		p.fail(p.at, "", "%q is missing", ")")
	}
	p.depth--
	return e
}

// call reads the arguments of a function.
func (p *parser) call(at int, function string) *expr {
	x := p.sum()
	switch function {
	case "floor", "ceil":
		if x.op != exactly && x.op != floor || p.err != nil {
			return p.fail(at, "", "%s needs a division: %s(h/2)", function, function)
		}
		if function == "ceil" {
			above := &expr{op: minus, x: &expr{op: plus, x: x.x, y: x.y}, y: &expr{op: number, num: 1}}
			return &expr{op: floor, x: above, y: x.y}
		}
		return &expr{op: floor, x: x.x, y: x.y}
	case "min":
		if !p.take(",") {
			return p.fail(p.at, "", "min needs two sizes: min(a, b)")
		}
		return &expr{op: least, x: x, y: p.sum()}
	}
	return p.fail(at, "", "%s is not one of floor, ceil and min", function)
}

// word reads a name or a number, as far as it goes.
func (p *parser) word() string {
	start := p.at
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		if r == utf8.RuneError || r == []rune(localMark)[0] || r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		p.at += size
	}
	return p.text[start:p.at]
}
