package eager

import "slices"

func init() {
	Entries["Scan"] = (*Machine).scan
	Entries["Fori"] = (*Machine).fori
	Entries["While"] = (*Machine).while
	Entries["Cond"] = (*Machine).cond
}

// scan computes the body of a step for each position on axis I[0] of its first operand, from the last one if I[2] is 1.
// The next I[1] operands are the initial carried values; the others are the same in all steps. A body gets the carried
// values, the step's part, and the others. The results are the last carried values, and the last value of the body in
// all steps. If a value of the body is undefined, results that do not depend on it are still defined.
func (m *Machine) scan(s *Step, x []*Tensor) []*Tensor {
	axis, carried := x[0].axis(s.I[0]), s.I[1]
	state, outer := x[1:1+carried], x[1+carried:]
	kept := make([]*Tensor, x[0].Shape[axis])
	for i := range kept {
		t := i
		if s.I[2] == 1 {
			t = len(kept) - 1 - i
		}
		state = m.body(s.Body, carried, state, one(x[0].selected(axis, t)), outer)
		if kept[t] = state[carried-1]; kept[t].err == nil {
			kept[t] = kept[t].unsqueezed(axis)
		}
	}
	all := dense(x[0].T, x[0].Shape, nil)
	switch {
	case len(kept) == 0: // what each step gives has the shape of what it hands on
		if last := state[carried-1]; last.err == nil && axis <= len(last.Shape) {
			all = dense(last.T, slices.Insert(slices.Clone(last.Shape), axis, 0), nil)
		}
	case kept[0].err != nil:
		all = kept[0]
	default:
		all = m.joined(axis, kept...)
	}
	return append(copies(state), all)
}

// fori computes the body S[0] times. The first I[0] operands are the initial carried values; a body gets the carried
// values, the number of the step, and the other operands.
func (m *Machine) fori(s *Step, x []*Tensor) []*Tensor {
	state, outer := x[:s.I[0]], x[s.I[0]:]
	for i := range s.S[0].Eval(m.At) {
		state = m.body(s.Body, s.I[0], state, one(whole(i)), outer)
	}
	return copies(state)
}

// while computes the body as long as Else, which gets no number of the step, is true, at most S[0] times. It returns
// the number of steps too.
func (m *Machine) while(s *Step, x []*Tensor) []*Tensor {
	state, outer := x[:s.I[0]], x[s.I[0]:]
	steps := 0
	for ; steps < s.S[0].Eval(m.At) && m.holds(m.body(s.Else, 1, state, outer)[0]); steps++ {
		state = m.body(s.Body, s.I[0], state, one(whole(steps)), outer)
	}
	return append(copies(state), whole(steps))
}

// cond computes the body if the first operand is true, and Else if not: I[0] values.
func (m *Machine) cond(s *Step, x []*Tensor) []*Tensor {
	if m.holds(x[0]) {
		return copies(m.body(s.Body, s.I[0], x[1:]))
	}
	return copies(m.body(s.Else, s.I[0], x[1:]))
}

// body computes the steps of a body, whose first values are given, and returns the last ones.
func (m *Machine) body(steps []Step, last int, given ...[]*Tensor) []*Tensor {
	local := slices.Concat(given...)
	for k := range steps {
		out, err := m.Do(&steps[k], local)
		if err != nil {
			out = slices.Repeat(one(failed(err)), steps[k].N)
		}
		local = append(local, out...)
	}
	return slices.Clone(local[len(local)-last:])
}

// holds reports whether a condition is true.
func (m *Machine) holds(x *Tensor) bool {
	if x.err != nil {
		panic(cause{x.err})
	}
	return x.Cells()[0].I != 0
}

// copies returns values in separate memory.
func copies(list []*Tensor) []*Tensor {
	out := make([]*Tensor, len(list))
	for i, x := range list {
		if out[i] = x; x.err == nil {
			out[i] = dense(x.T, x.Shape, x.Cells())
		}
	}
	return out
}

// whole is a number of steps.
func whole(i int) *Tensor { return dense(Int64, nil, []Cell{{I: int64(i)}}) }
