package depthwise

import "unsafe"

// FiltersMemory is Memory for a call of Filters.
func (c *Conv) FiltersMemory() int {
	p := c.plan()
	return c.planMemory() + words(p.vectors()*lanes)
}

// vectors is the number of vectors of the long row of a gradient.
func (p *plan) vectors() int {
	return (max((p.Axes[0].Out-1)*p.pitch+p.Axes[1].Out, 0) + lanes - 1) / lanes
}

// Filters computes the gradient dw for the filters of all channels, from an image x and the gradient dy of the result.
// The operand must not be spread. Only elements of the result count: values between rows are taken as zeros, even if
// they are infinite.
func (c *Conv) Filters(dw, x, dy []float32, memory []uint64, numbers []int) {
	p := c.newPlan(memory, numbers)
	defer p.end()
	h, w := &p.Axes[0], &p.Axes[1]
	in, out, n := h.In*w.In, h.Out*w.Out, p.vectors()
	if out == 0 {
		clear(dw[:p.Channels*p.kernel()])
		return
	}
	sums := p.sums[:p.planes*p.sumsOfPlane()]
	clear(sums)
	masks := unsafe.Slice((*uint32)(unsafe.Pointer(&p.sums[len(sums)])), n*lanes)
	for i := range masks {
		masks[i] = 0
		if i/p.pitch < h.Out && i%p.pitch < w.Out {
			masks[i] = ^uint32(0)
		}
	}
	for first := 0; first < p.Channels; first += p.planes {
		planes := min(p.planes, p.Channels-first)
		p.fill(planes, x[first*in:])
		p.stored = moveArgs{planes: planes, rows: h.Out, n: w.Out, from: unsafe.Pointer(&dy[first*out]),
			fromRows: 8 * w.Out, fromPlane: 4 * out,
			to: unsafe.Pointer(&sums[0]), toRow: 4 * p.pitch, toPlane: 4 * p.sumsOfPlane()}
		p.stored.next = p.stored.from
		if h.Out > 1 {
			p.stored.next = unsafe.Add(p.stored.from, 4*w.Out)
		}
		p.loops.copyRows(&p.stored)
		groups := (p.kernel() + mostSums - 1) / mostSums
		for g := range groups {
			from, to := g*p.kernel()/groups, (g+1)*p.kernel()/groups
			a := &p.gradient
			a.planes, a.vectors, a.x, a.xPlane, a.y, a.yPlane = planes, n, unsafe.Pointer(&p.phases[0]), 4*p.all,
				&sums[0], 4*p.sumsOfPlane()
			a.offsets, a.sums, a.sumsPlane, a.masks = &p.taps[0].offsets[from], &dw[first*p.kernel()+from],
				4*p.kernel(), unsafe.Pointer(&masks[0])
			p.loops.sums[to-from](a)
		}
	}
}
