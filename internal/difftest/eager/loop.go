package eager

import "slices"

func init() { Entries["Scan"] = (*Machine).scan }

// scan computes the body of a step for each position on axis I[0] of its first operand, from the last
// one on if I[2] is 1. The next I[1] operands are what the first step is given, the others are the same
// in all steps. What comes out are the last values that are handed on, and the last value of the body
// of all steps: see [Step]. Where a value of the body has none, what does not depend on it has.
func (m *Machine) scan(s *Step, x []*Tensor) []*Tensor {
	axis, carried := x[0].axis(s.I[0]), s.I[1]
	state, outer := x[1:1+carried], x[1+carried:]
	kept := make([]*Tensor, x[0].Shape[axis])
	for i := range kept {
		t := i
		if s.I[2] == 1 {
			t = len(kept) - 1 - i
		}
		local := slices.Concat(state, one(x[0].selected(axis, t)), outer)
		for k := range s.Body {
			out, err := m.Do(&s.Body[k], local)
			if err != nil {
				out = one(failed(err))
			}
			local = append(local, out...)
		}
		state, kept[t] = local[len(local)-carried:], local[len(local)-1]
		if kept[t].err == nil {
			kept[t] = kept[t].unsqueezed(axis)
		}
	}
	all := dense(x[0].T, x[0].Shape, nil)
	switch {
	case len(kept) == 0:
	case kept[0].err != nil:
		all = kept[0]
	default:
		all = m.joined(axis, kept...)
	}
	return append(slices.Clone(state), all)
}
