package export

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/translate"
)

// Element returns x[at]. It is picked before a conversion: ONNX Runtime loses the result of a Cast to float16 that only
// a body reads.
func (e *exporter) Element(x, at *value) *value {
	if x.def != nil && x.def.op == "Cast" {
		return e.cast(e.Element(x.def.in[0], at), x.dtype)
	}
	return e.gather(x, at, 0)
}

// repetition is a loop that is being written.
type repetition struct {
	*exporter
	*translate.Loop[*value]
	begin []*value // of the carried values
}

// Repeat writes a loop: as an If if it has at most one step, else as a Loop.
func (e *exporter) Repeat(l *translate.Loop[*value]) {
	w := &repetition{exporter: e, Loop: l, begin: e.First(l)}
	count := e.dim(w.Attrs.Body.Length())
	bound := e.size(count)
	if w.Limit != nil {
		bound = e.same("Min", e.Value(w.Limit), bound)
	}
	if count == 1 && w.Limit != nil && !w.Attrs.Stops && len(w.Stacks) == 0 {
		w.branch(bound)
	} else {
		w.repeat(bound, count, w.Limit != nil || w.Attrs.Stops)
	}
}

// step writes the body into a block, from the inputs of a step, and returns the carried values of the next step and the
// step's own results.
func (w *repetition) step(body *block, given []*value) (next, own []*value) {
	next = w.Step(w.Loop, body, given, func(_ int, part *value) { own = append(own, part) })
	return next, own
}

// own makes values of a body that are computed elsewhere, or given back twice, results of the body.
func (w *repetition) own(body *block, list []*value) []*value {
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
func (w *repetition) branch(bound *value) {
	zero := w.whole(graph.Int64, 0)
	taken := w.compare("Greater", bound, zero)
	w.Position = zero
	then, otherwise := &block{}, &block{}
	handed, _ := w.step(then, w.begin)
	then.out, otherwise.out = w.own(then, handed), w.own(otherwise, w.begin)
	w.Steps = w.cast(taken, graph.Int64)
	if len(w.begin) == 0 {
		return
	}
	w.Final = w.append("If", w.types(), nil, []inner{{"then_branch", then}, {"else_branch", otherwise}},
		[]*value{taken}).out
}

func (w *repetition) types() (list []tensor) {
	for _, v := range w.begin {
		list = append(list, v.tensor)
	}
	return list
}

// repeat writes a loop of any number of steps. It carries the number of steps taken where that is not known before.
func (w *repetition) repeat(bound *value, count graph.Dim, isOpen bool) {
	body := &block{}
	taken := body.argument(tensor{graph.Int64, graph.Shape{}})
	goesOn := body.argument(tensor{graph.Bool, graph.Shape{}})
	begin := slices.Clone(w.begin)
	if w.Attrs.Stops {
		begin = append(begin, w.whole(graph.Int64, 0))
	}
	for _, v := range begin {
		body.argument(v.tensor)
	}
	w.within(body, func() {
		if w.Position = taken; w.Attrs.Body.Reverse() {
			w.Position = w.same("Sub", w.same("Sub", bound, w.whole(graph.Int64, 1)), taken)
		}
	})
	handed, each := w.step(body, body.args[2:2+len(w.begin)])
	more := goesOn
	first := w.number(graph.Bool, 1)
	if w.Attrs.Stops {
		first, more = w.begin[w.Attrs.Carried-1], handed[w.Attrs.Carried-1]
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
		w.Steps = bound
		return
	}
	out := w.append("Loop", types, nil, []inner{{"body", body}}, append([]*value{bound, first}, begin...)).out
	w.Final, w.Steps = out[:len(w.begin)], bound
	if w.Attrs.Stops {
		w.Steps = out[len(w.begin)]
	}
	for i, s := range w.Stacks {
		w.Stacked[s] = w.stack(out[len(begin)+i], bound, count, isOpen)
	}
}

// stack brings what the steps have given into the order of their positions, and fills up what no step has given.
func (w *repetition) stack(x, bound *value, count graph.Dim, isOpen bool) *value {
	reverse := w.Attrs.Body.Reverse()
	one := graph.Shape{1}
	steps := w.reshape(w.Steps, one)
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
