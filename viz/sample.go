package viz

import (
	"fmt"
	"slices"
)

const (
	mostSamples = 3  // stacks of which one scope is drawn open
	sampleLimit = 60 // boxes in one of them
)

// addSamples draws beside the stacks of forward scopes what one of each holds, while
// the limit of boxes allows it.
func addSamples(d *drawing, m *model, units []*unit, o *options) {
	boxes, samples := boxCount(units), 0
	for _, u := range units {
		if len(u.scopes) < 2 || u.part != forward || samples == mostSamples {
			continue
		}
		inside := *o
		inside.fold, inside.limit = nil, sampleLimit
		part := m.sample(u)
		shown := fold(part, &inside)
		if boxes += boxCount(shown); len(shown) > sampleLimit || o.limit > 0 && boxes > o.limit {
			return
		}
		decideChips(shown, &inside)
		prefix := fmt.Sprintf("x%d", samples)
		c := newComposer(part, shown, &inside, prefix)
		c.d.root.id = prefix
		c.d.root.label = fmt.Sprintf("%s — one of %d alike", lastName(u.scopes[0]), len(u.scopes))
		d.root.inner = append(d.root.inner, c.d.root)
		d.edges = append(d.edges, c.d.edges...)
		d.rows = append(d.rows, c.d.rows...)
		d.hung = append(d.hung, c.d.hung...)
		d.uses.add(c.d.uses)
		samples++
	}
}

// sample returns a model of what the first of a stack's scopes holds. What it reads from
// outside is an input there, and what others read of it is an output.
func (m *model) sample(u *unit) *model {
	scope := u.scopes[0]
	part := &model{}
	copies := map[*value]*value{}
	for _, v := range u.values {
		if v.scope == scope || hasPrefix(v.scope, scope) {
			c := *v
			c.scope = trimScope(v.scope, scope)
			c.output, c.shown = v.leaves || v.output, false
			if c.output && c.name == "" {
				c.label = "output"
			}
			copies[v] = &c
			part.values = append(part.values, &c)
		}
	}
	for _, v := range slices.Clone(part.values) {
		v.in = slices.Clone(v.in)
		for i, x := range v.in {
			if x.from == nil || x.from.absorbed {
				continue
			}
			if copies[x.from] == nil {
				copies[x.from] = outside(x.from)
				part.values = append(part.values, copies[x.from])
			}
			v.in[i].from = copies[x.from]
		}
	}
	slices.SortFunc(part.values, func(a, b *value) int { return a.id - b.id })
	return part
}

// outside represents a value that a sample reads.
func outside(v *value) *value {
	c := &value{id: v.id, label: v.label, name: v.name, op: v.op, role: roleInput,
		judged: v.judged, doubt: v.doubt, pos: v.pos, typ: plainType(v)}
	if v.role.isSource() {
		c.role = v.role
	} else if c.name == "" {
		c.name = "input"
	}
	return c
}

func trimScope(scope, outer string) string {
	if scope == outer {
		return ""
	}
	return scope[len(outer)+1:]
}
