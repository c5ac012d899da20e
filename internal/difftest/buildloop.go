package difftest

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest/eager"
	"github.com/broadloom/broadloom/ops"
)

// control returns the arguments of a step with bodies, by its word.
func (b *built) control(word string, s *eager.Step) []argument {
	in, known := b.operands(s)
	carried := s.I[0]
	switch word {
	case "loop":
		loop := ops.Loop{}
		if carried = s.I[1]; known {
			loop = ops.Loop{Over: in[:1], Axis: s.I[0], Reverse: s.I[2] == 1, Carry: in[1 : 1+carried]}
		}
		body := func(carry, x []*graph.Node) (next, out []*graph.Node) {
			next = b.inner(s.Body, carried, carry, x, in[1+carried:])
			return next, next[carried-1:]
		}
		return []argument{{loop, goLoop(s)}, {body, goScanBody(s)}}
	case "fori":
		carry, body := b.counted(s, in, known)
		return []argument{{carry, goNodes(s.In[:carried])}, {body, goStepBody(s)}}
	case "while":
		carry, body := b.counted(s, in, known)
		cond := func(carry []*graph.Node) *graph.Node { return b.inner(s.Else, 1, carry, in[carried:])[0] }
		return []argument{{carry, goNodes(s.In[:carried])}, {cond, goCondition(s)}, {body, goStepBody(s)}}
	}
	branch := func(steps []eager.Step) func() []*graph.Node {
		return func() []*graph.Node { return b.inner(steps, carried, in[1:]) }
	}
	return []argument{{branch(s.Body), goBranch(s, s.Body)}, {branch(s.Else), goBranch(s, s.Else)}}
}

// counted returns the initial carried values of a loop that counts its steps, and its body.
func (b *built) counted(s *eager.Step, in []*graph.Node, known bool) ([]*graph.Node,
	func(*graph.Node, []*graph.Node) []*graph.Node) {
	carried := s.I[0]
	body := func(step *graph.Node, carry []*graph.Node) []*graph.Node {
		return b.inner(s.Body, carried, carry, []*graph.Node{step}, in[carried:])
	}
	if !known {
		return nil, body
	}
	return in[:carried:carried], body
}

// operands returns the operands of a step, and whether there are any: a step that is only written as text has none.
func (b *built) operands(s *eager.Step) (in []*graph.Node, known bool) {
	for _, k := range s.In {
		if k >= len(b.values) {
			return nil, false
		}
		in = append(in, b.values[k])
	}
	return in, b.g != nil
}

// inner builds the steps of a body, whose first values are given, and returns the last ones.
func (b *built) inner(steps []eager.Step, last int, given ...[]*graph.Node) []*graph.Node {
	body := &built{g: b.g, values: slices.Concat(given...)}
	for i := range steps {
		body.values = append(body.values, body.step(&steps[i])...)
	}
	end := len(body.values)
	return body.values[end-last : end : end]
}
