package symbolic

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// errOverflow is PyTorch's text for sizes that an int64 cannot hold.
var errOverflow = errors.New("numel: integer multiplication overflow")

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
				return 0, errOverflow
			}
		}
		if sum, ok = addInt(sum, v); !ok {
			return 0, errOverflow
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
	if d.IsConst() || d == Unknown || !slices.Contains(d.Symbols(), name) {
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
		return Min(a.p, a.q)
	}
	return Broadcast(a.p, a.q)
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
	rest = d.Minus(Named(name).Times(Dim(coef)))
	return coef, rest, !slices.Contains(rest.Symbols(), name)
}
