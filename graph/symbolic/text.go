package symbolic

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns a readable form that Parse reads back: "h-2", "2*batch+1",
// "floor((h-1)/2)+1".
func (d Dim) String() string {
	switch {
	case d == Unknown:
		return "?"
	case d.IsConst():
		return strconv.FormatInt(int64(d), 10)
	}
	p, ok := d.poly()
	if !ok {
		return "invalid"
	}
	text := p.text()
	if n, m, ok := p.asOneQuotient(); ok {
		if whole := bracketed(n, "+-/") + "/" + m.String(); len(whole) < len(text) {
			return whole
		}
	}
	return text
}

// text writes the terms, the positive ones first.
func (p polynomial) text() string {
	var b strings.Builder
	for _, positive := range []bool{true, false} {
		for _, t := range p {
			if t.coef > 0 == positive {
				t.write(&b)
			}
		}
	}
	return b.String()
}

func (t term) write(b *strings.Builder) {
	coef := t.coef
	switch {
	case coef < 0:
		b.WriteByte('-')
		coef = -coef
	case b.Len() > 0:
		b.WriteByte('+')
	}
	var factors []string
	if coef != 1 || len(t.atoms) == 0 {
		factors = append(factors, strconv.FormatInt(coef, 10))
	}
	for _, a := range t.atoms {
		text := a.String()
		if a.isQuotient() && (coef != 1 || len(t.atoms) > 1) {
			text = "(" + text + ")"
		}
		factors = append(factors, text)
	}
	b.WriteString(strings.Join(factors, "*"))
}

// String returns the atom as Parse reads it.
func (a atom) String() string {
	switch {
	case a.name != "":
		return a.name
	case a.k > 0:
		return fmt.Sprintf("floor(%s/%d)", bracketed(a.p, "+-*/"), a.k)
	case a.isQuotient():
		return bracketed(a.p, "+-/") + "/" + bracketed(a.q, "+-*/")
	case a.k == whole:
		return fmt.Sprintf("(%s)", a.p)
	case a.k == byDim:
		return fmt.Sprintf("div(%s, %s)", a.p, a.q)
	case a.k == lesser:
		return fmt.Sprintf("min(%s, %s)", a.p, a.q)
	}
	return fmt.Sprintf("broadcast(%s, %s)", a.p, a.q)
}

// bracketed returns a size in brackets, if it has one of some operators.
func bracketed(d Dim, operators string) string {
	if s := d.String(); !strings.ContainsAny(s, operators) {
		return s
	}
	return "(" + d.String() + ")"
}
