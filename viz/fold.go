package viz

// folding is a choice of scopes to draw as one box.
type folding struct {
	scopes map[string]bool
	around map[string]string // what outermost has found
}

func newFolding(scopes map[string]bool) *folding {
	return &folding{scopes, map[string]string{}}
}

// outermost gives the outermost folded scope around a value, or "".
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

// fold gives the boxes of the picture: the scopes that match the patterns become cards.
// Where many boxes are left, those that occur several times with the same structure do
// too, since they tell nothing new; where more than the limit are left, so do the
// innermost scopes, and then those around them.
func fold(m *model, o *options) []*unit {
	shapes := scopeShapes(m)
	scopes := map[string]bool{}
	for key := range shapes {
		for _, pattern := range o.fold {
			if matchScope(pattern, key.scope) {
				scopes[key.scope] = true
			}
		}
	}
	boxes := func() []*unit { return foldInto(m, newFolding(scopes), shapes, o.stack) }
	units := boxes()
	if o.limit == 0 {
		return units
	}
	deepest := 0
	for key := range shapes {
		deepest = max(deepest, scopeDepth(key.scope))
	}
	if o.stack && len(units) > o.limit/repeatedShare {
		for scope := range repeatedScopes(shapes) {
			scopes[scope] = true
		}
		units = boxes()
	}
	for depth := deepest; depth > 0 && len(units) > o.limit; depth-- {
		for key := range shapes {
			if scopeDepth(key.scope) == depth {
				scopes[key.scope] = true
			}
		}
		units = boxes()
	}
	return units
}

func foldInto(m *model, f *folding, shapes map[scopeKey]uint64, stack bool) []*unit {
	units := makeUnits(m, f.outermost)
	linkUnits(m, units)
	if stack && len(f.scopes) > 0 {
		units = stackCards(m, units, shapes)
	}
	return units
}
