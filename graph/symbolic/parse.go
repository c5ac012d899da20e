package symbolic

import (
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// maxDepth bounds brackets within brackets.
const maxDepth = 100

// Parse reads a size: whole numbers, names, + - *, // by a whole number, which rounds down,
// / as [Dim.DividedBy], brackets, floor(p/k), mod(p, k), div(p, q), min(p, q),
// broadcast(p, q), and "?" for [Unknown].
func Parse(s string) (Dim, error) {
	p := &parser{text: s}
	d := p.sum()
	p.space()
	if p.err == nil && p.at < len(p.text) {
		p.fail("unexpected %q", p.text[p.at:])
	}
	if p.err == nil && !d.Valid() {
		p.fail("the size overflows")
	}
	if p.err != nil {
		return Invalid, p.err
	}
	return d, nil
}

type parser struct {
	text  string
	at    int
	depth int
	floor int // the depth of brackets at which / ends the numerator of floor(p/k)
	err   error
}

func (p *parser) fail(format string, args ...any) Dim {
	if p.err == nil {
		p.err = fmt.Errorf("graph: size %q, column %d: %s", p.text, p.at+1, fmt.Sprintf(format, args...))
	}
	return Invalid
}

func (p *parser) space() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// take moves over a text if it comes next.
func (p *parser) take(s string) bool {
	p.space()
	if len(p.text)-p.at < len(s) || p.text[p.at:p.at+len(s)] != s {
		return false
	}
	p.at += len(s)
	return true
}

func (p *parser) expect(s string) {
	if !p.take(s) {
		p.fail("%q is missing", s)
	}
}

func (p *parser) sum() Dim {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return p.fail("too many brackets")
	}
	d := Dim(0)
	if p.take("-") {
		d = p.product().Times(-1)
	} else {
		d = p.product()
	}
	for p.err == nil {
		switch {
		case p.take("+"):
			d = d.Plus(p.product())
		case p.take("-"):
			d = d.Minus(p.product())
		default:
			return d
		}
	}
	return d
}

func (p *parser) product() Dim {
	d := p.factor()
	for p.err == nil {
		switch {
		case p.take("*"):
			d = d.Times(p.factor())
		case p.take("//"):
			d = d.FloorDiv(p.divisor(p.factor()))
		case p.floor != p.depth && p.take("/"):
			d = p.quotient(d, p.factor())
		default:
			return d
		}
	}
	return d
}

func (p *parser) quotient(d, e Dim) Dim {
	if m, whole := e.Int(); whole && p.err == nil {
		switch n, both := d.Int(); {
		case m == 0:
			return p.fail("the division is by 0")
		case both && n%m != 0:
			return p.fail("%d is not a multiple of %d; // rounds down", n, m)
		}
	}
	return d.DividedBy(e)
}

func (p *parser) divisor(d Dim) int64 {
	k, whole := d.Int()
	if !whole || k < 1 {
		p.fail("the divisor must be a whole number of at least 1")
		return 1
	}
	return k
}

func (p *parser) factor() Dim {
	p.space()
	switch {
	case p.take("?"):
		return Unknown
	case p.take("("):
		d := p.sum()
		p.expect(")")
		return d
	case p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9':
		return p.number()
	}
	start := p.at
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		if !isNameRune(r, p.at == start) {
			break
		}
		p.at += size
	}
	name := p.text[start:p.at]
	if name == "" {
		return p.fail("a size is missing")
	}
	if p.take("(") {
		return p.call(name)
	}
	return Named(name)
}

func (p *parser) call(name string) Dim {
	outer := p.floor
	if p.floor = 0; name == "floor" {
		p.floor = p.depth + 1
	}
	d := p.sum()
	p.floor = outer
	switch name {
	case "floor":
		p.expect("/")
		k := p.divisor(p.factor())
		p.expect(")")
		return d.FloorDiv(k)
	case "mod":
		p.expect(",")
		k := p.divisor(p.sum())
		p.expect(")")
		return d.Mod(k)
	case "broadcast", "div", "min":
		p.expect(",")
		e := p.sum()
		p.expect(")")
		switch name {
		case "div":
			return d.FloorDivBy(e)
		case "min":
			return Min(d, e)
		}
		return Broadcast(d, e)
	}
	return p.fail("%s is not one of floor, mod, div, min and broadcast", name)
}

func (p *parser) number() Dim {
	start := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	n, err := strconv.ParseInt(p.text[start:p.at], 10, 64)
	if err != nil {
		return p.fail("%s is too large", p.text[start:p.at])
	}
	return Dim(n)
}

func isName(s string) bool {
	for i, r := range s {
		if !isNameRune(r, i == 0) {
			return false
		}
	}
	return s != ""
}

func isNameRune(r rune, first bool) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || r == '_' || !first && unicode.IsDigit(r))
}
