package depthwise

import (
	"sync"
	"unsafe"
)

// Conv is a convolution of each channel of an image with a separate filter of up to 64 numbers. Axes are those of rows
// and columns; each must pass Bears.
type Conv struct {
	Channels int
	Axes     [2]Axis
}

// plan says where elements are, for one call.
type plan struct {
	Conv
	rows, pitch int       // of a phase of a plane
	plane       int       // elements from one phase to the next
	planes      int       // that are in memory at a time
	phases      []float32 // of these planes
	sums        []float32 // of the phases of the result
	all, out    int       // elements of the phases of a plane, and of a phase of the result
	taps        [mostPhases * mostPhases]taps
	loops       *loops
	conv        convArgs
	fills       [mostPhases]move // of the phases of rows
	stored      moveArgs
	gradient    sumsArgs
	some        [mostPlanes * mostTaps]float32 // those of filters that a phase takes
}

// mostTaps is the most numbers of a filter.
const mostTaps = 64

// plans are unused ones.
var plans = sync.Pool{New: func() any { return new(plan) }}

// newPlan returns a plan for a call that begins.
func (c *Conv) newPlan(memory []uint64, numbers []int) *plan {
	p := plans.Get().(*plan)
	*p = c.plan()
	p.begin(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(memory))), 2*len(memory)), numbers)
	return p
}

// end returns a plan for reuse.
func (p *plan) end() {
	*p = plan{}
	plans.Put(p)
}

// taps are the numbers of a filter that a phase of the result uses.
type taps struct {
	numbers, offsets []int // in the filter; in bytes, from the first phase on
	length, vectors  int   // of the long row
	isAll            bool
}

// move copies rows of a plane into its phases, from an element of the plane to one of the phases.
type move struct {
	args     moveArgs
	from, to int
}

// Memory is the number of words of scratch memory that a call needs.
func (c *Conv) Memory() int {
	if c.direct() != nil {
		return c.directSizes().memory()
	}
	return c.planMemory()
}

// planMemory is Memory for a call that copies planes.
func (c *Conv) planMemory() int {
	p := c.plan()
	return words(p.planes * (p.all + p.sumsOfPlane()))
}

// words is the number of words of 64 bits that some elements take.
func words(elements int) int { return (elements + 1) / 2 }

// Numbers is the number of integers of scratch memory that a call needs.
func (c *Conv) Numbers() int {
	n := 2 * c.kernel() * c.Axes[0].Spread * c.Axes[1].Spread
	if c.direct() != nil {
		n = max(n, c.directSizes().numbers())
	}
	return n
}

func (c *Conv) kernel() int { return c.Axes[0].Kernel * c.Axes[1].Kernel }

func (c *Conv) plan() plan {
	rows, pitch := c.Axes[0].length(), c.Axes[1].length()
	h, w := &c.Axes[0], &c.Axes[1]
	p := plan{Conv: *c, rows: rows, pitch: pitch, plane: rows*pitch + slack}
	p.all, p.out = p.plane*h.Stride*w.Stride+slack, (h.places(0)+1)*pitch+slack
	p.planes = max(1, min(mostPlanes, c.Channels, bytesOfPlanes/(4*(p.all+p.sumsOfPlane()))))
	return p
}

// sumsOfPlane is how many elements the phases of a plane of the result have.
func (p *plan) sumsOfPlane() int { return p.out * p.Axes[0].Spread * p.Axes[1].Spread }

// Larger vectors cannot read a plane that was just written before it has left the store buffer. So several small planes
// are written before the first is read.
const mostPlanes, bytesOfPlanes = 16, 24 << 10

// begin takes memory and lists the taps.
func (p *plan) begin(scratch []float32, numbers []int) {
	h, w := &p.Axes[0], &p.Axes[1]
	n := p.planes * p.all
	p.phases, p.sums, p.loops = scratch[:n], scratch[n:], current
	clear(p.phases)
	for a := range h.Spread {
		for b := range w.Spread {
			t := &p.taps[a*w.Spread+b]
			t.numbers, t.offsets, numbers = numbers[:0:p.kernel()], numbers[p.kernel():][:0:p.kernel()],
				numbers[2*p.kernel():]
			t.length = max((h.places(a)-1)*p.pitch+w.places(b), 0)
			for number := range p.kernel() {
				p.addTap(t, a, b, number)
			}
			t.isAll = len(t.numbers) == p.kernel()
			t.vectors = (t.length + p.loops.width - 1) / p.loops.width
		}
	}
	p.prepareFills()
}

// addTap adds a number of the filter to the taps of phase (a, b) of the result, if that uses it.
func (p *plan) addTap(t *taps, a, b, number int) {
	h, w := &p.Axes[0], &p.Axes[1]
	down, row, has := h.tap(a, number/w.Kernel)
	across, column, alsoHas := w.tap(b, number%w.Kernel)
	if has && alsoHas {
		t.numbers = append(t.numbers, number)
		t.offsets = append(t.offsets, 4*((down*w.Stride+across)*p.plane+row*p.pitch+column))
	}
}

// prepareFills lists how rows are copied into phases.
func (p *plan) prepareFills() {
	h, w := &p.Axes[0], &p.Axes[1]
	even, at := w.phase(0)
	odd, after := w.phase(min(1, w.Stride-1))
	for first := range min(h.Stride, h.taken()) {
		down, row := h.phase(first)
		p.fills[first] = move{from: first * w.In, to: (down*w.Stride+even)*p.plane + row*p.pitch + at,
			args: moveArgs{rows: (h.taken() - first + h.Stride - 1) / h.Stride, n: w.taken(),
				fromRows: 8 * w.In * h.Stride, fromPlane: 4 * h.In * w.In,
				toRow: 4 * p.pitch, toPlane: 4 * p.all, other: 4 * ((odd-even)*p.plane + after - at)}}
	}
}

// Run computes the convolution y of x and w: an image and its result, [Channels, rows, columns], and the filters of all
// channels, all dense. memory has Memory words and numbers Numbers integers; both can have arbitrary values.
func (c *Conv) Run(y, x, w []float32, memory []uint64, numbers []int) {
	if loop := c.direct(); loop != nil {
		c.runDirect(loop, y, x, w, memory, numbers)
		return
	}
	p := c.newPlan(memory, numbers)
	defer p.end()
	in, out := p.Axes[0].In*p.Axes[1].In, p.Axes[0].Out*p.Axes[1].Out
	if out == 0 {
		return
	}
	for first := 0; first < p.Channels; first += p.planes {
		n := min(p.planes, p.Channels-first)
		p.fill(n, x[first*in:])
		p.sum(n, w[first*p.kernel():])
		p.store(n, y, first*out)
	}
}

// fill copies planes into their phases.
func (p *plan) fill(planes int, x []float32) {
	for i := range p.fills[:p.Axes[0].Stride] {
		m := &p.fills[i]
		if m.args.rows == 0 || m.args.n == 0 {
			continue
		}
		m.args.planes, m.args.from, m.args.to = planes, unsafe.Pointer(&x[m.from]), unsafe.Pointer(&p.phases[m.to])
		m.args.next = m.args.from
		if m.args.rows > 1 {
			m.args.next = unsafe.Add(m.args.from, m.args.fromRows/2)
		}
		if p.Axes[1].Stride == 1 {
			p.loops.copyRows(&m.args)
		} else {
			p.loops.splitRows(&m.args)
		}
	}
}

// sum computes the sums of planes.
func (p *plan) sum(planes int, filters []float32) {
	for i := range p.taps[:p.Axes[0].Spread*p.Axes[1].Spread] {
		t, sums := &p.taps[i], p.sums[i*p.out:]
		if t.length == 0 {
			continue
		}
		numbers, each := filters, p.kernel()
		if !t.isAll {
			numbers, each = p.some[:], len(t.numbers)
			for plane := range planes {
				for k, n := range t.numbers {
					numbers[plane*each+k] = filters[plane*p.kernel()+n]
				}
			}
		}
		if len(t.numbers) == 0 {
			for plane := range planes {
				clear(sums[plane*p.sumsOfPlane():][:t.length])
			}
			continue
		}
		p.conv = convArgs{planes: planes, vectors: t.vectors, x: unsafe.Pointer(&p.phases[0]), xPlane: 4 * p.all,
			y: &sums[0], yPlane: 4 * p.sumsOfPlane(),
			offsets: &t.offsets[0], w: &numbers[0], wPlane: 4 * each, taps: len(t.numbers)}
		p.loops.conv(&p.conv)
	}
}

// store copies the sums of planes to y, from an element on. Loops write whole vectors, past the end of a row into
// memory that is written later. Planes near the end of y are written one element at a time.
func (p *plan) store(planes int, y []float32, at int) {
	out := p.Axes[0].Out * p.Axes[1].Out
	fast := planes
	if left := len(y) - at - slack; left < planes*out {
		fast = max(left/out, 0)
	}
	p.storePlanes(p.loops, y, at, 0, fast)
	p.storePlanes(&plain, y, at, fast, planes)
}

// storePlanes stores some planes, from one to before another.
func (p *plan) storePlanes(loops *loops, y []float32, at, from, to int) {
	if from == to {
		return
	}
	h, w := &p.Axes[0], &p.Axes[1]
	sums, all := p.sums[from*p.sumsOfPlane():], h.Out*w.Out
	p.stored = moveArgs{planes: to - from, rows: h.Out, n: w.Out, from: unsafe.Pointer(&sums[0]),
		fromPlane: 4 * p.sumsOfPlane(),
		to:        unsafe.Pointer(&y[at+from*all]), toRow: 4 * w.Out, toPlane: 4 * all, other: 4 * p.out}
	if h.Spread == 1 { // behind the last row there is memory too
		p.stored.next, p.stored.fromRows = unsafe.Add(p.stored.from, 4*p.pitch), 8*p.pitch
	} else {
		p.stored.next, p.stored.fromRows = unsafe.Add(p.stored.from, 4*w.Spread*p.out), 4*p.pitch
	}
	if w.Spread == 1 {
		loops.copyRows(&p.stored)
	} else {
		loops.joinRows(&p.stored)
	}
}
