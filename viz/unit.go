package viz

// unit is what becomes one box: a value, or all values of one part of folded scopes.
type unit struct {
	values []*value
	part   part
	scope  string   // where the box stands
	scopes []string // the folded scopes; nil for a value of its own
	in     []link
	rank   int
	spine  bool // on the line that its part keeps straight
	pos    int  // its place in an order in which operands come before users, where there is one
}

// link is one operand that comes from another unit.
type link struct {
	from, to *unit
	via      *operand
	user     *value
	index    int  // the operand's place among user's
	chip     bool // printed inside the user's box
}

func (u *unit) isCard() bool { return u.scopes != nil }

// isParam reports whether the unit is a parameter.
func (u *unit) isParam() bool { return !u.isCard() && u.first().role == roleParam }

// isOutside reports whether the unit stands outside of all clusters, as inputs do and what gradients start from.
func (u *unit) isOutside() bool {
	r := u.first().role
	return !u.isCard() && u.scope == "" && (r.isSource() && r != roleConst || r == roleSeed)
}

// first is the value that gives the unit its name and place.
func (u *unit) first() *value { return u.values[0] }

// place returns the scope in which a value's box stands: its kernel's, where kernels have
// frames.
func (v *value) place() string {
	if v.framed {
		return v.kernel.name
	}
	return v.scope
}

// makeUnits groups values by folded scopes. Units are in the order of their first values.
func makeUnits(m *model, folded func(scope string) string) []*unit {
	type key struct {
		part  part
		scope string
	}
	cards := map[key]*unit{}
	var units []*unit
	for _, v := range m.values {
		card := folded(v.scope)
		if card == "" {
			units = append(units, &unit{values: []*value{v}, part: v.part, scope: v.place()})
			continue
		}
		k := key{v.part, card}
		if cards[k] == nil {
			cards[k] = &unit{part: v.part, scope: parentScope(card), scopes: []string{card}}
			units = append(units, cards[k])
		}
		cards[k].values = append(cards[k].values, v)
	}
	return units
}

// linkUnits finds the links between units.
func linkUnits(m *model, units []*unit) {
	of := make([]*unit, m.idLimit())
	for _, u := range units {
		u.in = nil
		for _, v := range u.values {
			of[v.id] = u
			v.leaves = false
		}
	}
	for _, u := range units {
		for _, v := range u.values {
			for i := range v.in {
				if x := &v.in[i]; x.from != nil && !x.from.absorbed && of[x.from.id] != u {
					u.in = append(u.in, link{from: of[x.from.id], to: u, via: x, user: v, index: i})
					x.from.leaves = x.from.leaves || x.from.part == v.part
				}
			}
		}
	}
}

// inOrder returns units with operands before users. Folded scopes that are left and
// entered again make cycles; these are cut somewhere.
func inOrder(units []*unit) []*unit {
	type frame struct {
		u    *unit
		next int
	}
	seen := make(map[*unit]bool, len(units))
	ordered := make([]*unit, 0, len(units))
	for _, root := range units {
		if seen[root] {
			continue
		}
		seen[root] = true
		for stack := []frame{{u: root}}; len(stack) > 0; {
			top := &stack[len(stack)-1]
			if top.next < len(top.u.in) {
				x := top.u.in[top.next].from
				top.next++
				if !seen[x] {
					seen[x] = true
					stack = append(stack, frame{u: x})
				}
				continue
			}
			top.u.pos = len(ordered)
			ordered = append(ordered, top.u)
			stack = stack[:len(stack)-1]
		}
	}
	return ordered
}
