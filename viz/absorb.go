package viz

import "strings"

// absorb moves small values into their users: numbers become chips, conversions become
// notes on operands, and runs of movements become one box.
func absorb(m *model) {
	users := m.countUsers()
	for _, v := range m.values {
		if v.name != "" || v.output || v.fault != nil || !v.judged || users[v.id] == 0 || v.cut {
			continue
		}
		switch {
		case len(v.in) == 0 && (v.role == roleConst && len(v.typ.axes) == 0 || v.role == rolePlain):
			v.absorbed, v.inline = true, inlineText(v)
		case v.converts && v.in[0].from != nil && v.in[0].axes == nil && !v.kept:
			v.absorbed = true
		}
	}
	for _, v := range m.values {
		for i := range v.in {
			v.in[i].skipConversions()
		}
	}
	for _, v := range m.values {
		if v.role == roleMovement {
			v.mergeMovement(users)
		}
	}
	left := m.values[:0]
	for _, v := range m.values {
		if !v.absorbed {
			left = append(left, v)
		}
	}
	m.values = left
}

// inlineText says a value that is computed from nothing in a few words; a number alone
// where its type is that of a scalar.
func inlineText(v *value) string {
	if len(v.attrs) == 1 && len(v.typ.axes) == 0 {
		return v.attrs[0]
	}
	return strings.Join(append([]string{v.op}, v.attrs...), " ")
}

// skipConversions makes the operand one of the value before absorbed conversions.
func (x *operand) skipConversions() {
	for x.from != nil && x.from.absorbed && x.from.converts {
		if x.as == "" {
			x.as = x.from.typ.dtype
		}
		x.from = x.from.in[0].from
	}
}

// mergeMovement takes a movement that only v reads into v's box.
func (v *value) mergeMovement(users []int) {
	if len(v.in) != 1 || v.in[0].from == nil || v.in[0].as != "" {
		return
	}
	x := v.in[0].from
	if x.role != roleMovement || x.absorbed || len(x.in) != 1 || users[x.id] != 1 ||
		x.name != "" || x.output || x.cut || x.fault != nil || x.part != v.part || x.scope != v.scope {
		return
	}
	x.absorbed = true
	v.op, v.attrs, v.in = x.op+" · "+v.op, append(x.attrs, v.attrs...), x.in
}
