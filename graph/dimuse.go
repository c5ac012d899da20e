package graph

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// errDimOverflow is PyTorch's text for sizes that an int64 cannot hold.
var errDimOverflow = errors.New("numel: integer multiplication overflow")

// Symbols lists the names in d, in alphabetical order. The slice must not be changed.
func (d Dim) Symbols() []string {
	if e := d.entry(); e != nil {
		return e.names
	}
	return nil
}

// names lists the names in p, in alphabetical order.
func (p polynomial) names() []string {
	found := map[string]bool{}
	for _, t := range p {
		for _, a := range t.atoms {
			if a.name != "" {
				found[a.name] = true
				continue
			}
			for _, d := range []Dim{a.p, a.q} {
				for _, name := range d.Symbols() {
					found[name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// Eval returns d's value for the values of names that lookup returns. Division rounds down, like Python's //.
func (d Dim) Eval(lookup func(name string) (int64, bool)) (int64, error) {
	if n, whole := d.Int(); whole {
		return n, nil
	}
	p, ok := d.poly()
	if !ok {
		return 0, fmt.Errorf("the size %s has no value", d)
	}
	var sum int64
	for _, t := range p {
		v := t.coef
		for _, a := range t.atoms {
			x, err := a.eval(lookup)
			if err != nil {
				return 0, err
			}
			if v, ok = mulInt(v, x); !ok {
				return 0, errDimOverflow
			}
		}
		if sum, ok = addInt(sum, v); !ok {
			return 0, errDimOverflow
		}
	}
	return sum, nil
}

func (a atom) eval(lookup func(string) (int64, bool)) (int64, error) {
	if a.name != "" {
		v, known := lookup(a.name)
		if !known {
			return 0, fmt.Errorf("the size %q is not bound", a.name)
		}
		return v, nil
	}
	p, err := a.p.Eval(lookup)
	if a.k == whole {
		return p, err
	}
	if err != nil || a.k > 0 {
		return floorDiv(p, max(a.k, 1)), err
	}
	q, err := a.q.Eval(lookup)
	switch {
	case err != nil:
		return 0, err
	case a.k == byDim && q < 1, a.k == exactly && q == 0:
		return 0, fmt.Errorf("%s divides by %d", a, q)
	case a.k == exactly && p%q != 0:
		return 0, fmt.Errorf("%s leaves a remainder: %d is not a multiple of %d", a, p, q)
	case a.k == exactly:
		return p / q, nil
	case a.k == byDim:
		return floorDiv(p, q), nil
	case a.k == lesser:
		return min(p, q), nil
	case p == 1:
		return q, nil
	}
	return p, nil
}

// Subst returns d with a name replaced by another size.
func (d Dim) Subst(name string, by Dim) Dim {
	if d.IsConst() || d == UnknownDim || !slices.Contains(d.Symbols(), name) {
		return d
	}
	p, ok := d.poly()
	if !ok {
		return d
	}
	return p.eachAtom(func(a atom) Dim { return a.subst(name, by) })
}

// eachAtom returns p with its atoms replaced by other sizes.
func (p polynomial) eachAtom(other func(atom) Dim) Dim {
	sum := Dim(0)
	for _, t := range p {
		product := Dim(t.coef)
		for _, a := range t.atoms {
			product = product.Times(other(a))
		}
		sum = sum.Plus(product)
	}
	return sum
}

func (a atom) subst(name string, by Dim) Dim {
	switch {
	case a.name == name:
		return by
	case a.name != "":
		return atomDim(a)
	}
	a.p, a.q = a.p.Subst(name, by), a.q.Subst(name, by)
	return a.dim()
}

// dim returns the size that the atom is, in normal form also where its parts are new.
func (a atom) dim() Dim {
	switch {
	case a.name != "":
		return atomDim(a)
	case a.k > 0:
		return a.p.FloorDiv(a.k)
	case a.k == whole:
		return a.p
	case a.k == byDim:
		return a.p.FloorDivBy(a.q)
	case a.k == exactly:
		return a.p.DividedBy(a.q)
	case a.k == lesser:
		return MinDim(a.p, a.q)
	}
	return BroadcastDim(a.p, a.q)
}

// Linear writes d as coef·name + rest, with a rest free of the name.
func (d Dim) Linear(name string) (coef int64, rest Dim, ok bool) {
	p, valid := d.poly()
	if !valid {
		return 0, d, false
	}
	for _, t := range p {
		if len(t.atoms) == 1 && t.atoms[0].name == name {
			coef = t.coef
		}
	}
	rest = d.Minus(SymbolicDim(name).Times(Dim(coef)))
	return coef, rest, !slices.Contains(rest.Symbols(), name)
}

// String returns a readable form that ParseDim reads back: "h-2", "2*batch+1",
// "floor((h-1)/2)+1".
func (d Dim) String() string {
	switch {
	case d == UnknownDim:
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

// String returns the atom as ParseDim reads it.
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

// Factor is one factor of a term of a normal form.
type Factor struct {
	Name string // of a named size
	P, Q Dim    // of floor(P/K), floor(P/Q), P/Q, broadcast(P, Q), min(P, Q) or P
	K    int64  // of floor(P/K); -1 of floor(P/Q); -2 of P; -3 of min(P, Q); -4 of P/Q; else 0
}

// IsQuotient reports whether the factor is the quotient P/Q of a division without remainder.
func (f Factor) IsQuotient() bool { return f.K == exactly }

// IsSum reports whether the factor is a sum P, which stays factored because the product would have too many terms.
func (f Factor) IsSum() bool { return f.K == whole }

// IsMin reports whether the factor is the lesser of P and Q.
func (f Factor) IsMin() bool { return f.K == lesser }

// Terms calls f for each term of d's normal form, with its coefficient and its factors. It returns false if d has no
// normal form.
func (d Dim) Terms(f func(coef int64, factors []Factor)) bool {
	p, ok := d.poly()
	for _, t := range p {
		factors := make([]Factor, len(t.atoms))
		for i, a := range t.atoms {
			factors[i] = Factor{a.name, a.p, a.q, a.k}
		}
		f(t.coef, factors)
	}
	return ok
}
