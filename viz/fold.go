package viz

import (
	"fmt"
	"path"
	"slices"
)

// folding is a choice of scopes to draw as one box.
type folding struct {
	scopes map[string]bool
	around map[string]string // what outermost has found
}

func newFolding(scopes map[string]bool) *folding {
	return &folding{scopes, map[string]string{}}
}

// outermost returns the outermost folded scope around a value, or "".
func (f *folding) outermost(scope string) string {
	if len(f.scopes) == 0 || scope == "" {
		return ""
	}
	if found, known := f.around[scope]; known {
		return found
	}
	found := f.outermost(parentScope(scope))
	if found == "" && f.scopes[scope] {
		found = scope
	}
	f.around[scope] = found
	return found
}

// repeatedShare is the part of the limit past which repeated scopes fold.
const repeatedShare = 4

// folder finds the scopes to fold until few enough boxes are left.
type folder struct {
	m      *model
	o      *options
	shapes map[scopeKey]uint64
	scopes map[string]bool // the folded ones
	units  []*unit
}

// fold returns the boxes of the picture: the scopes that match the patterns become cards. Where many boxes are left, so
// does what updates parameters, a card for each optimiser, and what updates the state of layers; then the gradients of
// calls and calls of functions that take several boxes, or kernels where there are any. Where there are no kernels,
// draws of random numbers do so in any picture. Where many boxes are left still, cards are made of those scopes that
// occur several times with the same structure, since they tell nothing new. Where more than the limit are left, so do
// the innermost scopes, and then those around them; then what repeats itself without scopes; and at last whatever
// follows one another.
func fold(m *model, o *options) []*unit {
	if names := updateNames(m); slices.ContainsFunc(o.fold, func(pattern string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return matchScope(pattern, name) })
	}) {
		updateScopes(m)
	}
	f := folder{m: m, o: o, shapes: scopeShapes(m), scopes: map[string]bool{}}
	for _, pattern := range o.fold {
		matches := false
		for key := range f.shapes {
			if matchScope(pattern, key.scope) {
				f.scopes[key.scope], matches = true, true
			}
		}
		if !matches && o.report != nil {
			o.report(noScope(pattern, f.shapes))
		}
	}
	if o.kernels == Collapsed {
		for _, k := range m.kernels {
			f.scopes[k.name] = true
		}
	}
	f.apply()
	if o.limit == 0 {
		return f.units
	}
	if boxCount(f.units) > o.limit/repeatedShare && o.kernels != Collapsed {
		f.foldNew(updateScopes(m))
		f.foldNew(stateScopes(m, newFolding(f.scopes)))
	}
	switch {
	case boxCount(f.units) <= o.limit/repeatedShare:
	case m.kernels == nil || o.kernels == Off:
		for _, p := range []part{gradient, forward} {
			if boxCount(f.units) > o.limit/repeatedShare {
				f.foldNew(callScopes(m, p, newFolding(f.scopes)))
			}
		}
	case o.kernels == Clusters:
		f.foldNew(kernelScopes(m))
	}
	if m.kernels == nil || o.kernels == Off {
		f.foldNew(randomScopes(m, newFolding(f.scopes)))
	}
	if o.stack && boxCount(f.units) > o.limit/repeatedShare {
		for scope := range repeatedScopes(f.shapes) {
			f.scopes[scope] = true
		}
		f.apply()
	}
	f.foldByDepth()
	f.foldParams()
	if f.tooMany() {
		f.foldNew(repeatScopes(m, newFolding(f.scopes)))
	}
	if f.tooMany() {
		f.foldNew(groupUnits(f.units, o.limit))
	}
	return f.units
}

// noScope says that a pattern of [Fold] matches nothing.
func noScope(pattern string, shapes map[scopeKey]uint64) error {
	if _, err := path.Match(pattern, ""); err != nil {
		return fmt.Errorf("viz: Fold(%q): %w", pattern, err)
	}
	var names []string
	for key := range shapes {
		if !slices.Contains(names, key.scope) {
			names = append(names, key.scope)
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("viz: Fold(%q) folds nothing: the program has no scopes", pattern)
	}
	slices.Sort(names)
	return fmt.Errorf("viz: Fold(%q) folds nothing: no scope matches; there are %s", pattern,
		shortList(names, 12, ", "))
}

func (f *folder) tooMany() bool { return boxCount(f.units) > f.o.limit }

// apply folds anew.
func (f *folder) apply() {
	folded := newFolding(f.scopes)
	f.units = makeUnits(f.m, folded.outermost)
	linkUnits(f.m, f.units)
	if f.o.stack && len(f.scopes) > 0 {
		f.units = stackCards(f.m, f.units, f.shapes)
	}
}

// mostParams is the number of parameters beside a card, or a stack of cards, past which they go into it.
const mostParams = 8

// foldParams puts parameters that were declared outside of any scope, and that one card alone reads, into that card if
// they are many: they would make one long row above it.
func (f *folder) foldParams() {
	readers := map[*value][]*value{}
	for _, v := range f.m.values {
		for _, x := range v.in {
			if x.from != nil && x.from.part == v.part {
				readers[x.from] = append(readers[x.from], v)
			}
		}
	}
	found := false
	for _, u := range f.units {
		if !u.isCard() || u.kernel() != nil {
			continue
		}
		scopes := newFolding(f.scopes)
		into := map[*value]string{}
		for _, l := range u.in {
			p := l.via.from
			if !l.from.isParam() || l.from.part != u.part || l.from.scope != "" {
				continue
			}
			card := scopes.outermost(readers[p][0].scope)
			if card != "" && !slices.ContainsFunc(readers[p], func(v *value) bool {
				return scopes.outermost(v.scope) != card
			}) {
				into[p] = card
			}
		}
		if len(into) > mostParams {
			for p, card := range into {
				p.scope, found = card, true
			}
		}
	}
	if found {
		f.shapes = scopeShapes(f.m)
		f.apply()
	}
}

// foldByDepth folds scopes from the innermost outwards.
func (f *folder) foldByDepth() {
	deepest := 0
	for key := range f.shapes {
		deepest = max(deepest, scopeDepth(key.scope))
	}
	for depth := deepest; depth > 0 && f.tooMany(); depth-- {
		for key := range f.shapes {
			if scopeDepth(key.scope) == depth {
				f.scopes[key.scope] = true
			}
		}
		f.apply()
	}
}

// foldNew folds scopes that have just been made up.
func (f *folder) foldNew(scopes []string) {
	if len(scopes) == 0 {
		return
	}
	for _, scope := range scopes {
		f.scopes[scope] = true
	}
	f.shapes = scopeShapes(f.m)
	f.apply()
}

// boxCount counts the boxes that units take: their own and those of their outputs.
func boxCount(units []*unit) int {
	n := len(units)
	for _, u := range units {
		n += len(u.terminals())
	}
	return n
}
