package difftest

import (
	"slices"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// scope is a body under construction: values of one shape, and steps that keep it.
type scope struct {
	*gen
	t      eager.DType
	rank   int
	fits   []int // the values of that shape
	weight int   // a matrix that keeps their last axis, or -1
	next   int   // the number of the next value
	deep   int   // how many bodies are around it
	steps  []eager.Step
}

// maxDeep is how deep bodies are nested.
const maxDeep = 3

// loop draws a loop or two branches, with bodies whose values have the shape of an operand.
func (g *gen) loop() bool {
	switch g.IntN(7) {
	case 0:
		return g.counted("Fori")
	case 1:
		return g.counted("While")
	case 2:
		return g.branches()
	}
	x := g.pick(hasAxes)
	if x < 0 {
		return false
	}
	axis, t := g.IntN(g.rank(x)), g.v(x).T
	shape := slices.Delete(g.shapeOf(x), axis, axis+1)
	s := eager.Step{Op: "Scan", In: []int{x}, I: []int{axis, 1 + g.IntN(2), g.IntN(2)}}
	for range s.I[1] {
		if g.IntN(2) == 0 {
			s.In = append(
				s.In, g.do(eager.Step{Op: "Select", In: []int{x}, I: []int{axis}, S: []eager.Size{eager.Whole(0)}}))
		} else {
			s.In = append(s.In, g.input(t, shape, ""))
		}
	}
	local := g.captured(&s, t, shape)
	b := g.body(t, shape, len(s.In), local)
	s.Body = b.close(s.I[1])
	return g.did(s)
}

// captured adds further operands of a loop over values of a shape, and returns the place of a weight among them, or -1.
func (g *gen) captured(s *eager.Step, t eager.DType, shape []eager.Size) (weight int) {
	if g.IntN(2) == 0 {
		s.In = append(s.In, g.input(t, shape, ""))
	}
	if last := len(shape) - 1; last >= 0 && t.IsFloat() && g.IntN(2) == 0 {
		s.In = append(s.In, g.input(t, []eager.Size{shape[last], shape[last]}, ""))
		return len(s.In) - 1
	}
	return -1
}

// counted draws a loop whose steps are counted.
func (g *gen) counted(op string) bool {
	x := g.pick(isValue)
	if x < 0 {
		return false
	}
	t, shape := g.v(x).T, g.shapeOf(x)
	s := eager.Step{Op: op, In: []int{x}, I: []int{1 + g.IntN(2)}, S: []eager.Size{g.someSize()}}
	for len(s.In) < s.I[0] {
		s.In = append(s.In, g.input(t, shape, ""))
	}
	weight := g.captured(&s, t, shape)
	if op == "While" {
		b := g.without(len(s.In), weight, t, len(shape))
		b.condition()
		s.Else = b.steps
	}
	if weight >= 0 {
		weight++ // behind the number of the step
	}
	b := g.without(len(s.In)+1, weight, t, len(shape))
	b.fits = slices.DeleteFunc(b.fits, func(k int) bool { return k == s.I[0] })
	b.counts(s.I[0])
	b.draw()
	s.Body = b.close(s.I[0])
	return g.did(s)
}

// branches draws two branches; a condition chooses one.
func (g *gen) branches() bool {
	x := g.pick(isValue)
	if x < 0 {
		return false
	}
	t, shape := g.v(x).T, g.shapeOf(x)
	y := g.input(t, shape, "")
	is := g.do(eager.Step{Op: oneOf(g, "Any", "All"), In: []int{g.do(eager.Step{Op: "Less", In: []int{x, y}})}})
	s := eager.Step{Op: "Cond", In: []int{is, x, y}, I: []int{1 + g.IntN(2)}}
	weight := g.captured(&s, t, shape)
	if weight >= 0 {
		weight--
	}
	for _, steps := range []*[]eager.Step{&s.Body, &s.Else} {
		b := g.body(t, shape, len(s.In)-1, weight)
		*steps = b.close(s.I[0])
	}
	return g.did(s)
}

func isValue(x *eager.Tensor) bool { return !x.IsLiteral() }

// without begins a body whose first values are given, all of one shape except a weight.
func (g *gen) without(given, weight int, t eager.DType, rank int) *scope {
	b := &scope{gen: g, t: t, rank: rank, weight: weight, next: given}
	for k := range given {
		if k != weight {
			b.fits = append(b.fits, k)
		}
	}
	return b
}

// body draws a body whose first values are given.
func (g *gen) body(t eager.DType, shape []eager.Size, given, weight int) *scope {
	b := g.without(given, weight, t, len(shape))
	b.draw()
	return b
}

func (b *scope) any() int { return b.fits[b.IntN(len(b.fits))] }

// add adds a step and returns the number of its first value.
func (b *scope) add(s eager.Step) int {
	s.N = max(s.N, 1)
	b.steps = append(b.steps, s)
	b.next += s.N
	return b.next - s.N
}

// keep adds a step whose value has the shape of the body's.
func (b *scope) keep(op string, in ...int) {
	b.fits = append(b.fits, b.add(eager.Step{Op: op, In: in}))
}

// draw adds some steps.
func (b *scope) draw() {
	for range 1 + b.IntN(4) {
		switch kind := b.IntN(9); {
		case kind < 2 && b.weight >= 0:
			b.keep("MatMul", b.any(), b.weight)
		case kind < 4 && b.rank > 0 && b.t != eager.Bool:
			b.alongRows()
		case kind < 5 && b.deep < maxDeep && b.IntN(1+b.deep) == 0:
			b.nest()
		case kind < 6:
			b.keep(oneOf(b.gen, b.unary()...), b.any())
		default:
			b.keep(oneOf(b.gen, b.binary()...), b.any(), b.any())
		}
	}
}

// alongRows adds a step along the last axis.
func (b *scope) alongRows() {
	op := oneOf(b.gen, "Softmax", "CumSum", "Flip")
	if !b.t.IsFloat() {
		op = "Flip"
	}
	b.fits = append(b.fits, b.add(eager.Step{Op: op, In: []int{b.any()}, I: []int{-1}}))
}

// counts may use the number of the step.
func (b *scope) counts(step int) {
	if b.t != eager.Bool && b.IntN(2) == 0 {
		b.keep("Add", b.any(), b.add(eager.Step{Op: "Cast", In: []int{step}, T: b.t}))
	}
}

// unary lists functions of the body's values.
func (b *scope) unary() []string {
	switch {
	case b.t.IsFloat():
		return []string{"Sin", "Neg", "Softplus", "Tanh", "Relu"}
	case b.t == eager.Bool:
		return []string{"Not", "Copy"}
	case b.t.IsUnsigned():
		return []string{"Square", "BitNot", "Copy"}
	}
	return []string{"Neg", "Abs", "Square", "BitNot", "Sign"}
}

// binary lists functions of two of the body's values.
func (b *scope) binary() []string {
	switch {
	case b.t.IsFloat():
		return []string{"Add", "Sub", "Mul", "Maximum"}
	case b.t == eager.Bool:
		return []string{"And", "Or", "Xor"}
	}
	return []string{"Add", "Sub", "Mul", "Maximum", "Minimum", "BitAnd", "BitXor"}
}

// condition adds one Bool computed from the body's values.
func (b *scope) condition() int {
	is := b.any()
	if b.t != eager.Bool {
		than := b.any()
		if b.t.IsFloat() && b.IntN(2) == 0 {
			than = b.add(eager.Step{Op: "Num", F: []float64{oneOf(b.gen, 0, 0.5, -0.5, 0.75)}})
		}
		is = b.add(eager.Step{Op: oneOf(b.gen, "Less", "Greater", "NotEqual"), In: []int{is, than}})
	}
	return b.add(eager.Step{Op: oneOf(b.gen, "Any", "All"), In: []int{is}}) // of Bool: one Bool
}

// close ends a body with its last values as results, which stay small.
func (b *scope) close(last int) []eager.Step {
	ops := []string{"Tanh", "Sigmoid"}
	switch {
	case b.t == eager.Bool:
		ops = []string{"Not", "Copy"}
	case !b.t.IsFloat():
		ops = []string{"Sign", "BitAnd", "Minimum"}
	}
	for range last {
		s := eager.Step{Op: oneOf(b.gen, ops...), In: []int{b.any()}}
		if s.Op == "BitAnd" || s.Op == "Minimum" {
			s.In = append(s.In, b.any())
		}
		b.add(s)
	}
	return b.steps
}
