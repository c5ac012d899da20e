package viz

import (
	"hash/fnv"
	"strconv"
)

// scopeKey names what one scope holds of one part of the program.
type scopeKey struct {
	part  part
	scope string
}

// scopeShapes returns a hash of the structure of every scope: operations, arguments,
// types and inner edges. Names and the data of constants do not count.
func scopeShapes(m *model) map[scopeKey]uint64 {
	shapes := map[scopeKey]uint64{}
	local := make([]int, m.idLimit())
	owner := make([]scopeKey, m.idLimit())
	for depth := 1; ; depth++ {
		counts := map[scopeKey]int{}
		for _, v := range m.values {
			owner[v.id] = scopeKey{}
			outer, ok := outerScope(v.scope, depth)
			if !ok {
				continue
			}
			key := scopeKey{v.part, outer}
			owner[v.id], local[v.id] = key, counts[key]
			counts[key]++
			shapes[key] = mix(shapes[key], v.structure(outer, func(x *value) int {
				if owner[x.id] == key {
					return local[x.id]
				}
				return -1
			}))
		}
		if len(counts) == 0 {
			return shapes
		}
	}
}

// structure writes down all of a value that counts for being alike. place gives an
// operand's place within the scope, or -1.
func (v *value) structure(outer string, place func(*value) int) string {
	s := v.scope[len(outer):] + " " + v.op + " " + v.typ.String()
	if v.role == roleConst {
		s += " const"
	} else {
		for _, a := range v.attrs {
			s += " " + a
		}
	}
	for _, x := range v.in {
		switch {
		case x.from == nil:
			s += " (" + x.word + ")"
		case x.from.absorbed:
			s += " (" + x.from.inline + ")"
		default:
			s += " " + strconv.Itoa(place(x.from)) + x.from.typ.String() + x.as
		}
	}
	if v.fault != nil || !v.judged {
		s += " wrong" + strconv.Itoa(v.id) // every mistake is one of its own
	}
	return s
}

func mix(h uint64, s string) uint64 {
	f := fnv.New64a()
	f.Write(strconv.AppendUint(nil, h, 16))
	f.Write([]byte(s))
	return f.Sum64()
}

// repeatedScopes returns the outermost scopes that stand beside another one of the same
// structure.
func repeatedScopes(shapes map[scopeKey]uint64) map[string]bool {
	type kind struct {
		parent string
		part   part
		shape  uint64
	}
	counts := map[kind]int{}
	of := func(key scopeKey, shape uint64) kind { return kind{parentScope(key.scope), key.part, shape} }
	for key, shape := range shapes {
		counts[of(key, shape)]++
	}
	repeated := map[string]bool{}
	for key, shape := range shapes {
		if counts[of(key, shape)] > 1 {
			repeated[key.scope] = true
		}
	}
	return repeated // what is inside of them is folded with them
}

// stackCards makes one unit of cards of the same structure that stand in one scope,
// except where something outside lies between them.
func stackCards(m *model, units []*unit, shapes map[scopeKey]uint64) []*unit {
	type kind struct {
		part  part
		scope string
		shape uint64
	}
	stacks := map[kind]*unit{}
	split := map[*unit][]*unit{}
	var stacked []*unit
	for _, u := range units {
		if !u.isCard() {
			stacked = append(stacked, u)
			continue
		}
		k := kind{u.part, u.scope, shapes[scopeKey{u.part, u.scopes[0]}]}
		s := stacks[k]
		if s == nil {
			s = &unit{part: u.part, scope: u.scope, scopes: []string{}}
			stacks[k] = s
			stacked = append(stacked, s)
		}
		s.values, s.scopes = append(s.values, u.values...), append(s.scopes, u.scopes...)
		split[s] = append(split[s], u)
	}
	linkUnits(m, stacked)
	cyclic := onCycles(stacked)
	var result []*unit
	for _, u := range stacked {
		if cyclic[u] && len(split[u]) > 1 {
			result = append(result, split[u]...)
		} else {
			result = append(result, u)
		}
	}
	linkUnits(m, result)
	return result
}

// onCycles returns the units on cycles, and those between two cycles.
func onCycles(units []*unit) map[*unit]bool {
	left := make(map[*unit]bool, len(units))
	operands, users := map[*unit][]*unit{}, map[*unit][]*unit{}
	for _, u := range units {
		left[u] = true
		for _, l := range u.in {
			operands[u] = append(operands[u], l.from)
			users[l.from] = append(users[l.from], u)
		}
	}
	trim(units, left, operands, users)
	trim(units, left, users, operands)
	return left
}

// trim takes away, again and again, what has no predecessor left.
func trim(units []*unit, left map[*unit]bool, before, after map[*unit][]*unit) {
	waits := make(map[*unit]int, len(units))
	var ready []*unit
	for _, u := range units {
		if !left[u] {
			continue
		}
		for _, x := range before[u] {
			if left[x] {
				waits[u]++
			}
		}
		if waits[u] == 0 {
			ready = append(ready, u)
		}
	}
	for len(ready) > 0 {
		u := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		delete(left, u)
		for _, x := range after[u] {
			if waits[x]--; left[x] && waits[x] == 0 {
				ready = append(ready, x)
			}
		}
	}
}
