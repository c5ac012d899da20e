package axisflow

import (
	"cmp"
	"slices"
)

// Value lists the source axes on which a value depends, in the order of their numbers.
type Value []Dependence

// Of returns the dependence on a source.
func (v Value) Of(source int) (Dependence, bool) {
	at, found := slices.BinarySearchFunc(v, source, func(d Dependence, s int) int { return cmp.Compare(d.Source, s) })
	if !found {
		return Dependence{}, false
	}
	return v[at], true
}

// either is what is known of a value that is computed from both.
func (v Value) either(w Value) Value {
	switch {
	case len(v) == 0:
		return w
	case len(w) == 0 || len(v) == len(w) && &v[0] == &w[0]:
		return v
	}
	u := make(Value, 0, len(v)+len(w))
	for len(v) > 0 && len(w) > 0 {
		switch c := cmp.Compare(v[0].Source, w[0].Source); {
		case c < 0:
			u, v = append(u, v[0]), v[1:]
		case c > 0:
			u, w = append(u, w[0]), w[1:]
		default:
			u, v, w = append(u, v[0].either(w[0])), v[1:], w[1:]
		}
	}
	return append(append(u, v...), w...)
}

// each changes each dependence. It returns v itself if nothing changes.
func (v Value) each(change func(Dependence) Dependence) Value {
	var changed Value
	for i, d := range v {
		e := change(d)
		if changed == nil && !e.equal(d) {
			changed = slices.Clone(v)
		}
		if changed != nil {
			changed[i] = e
		}
	}
	if changed == nil {
		return v
	}
	return changed
}

// scrambled is what is known of a value whose elements may be computed from any elements of others.
func scrambled(in []Value) (all Value) {
	for _, v := range in {
		all = all.either(v.each(func(d Dependence) Dependence { return d.mixed(nil) }))
	}
	return all
}
