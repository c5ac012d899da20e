package stablehlo

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/translate"
)

// Element returns x[at].
func (e *exporter) Element(x, at *value) *value {
	sizes := slices.Clone(x.shape)
	sizes[0] = 1
	y := e.apply("stablehlo.dynamic_slice", tensor{x.dtype, sizes}, []attr{{"slice_sizes", sizes}},
		append([]*value{x}, e.corner(x, at)...)...)
	return e.reshape(y, x.shape[1:])
}

// store returns x with another x[at].
func (e *exporter) store(x, part, at *value) *value {
	part = e.reshape(part, append([]int{1}, part.shape...))
	return e.apply("stablehlo.dynamic_update_slice", x.tensor, nil, append([]*value{x, part}, e.corner(x, at)...)...)
}

// corner is the index of the first element of x[at].
func (e *exporter) corner(x, at *value) []*value {
	in := []*value{at}
	for range x.shape[1:] {
		in = append(in, e.whole(tensor{dtype: graph.Int64}, 0))
	}
	return in
}

// Repeat writes a loop: as an if if it has at most one step, else as a while.
func (e *exporter) Repeat(l *translate.Loop[*value]) {
	w := &repetition{exporter: e, Loop: l, begin: e.First(l)}
	for _, s := range w.Stacks {
		w.begin = append(w.begin, e.splat(e.typeOf(s), 0))
	}
	count := e.int(w.Attrs.Body.Length())
	bound := e.whole(tensor{dtype: graph.Int64}, int64(count))
	if w.Limit != nil {
		bound = e.same("minimum", e.Value(w.Limit), bound)
	}
	switch {
	case count <= 0:
		w.finish(e.whole(bound.tensor, 0), w.begin)
	case count == 1 && w.Limit != nil && !w.Attrs.Stops:
		w.branch(bound)
	default:
		w.while(bound)
	}
}

// repetition is a loop that is being written.
type repetition struct {
	*exporter
	*translate.Loop[*value]
	begin []*value // of the carried values, and of the values of all steps
}

// step writes the body into a block, from the inputs of a step, and returns the step's results.
func (w *repetition) step(body *block, given []*value) (handed []*value) {
	var stacks []*value
	handed = w.Step(w.Loop, body, given, func(i int, part *value) {
		stacks = append(stacks, w.store(given[len(w.Carried)+i], part, w.Position))
	})
	return append(handed, stacks...)
}

// finish takes the results of the loop.
func (w *repetition) finish(steps *value, out []*value) {
	w.Steps, w.Final = steps, out[:len(w.Carried)]
	for i, s := range w.Stacks {
		w.Stacked[s] = out[len(w.Carried)+i]
	}
}

// claims adds the results of checks in a loop's body to a block.
func (w *repetition) claims(checks []check, out []*value) {
	for i, c := range checks {
		w.block.checks = append(w.block.checks, check{out[i], c.message, c.at})
	}
}

// branch writes a loop of one step or none.
func (w *repetition) branch(bound *value) {
	zero := w.whole(bound.tensor, 0)
	taken := w.compare("GT", bound, zero)
	w.Position = zero
	then, otherwise := newBlock("stablehlo.return"), newBlock("stablehlo.return")
	then.out = w.step(then, w.begin)
	otherwise.out = slices.Clone(w.begin)
	for _, c := range then.checks {
		then.out = append(then.out, c.holds)
		w.within(otherwise, func() { otherwise.out = append(otherwise.out, w.splat(c.holds.tensor, 1)) })
	}
	out := w.append("stablehlo.if", typesOf(then.out), nil, []*block{then, otherwise}, []*value{taken}).out
	w.finish(w.convert(taken, graph.Int64), out)
	w.claims(then.checks, out[len(w.begin):])
}

// while writes a loop of any number of steps. It carries the number of steps taken, the carried values, those of all
// steps, and whether the checks of the body have held.
func (w *repetition) while(bound *value) {
	body := newBlock("stablehlo.return")
	begin := append([]*value{w.whole(bound.tensor, 0)}, w.begin...)
	for _, v := range begin {
		body.argument(v.tensor)
	}
	taken := body.args[0]
	w.within(body, func() {
		if w.Position = taken; w.Attrs.Body.Reverse() {
			w.Position = w.same("subtract", w.same("subtract", bound, w.whole(bound.tensor, 1)), taken)
		}
	})
	handed := w.step(body, body.args[1:])
	w.within(body, func() {
		body.out = append([]*value{w.same("add", taken, w.whole(taken.tensor, 1))}, handed...)
		for _, c := range body.checks {
			body.out = append(body.out, w.same("and", body.argument(c.holds.tensor), c.holds))
		}
	})
	for _, c := range body.checks {
		begin = append(begin, w.splat(c.holds.tensor, 1))
	}
	goesOn := newBlock("stablehlo.return")
	for _, v := range begin {
		goesOn.argument(v.tensor)
	}
	w.within(goesOn, func() {
		more := w.compare("LT", goesOn.args[0], bound)
		if w.Attrs.Stops {
			more = w.same("and", more, goesOn.args[w.Attrs.Carried])
		}
		goesOn.out = []*value{more}
	})
	out := w.append("stablehlo.while", typesOf(begin), nil, []*block{goesOn, body}, begin).out
	w.finish(out[0], out[1:])
	w.claims(body.checks, out[1+len(w.begin):])
}

func typesOf(list []*value) []tensor {
	types := make([]tensor, len(list))
	for i, v := range list {
		types[i] = v.tensor
	}
	return types
}
