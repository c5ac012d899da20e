package viz

import (
	"strconv"
	"strings"
)

// model makes of what was read what pictures need.
func (p *parsed) model(*options) (*model, error) {
	m := &model{title: p.name, planned: len(p.kernels) > 0}
	kernels := map[string]*kernelText{}
	for _, name := range p.kernels {
		kernels[name] = &kernelText{name: name}
		m.kernels = append(m.kernels, kernels[name])
	}
	for i, v := range p.values {
		name := v.name()
		value := &value{id: i, label: v.label(), name: lastName(name), scope: parentScope(name), op: v.word(),
			pos:    v.remark,
			judged: v.typ != "?", doubt: v.typ == "?",
			kernel: kernels[v.kernel], planned: m.planned, stored: v.buffer != "", buffer: v.buffer}
		value.role = map[string]role{"input": roleInput, "param": roleParam, "const": roleConst}[v.source()]
		if v.attrs != "" {
			value.attrs = []string{strings.NewReplacer("=[", " ", "]", "", "=", " ").Replace(v.attrs)}
		}
		if value.judged {
			dtype, axes, _ := strings.Cut(strings.TrimSuffix(v.typ, "]"), "[")
			value.typ = typeText{dtype, parseAxes(axes)}
		}
		for _, x := range v.operands {
			o := operand{word: x.word}
			if x.at >= 0 {
				o = operand{from: m.values[x.at], axes: parseAxes(x.axes)}
			}
			value.in = append(value.in, o)
		}
		m.values = append(m.values, value)
	}
	users := m.countUsers()
	for i, v := range m.values {
		v.output = users[i] == 0 && !v.doubt && !v.role.isSource()
	}
	return m, nil
}

// name is the user's name of a value with its scopes, or "" where it has none.
func (v *parsedValue) name() string {
	if isNumbered(v.id) {
		return ""
	}
	return v.label()
}

// label is how a value is called, without quotes.
func (v *parsedValue) label() string {
	if name, err := strconv.Unquote(v.id); err == nil {
		return name
	}
	return v.id
}

// word is the operation's name.
func (v *parsedValue) word() string {
	if name, err := strconv.Unquote(v.op); err == nil {
		return name
	}
	return v.op
}

// source tells values that are computed from nothing, by their operations' words: other
// operations of these names are quoted.
func (v *parsedValue) source() string {
	switch v.op {
	case "input", "param", "const":
		return v.op
	}
	return ""
}

// parseAxes reads "(32),128": the axes in parentheses are repeated, with a question mark
// only if sizes turn out so. Sizes can hold commas in parentheses of their own.
func parseAxes(s string) (axes []axis) {
	depth, start := 0, 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i < len(s) && s[i] == '(':
			depth++
		case i < len(s) && s[i] == ')':
			depth--
		case i == len(s) && s != "" || i < len(s) && s[i] == ',' && depth == 0:
			axes = append(axes, parseAxis(s[start:i]))
			start = i + 1
		}
	}
	return axes
}

func parseAxis(s string) axis {
	inner, marked := strings.CutPrefix(s, "(")
	if !marked || !strings.HasSuffix(inner, ")") ||
		strings.IndexByte(inner, ')') != len(inner)-1 && !strings.Contains(inner, "(") {
		return axis{size: s}
	}
	inner = strings.TrimSuffix(inner, ")")
	if size, maybe := strings.CutSuffix(inner, "?"); maybe {
		return axis{size: size, mark: markUndecided}
	}
	return axis{size: inner, mark: markStretched}
}

// isNumbered reports whether s is the word of a value without a name.
func isNumbered(s string) bool {
	_, err := strconv.Atoi(strings.TrimPrefix(s, "v"))
	return strings.HasPrefix(s, "v") && err == nil
}
