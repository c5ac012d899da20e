package viz

import (
	"fmt"
	"slices"
	"strings"
)

// frameKernels decides which kernels get a frame: those of which at least two values
// are drawn in one part of the program. What a kernel of one value does stands in that
// value's box.
func frameKernels(m *model, mode KernelMode) {
	if !m.planned || mode == Off {
		return
	}
	drawn, told := map[*kernelText]*[partCount]int{}, map[*kernelText]bool{}
	for _, v := range m.values {
		if k := v.kernel; k != nil {
			if drawn[k] == nil {
				drawn[k] = new([partCount]int)
			}
			drawn[k][v.part]++
			told[k] = told[k] || drawn[k][v.part] > 1 // in a frame's caption
		}
	}
	for _, v := range m.values {
		switch k := v.kernel; {
		case k == nil:
		case mode == Collapsed:
			v.scope = k.name
		case drawn[k][v.part] > 1:
			v.framed = true
		default:
			v.notes = append(v.notes[:len(v.notes):len(v.notes)], k.note(!told[k]))
			told[k] = true
		}
	}
}

// kernelScopes makes scopes of kernels, but for what is folded into the card of an optimiser. It returns the new
// scopes.
func kernelScopes(m *model) (scopes []string) {
	for _, v := range m.values {
		if v.kernel != nil && v.part != update {
			v.scope, v.framed = v.kernel.name, false
		}
	}
	for _, k := range m.kernels {
		scopes = append(scopes, k.name)
	}
	viewsToKernels(m, scopes)
	return scopes
}

// viewsToKernels puts views that no kernel computes into the card of the only kernel that reads them, or of the one
// whose result they show. In the scope where the program has them, they would join kernels to a card that stands before
// some of them and behind others.
func viewsToKernels(m *model, kernels []string) {
	readers := make([][]*value, m.idLimit())
	for _, v := range m.values {
		for _, x := range v.in {
			if x.from != nil {
				readers[x.from.id] = append(readers[x.from.id], v)
			}
		}
	}
	isKernel := make(map[string]bool, len(kernels))
	for _, name := range kernels {
		isKernel[name] = true
	}
	joins := func(v, other *value) bool {
		isView := v.kernel == nil && v.role == roleMovement && !isKernel[v.scope]
		return isView && other.part == v.part && isKernel[other.scope]
	}
	for _, v := range slices.Backward(m.values) {
		list := readers[v.id]
		if len(list) > 0 && !slices.ContainsFunc(list, func(r *value) bool {
			return !joins(v, r) || r.scope != list[0].scope
		}) {
			v.scope = list[0].scope
		}
	}
	for _, v := range m.values {
		if len(v.in) == 1 && v.in[0].from != nil && joins(v, v.in[0].from) {
			v.scope = v.in[0].from.scope
		}
	}
}

// note describes a kernel in one short line, with or without what it moves.
func (k *kernelText) note(costs bool) string {
	for _, l := range k.lines {
		if costs && strings.HasSuffix(l, moved) {
			return k.name + " · " + l
		}
	}
	return k.name
}

// addCaptions puts beside the first box of each kernel's frame what the kernel costs. A
// kernel of which several parts of the program are drawn tells it once.
func (c *composer) addCaptions() {
	type ends struct{ first, last *unit }
	var order []*frame
	at := map[*frame]*ends{}
	for _, u := range c.units {
		frames := c.frames[u]
		if len(frames) == 0 || frames[len(frames)-1].kernel == nil {
			continue
		}
		fr := frames[len(frames)-1]
		if at[fr] == nil {
			at[fr] = &ends{u, u}
			order = append(order, fr)
		}
		if u.rank >= at[fr].last.rank {
			at[fr].last = u
		}
		if u.rank < at[fr].first.rank {
			at[fr].first = u
		}
	}
	told := map[*kernelText]bool{}
	for _, fr := range order {
		beside := at[fr].last // at the bottom
		if column(fr.part, c.o) == 1 {
			beside = at[fr].first
		}
		b := &box{id: fmt.Sprintf("%sk%d", c.prefix, fr.id), shape: shapeCaption, tooltip: []string{fr.kernel.name}}
		name := fr.kernel.name
		if told[fr.kernel] {
			name += ", its rest"
		}
		b.lines = append(b.lines, line{sizeType, []span{{text: name, style: styleCaption}}})
		if !told[fr.kernel] {
			for _, text := range fr.kernel.lines {
				b.lines = append(b.lines, line{sizeType, []span{{text: text, style: styleType}}})
			}
		}
		told[fr.kernel] = true
		fr.drawn.boxes = append(fr.drawn.boxes, b)
		c.d.rows = append(c.d.rows, row{[]string{b.id, c.ids[beside]}, true})
		c.d.uses.kernels = true
	}
}
