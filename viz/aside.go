package viz

// What a picture says of a computation is told by the way from inputs to outputs. Beside it lie draws of random numbers
// and updates of state, whose steps tell a reader little: they become cards.

// randomScopes returns scopes of their own to draws of random numbers that take several boxes.
func randomScopes(m *model, folded *folding) []string {
	ofData, ofRandom, draws := map[*value]bool{}, map[*value]bool{}, map[*value]bool{}
	for _, v := range m.values {
		ofData[v] = (v.role == roleInput || v.role == roleParam) && len(v.typ.axes) > 0
		ofRandom[v] = v.random
		for _, x := range v.in {
			ofData[v] = ofData[v] || ofData[x.from]
			ofRandom[v] = ofRandom[v] || ofRandom[x.from]
		}
		draws[v] = ofRandom[v] && !ofData[v] && v.isStep()
	}
	addOnlyRead(m, draws, func(v *value) bool { return !ofData[v] && v.isStep() })
	return groupScopes(m, draws, dependent(m, draws), folded, "random")
}

// stateScopes returns scopes of their own to what only updates state, such as running statistics: one for all that a
// scope has.
func stateScopes(m *model, folded *folding) []string {
	updates := map[*value]bool{}
	for _, v := range m.values {
		updates[v] = v.part == forward && v.role == roleUpdate
	}
	addOnlyRead(m, updates, func(v *value) bool { return v.isStep() || v.role == roleParam })
	return groupScopes(m, updates, func(*value) any { return nil }, folded, "state")
}

// isStep reports whether a forward value is nothing but a step of a computation.
func (v *value) isStep() bool {
	return v.part == forward && !v.role.isSource() && v.role != roleUpdate && v.name == "" && !v.output &&
		v.fault == nil
}

// addOnlyRead adds to a set of values those that none but its members read, if they may join.
func addOnlyRead(m *model, set map[*value]bool, mayJoin func(*value) bool) {
	byMembers, byOthers := map[*value]bool{}, map[*value]bool{}
	for i := len(m.values) - 1; i >= 0; i-- {
		v := m.values[i]
		set[v] = set[v] || byMembers[v] && !byOthers[v] && mayJoin(v)
		for _, x := range v.in {
			byMembers[x.from] = byMembers[x.from] || set[v]
			byOthers[x.from] = byOthers[x.from] || !set[v]
		}
	}
}

// dependent groups the values of a set that depend on each other in one scope. The last one stands for its group.
func dependent(m *model, set map[*value]bool) func(*value) any {
	last := map[*value]*value{}
	for i := len(m.values) - 1; i >= 0; i-- {
		v := m.values[i]
		if set[v] && last[v] == nil {
			last[v] = v
		}
		for _, x := range v.in {
			if set[v] && set[x.from] && x.from.scope == v.scope && last[x.from] == nil {
				last[x.from] = last[v]
			}
		}
	}
	return func(v *value) any { return last[v] }
}

// groupScopes returns scopes of their own to groups of a set's values that take several boxes of one scope. It returns
// the new scopes.
func groupScopes(m *model, set map[*value]bool, group func(*value) any, folded *folding, name string) []string {
	type key struct {
		scope string
		group any
	}
	isMember := func(v *value) bool { return set[v] && folded.outermost(v.scope) == "" }
	boxes := map[key]int{}
	for _, v := range m.values {
		if isMember(v) && !v.absorbed {
			boxes[key{v.scope, group(v)}]++
		}
	}
	var names callNames
	for _, v := range m.values {
		if isMember(v) && boxes[key{v.scope, group(v)}] >= leastOfCall {
			v.scope = names.scope(v.scope, call{name, group(v)})
		}
	}
	return names.scopes
}
