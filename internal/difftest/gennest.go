package difftest

import (
	"slices"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// nest adds a loop or two branches to a body, whose values have the shape of the body's.
func (b *scope) nest() {
	switch kind := b.IntN(4); {
	case kind == 0:
		b.nestBranches()
	case kind == 1 && b.rank > 0:
		b.nestScan()
	case kind == 2:
		b.nestCounted("While")
	default:
		b.nestCounted("Fori")
	}
}

// within begins a body in this one.
func (b *scope) within(given, weight int) *scope {
	in := b.without(given, weight, b.t, b.rank)
	in.deep = b.deep + 1
	return in
}

// taken adds further operands of a loop: values of the body, and sometimes its weight. It returns the place of the
// weight among them, or -1.
func (b *scope) taken(s *eager.Step) (weight int) {
	for range b.IntN(3) {
		s.In = append(s.In, b.any())
	}
	if b.weight < 0 || b.IntN(2) == 0 {
		return -1
	}
	s.In = append(s.In, b.weight)
	return len(s.In) - 1
}

func (b *scope) nestBranches() {
	s := eager.Step{Op: "Cond", I: []int{1 + b.IntN(2)}, In: []int{b.condition(), b.any()}}
	weight := b.taken(&s)
	if weight >= 0 {
		weight--
	}
	for _, steps := range []*[]eager.Step{&s.Body, &s.Else} {
		in := b.within(len(s.In)-1, weight)
		in.draw()
		*steps = in.close(s.I[0])
	}
	b.put(s, s.I[0], s.I[0])
}

func (b *scope) nestCounted(op string) {
	s := eager.Step{Op: op, I: []int{1 + b.IntN(2)},
		S: []eager.Size{oneOf(b.gen, b.someSize(), eager.Whole(b.IntN(4)))}}
	for range s.I[0] {
		s.In = append(s.In, b.any())
	}
	weight, results := b.taken(&s), s.I[0]
	if op == "While" {
		cond := b.within(len(s.In), weight)
		cond.condition()
		s.Else = cond.steps
		results++
	}
	if weight >= 0 {
		weight++
	}
	in := b.within(len(s.In)+1, weight)
	in.fits = slices.DeleteFunc(in.fits, func(k int) bool { return k == s.I[0] })
	in.counts(s.I[0])
	in.draw()
	s.Body = in.close(s.I[0])
	b.put(s, results, s.I[0])
}

// nestScan scans the last axis of a value: only the stacked result has its shape.
func (b *scope) nestScan() {
	x := b.any()
	s := eager.Step{Op: "Scan", I: []int{b.rank - 1, 1 + b.IntN(2), b.IntN(2)}, In: []int{x}}
	for range s.I[1] {
		op := oneOf(b.gen, "Any", "All")
		if b.t != eager.Bool {
			op = "Sum"
		}
		x := b.add(eager.Step{Op: op, In: []int{b.any()}, I: []int{-1}})
		if b.t.IsInt() { // sums of these are int64
			x = b.add(eager.Step{Op: "Cast", In: []int{x}, T: b.t})
		}
		s.In = append(s.In, x)
	}
	in := b.within(len(s.In), -1)
	in.rank--
	in.draw()
	s.Body = in.close(s.I[1])
	s.N = s.I[1] + 1
	b.fits = append(b.fits, b.add(s)+s.I[1])
}

// put adds a step with a number of values, the first fit of which have the body's shape.
func (b *scope) put(s eager.Step, values, fit int) {
	s.N = values
	first := b.add(s)
	for k := range fit {
		b.fits = append(b.fits, first+k)
	}
}
