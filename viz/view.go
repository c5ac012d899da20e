package viz

import "github.com/broadloom/broadloom/graph"

// view is a choice of values.
type view interface {
	// mark sets the ids of the values to draw.
	mark(m *model, keep []bool)
}

type around struct {
	n      *graph.Node
	radius int
}

type between struct{ from, to *graph.Node }

// applyViews leaves out what no view shows. What has lost an operand or a user is marked.
func applyViews(m *model, views []view, mode GradientMode) {
	hasGradient := false
	for _, v := range m.values {
		hasGradient = hasGradient || v.part != forward
	}
	if mode == Hidden && hasGradient {
		for _, v := range m.values {
			v.kept = false // nothing in the picture reads it
		}
		m.restrict(func(v *value) bool { return v.part == forward }, false)
	}
	if len(views) == 0 {
		return
	}
	keep := make([]bool, m.idLimit())
	for _, w := range views {
		w.mark(m, keep)
	}
	m.restrict(func(v *value) bool { return keep[v.id] }, true)
}

// restrict drops all other values.
func (m *model) restrict(keep func(*value) bool, markCuts bool) {
	var left []*value
	for _, v := range m.values {
		if keep(v) {
			left = append(left, v)
		}
	}
	for _, v := range m.values {
		var in []operand
		for _, x := range v.in {
			switch {
			case x.from == nil || keep(x.from):
				in = append(in, x)
			case keep(v):
				v.cut = v.cut || markCuts
			}
			if x.from != nil && !keep(v) {
				x.from.cut = x.from.cut || markCuts
			}
		}
		v.in = in
	}
	m.values = left
}

func (a around) mark(m *model, keep []bool) {
	neighbours := make([][]int, len(keep))
	known := make([]bool, len(keep))
	for _, v := range m.values {
		known[v.id] = true
		for _, x := range v.in {
			if x.from != nil {
				neighbours[v.id] = append(neighbours[v.id], x.from.id)
				neighbours[x.from.id] = append(neighbours[x.from.id], v.id)
			}
		}
	}
	if a.n == nil || a.n.ID() >= len(keep) || !known[a.n.ID()] {
		return
	}
	reached, edge := map[int]bool{a.n.ID(): true}, []int{a.n.ID()}
	keep[a.n.ID()] = true
	for hops := 0; hops < a.radius && len(edge) > 0; hops++ {
		var next []int
		for _, id := range edge {
			for _, other := range neighbours[id] {
				if !reached[other] {
					reached[other], keep[other] = true, true
					next = append(next, other)
				}
			}
		}
		edge = next
	}
}

func (w between) mark(m *model, keep []bool) {
	if w.from == nil || w.to == nil {
		return
	}
	below, above := make([]bool, len(keep)), make([]bool, len(keep))
	for _, v := range m.values {
		below[v.id] = v.id == w.from.ID()
		for _, x := range v.in {
			below[v.id] = below[v.id] || x.from != nil && below[x.from.id]
		}
	}
	for i := len(m.values) - 1; i >= 0; i-- {
		v := m.values[i]
		if v.id == w.to.ID() {
			above[v.id] = true
		}
		for _, x := range v.in {
			if x.from != nil && above[v.id] {
				above[x.from.id] = true
			}
		}
	}
	for id := range keep {
		keep[id] = keep[id] || below[id] && above[id]
	}
}
