package viz

import (
	"slices"
	"strings"
)

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
		case v.converts && v.in[0].from != nil && v.in[0].axes == nil && !v.kept && !v.stored:
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
			v.mergeOperand(users)
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

// attrText returns the fixed arguments as one text.
func (v *value) attrText() string { return strings.Join(v.attrs, " · ") }

// skipConversions makes the operand one of the value before absorbed conversions.
func (x *operand) skipConversions() {
	for x.from != nil && x.from.absorbed && x.from.converts {
		if x.as == "" {
			x.as = x.from.typ.dtype
		}
		x.from = x.from.in[0].from
	}
}

// mergeOperand takes what only the movement v reads into v's box: another movement, or a
// reduction whose folded axes v takes away.
func (v *value) mergeOperand(users []int) {
	if len(v.in) != 1 || v.in[0].from == nil || v.in[0].as != "" {
		return
	}
	x := v.in[0].from
	plain := !x.absorbed && x.name == "" && !x.output && !x.cut && x.fault == nil && !x.stored
	if !plain || users[x.id] != 1 || x.part != v.part || x.scope != v.scope || x.kernel != v.kernel {
		return
	}
	switch {
	case x.role == roleMovement && len(x.in) == 1:
		v.op, v.attrs = x.op+" · "+v.op, append(x.attrs, v.attrs...)
	case x.role == roleReduce && x.typ.drops(v.typ):
		v.role, v.op, v.attrs, v.typ = x.role, x.op, x.attrs, typeText{v.typ.dtype, x.typ.axes}
		for i := range v.typ.axes {
			v.typ.axes[i].to = ""
		}
	default:
		return
	}
	x.absorbed, v.in = true, x.in
}

// drops reports whether t without the axes that it folds to size 1 is the type rest.
func (t typeText) drops(rest typeText) bool {
	var left []string
	for _, a := range t.axes {
		if a.mark == markSummed && a.to == "" {
			return false
		}
		if a.mark != markSummed {
			left = append(left, a.size)
		}
	}
	return slices.EqualFunc(left, rest.axes, func(size string, a axis) bool { return size == a.size })
}
