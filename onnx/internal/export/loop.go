package export

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
)

// loop is a loop that is being written, or was.
type loop struct {
	position *value   // of the step, in the body
	final    []*value // the carried values after the last step
	steps    *value   // how many were taken
	stacks   map[*graph.Node]*value
}

// loopNode computes a node of a loop's own.
func (e *exporter) loopNode(n *graph.Node, a graph.LoopAttrs) *value {
	switch a.Role {
	case graph.LoopStep:
		return e.frame.loops[a.Body].position
	case graph.LoopElement:
		return e.element(e.value(n.In(0)), e.frame.loops[a.Body].position)
	case graph.LoopEnd:
		return e.run(n, a).steps
	case graph.LoopFinal:
		e.value(n.In(0))
		return e.frame.loops[a.Body].final[a.Index]
	case graph.LoopStack:
		e.value(n.In(0))
		return e.frame.loops[a.Body].stacks[n]
	}
	return e.fail(n, "is outside the loop that carries it")
}

// element returns x[at]. It is picked before a conversion: ONNX Runtime loses the result of a Cast to float16 that only
// a body reads.
func (e *exporter) element(x, at *value) *value {
	if x.def != nil && x.def.op == "Cast" {
		return e.cast(e.element(x.def.in[0], at), x.dtype)
	}
	return e.gather(x, at, 0)
}

// written is a loop on its way into the model.
type written struct {
	*exporter
	*loop
	attrs         graph.LoopAttrs
	carried, next []*graph.Node
	stacks        []*graph.Node
	begin         []*value // of the carried values
}

// run writes a loop: as an If where it has one step at most, else as a Loop.
func (e *exporter) run(end *graph.Node, a graph.LoopAttrs) *loop {
	carried, next, limit := loopop.CarriedOf(end)
	l := &loop{stacks: map[*graph.Node]*value{}}
	e.frame.loops[a.Body] = l
	w := &written{exporter: e, loop: l, attrs: a, stacks: e.frame.stacks[end], carried: carried, next: next}
	for _, x := range carried {
		w.begin = append(w.begin, e.value(x.In(0)))
	}
	count := e.dim(a.Body.Length())
	bound := e.size(count)
	if limit != nil {
		bound = e.same("Min", e.value(limit), bound)
	}
	if count == 1 && limit != nil && !a.Stops && len(w.stacks) == 0 {
		w.branch(bound)
	} else {
		w.repeat(bound, count, limit != nil || a.Stops)
	}
	return l
}

// step writes the body into a block, from what the step is given, and returns what it hands on, and what it gives of
// its own.
func (w *written) step(body *block, given []*value) (handed, each []*value) {
	w.frame.bodies[w.attrs.Body] = body
	defer delete(w.frame.bodies, w.attrs.Body)
	w.within(body, func() {
		for i, x := range w.carried {
			w.frame.values[x] = given[i]
		}
		for _, x := range w.next {
			handed = append(handed, w.value(x))
		}
		for _, s := range w.stacks {
			each = append(each, w.value(s.In(1)))
		}
	})
	return handed, each
}

// own makes values of a body that are computed elsewhere, or given back twice, results of the body.
func (w *written) own(body *block, list []*value) []*value {
	out := slices.Clone(list)
	w.within(body, func() {
		for i, v := range out {
			if v.def == nil || !slices.Contains(body.body, v.def) || slices.Contains(out[:i], v) {
				out[i] = w.apply("Identity", v.tensor, nil, v)
			}
		}
	})
	return out
}

// branch writes a loop of one step or none.
func (w *written) branch(bound *value) {
	zero := w.whole(graph.Int64, 0)
	taken := w.compare("Greater", bound, zero)
	w.position = zero
	then, otherwise := &block{}, &block{}
	handed, _ := w.step(then, w.begin)
	then.out, otherwise.out = w.own(then, handed), w.own(otherwise, w.begin)
	w.steps = w.cast(taken, graph.Int64)
	if len(w.begin) == 0 {
		return
	}
	w.final = w.append("If", w.types(), nil, []inner{{"then_branch", then}, {"else_branch", otherwise}},
		[]*value{taken}).out
}

func (w *written) types() (list []tensor) {
	for _, v := range w.begin {
		list = append(list, v.tensor)
	}
	return list
}

// repeat writes a loop of any number of steps. It carries the number of steps taken where that is not known before.
func (w *written) repeat(bound *value, count graph.Dim, isOpen bool) {
	body := &block{}
	taken := body.argument(tensor{graph.Int64, graph.Shape{}})
	goesOn := body.argument(tensor{graph.Bool, graph.Shape{}})
	begin := slices.Clone(w.begin)
	if w.attrs.Stops {
		begin = append(begin, w.whole(graph.Int64, 0))
	}
	for _, v := range begin {
		body.argument(v.tensor)
	}
	w.within(body, func() {
		if w.position = taken; w.attrs.Body.Reverse() {
			w.position = w.same("Sub", w.same("Sub", bound, w.whole(graph.Int64, 1)), taken)
		}
	})
	handed, each := w.step(body, body.args[2:2+len(w.begin)])
	more := goesOn
	first := w.number(graph.Bool, 1)
	if w.attrs.Stops {
		first, more = w.begin[w.attrs.Carried-1], handed[w.attrs.Carried-1]
		w.within(body, func() { handed = append(handed, w.same("Add", taken, w.whole(graph.Int64, 1))) })
	}
	body.out = w.own(body, slices.Concat([]*value{more}, handed, each))
	var types []tensor
	for _, v := range begin {
		types = append(types, v.tensor)
	}
	rows := count
	if isOpen {
		rows = graph.SymbolicDim("steps_taken")
	}
	for _, v := range each {
		types = append(types, tensor{v.dtype, append(graph.Shape{rows}, v.shape...)})
	}
	if len(types) == 0 {
		w.steps = bound
		return
	}
	out := w.append("Loop", types, nil, []inner{{"body", body}}, append([]*value{bound, first}, begin...)).out
	w.final, w.steps = out[:len(w.begin)], bound
	if w.attrs.Stops {
		w.steps = out[len(w.begin)]
	}
	for i, s := range w.stacks {
		w.loop.stacks[s] = w.stack(out[len(begin)+i], bound, count, isOpen)
	}
}

// stack brings what the steps have given into the order of their positions, and fills up what no step has given.
func (w *written) stack(x, bound *value, count graph.Dim, isOpen bool) *value {
	reverse := w.attrs.Body.Reverse()
	one := graph.Shape{1}
	steps := w.reshape(w.steps, one)
	if inner := x.shape[1:]; len(symbolsOf(inner)) > 0 && (isOpen || !w.hasElements(count)) {
		// of no steps, ONNX Runtime does not know these sizes
		x = w.apply("Reshape", x.tensor, attrs{attrInt("allowzero", 1)}, x, w.concat(0, steps, w.sizes(inner)))
	}
	if reverse {
		x = w.flip(x, 0)
	}
	if !isOpen {
		return x
	}
	all, end := w.reshape(w.size(count), one), w.reshape(bound, one)
	before := w.ints([]int64{0})
	if reverse { // the first step stands at bound-1
		before = w.same("Sub", end, steps)
	}
	after := w.same("Sub", w.same("Sub", all, steps), before)
	others := w.ints(make([]int64, len(x.shape)-1))
	pads := w.concat(0, before, others, after, others)
	shape := slices.Clone(x.shape)
	shape[0] = count
	return w.exporter.carried("Pad", x.dtype, func(c func(*value) *value) *value {
		return w.apply("Pad", tensor{heldBy("Pad", x.dtype), shape}, nil, c(x), pads, c(w.number(x.dtype, 0)))
	})
}
