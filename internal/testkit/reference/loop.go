package reference

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// steps is the state of a loop: the position of the step and its inputs, how many steps were taken, and the results of
// the last one.
type steps struct {
	position int
	given    []tensor
	taken    int
	final    []tensor
}

// loop evaluates a node that belongs to a loop.
func (e *evaluator) loop(n *graph.Node, a graph.LoopAttrs) (tensor, error) {
	switch a.Role {
	case graph.LoopCarried:
		return e.steps[a.Body].given[a.Index], nil
	case graph.LoopStep:
		return scalarOf(int64(e.steps[a.Body].position)), nil
	case graph.LoopElement:
		x, err := e.value(n.In(0))
		if err != nil {
			return tensor{}, err
		}
		return e.part(x, e.steps[a.Body].position)
	case graph.LoopEnd:
		s, err := e.run(n, a, nil)
		if err != nil {
			return tensor{}, err
		}
		e.steps[a.Body] = s
		return scalarOf(int64(s.taken)), nil
	case graph.LoopFinal:
		if _, err := e.value(n.In(0)); err != nil {
			return tensor{}, err
		}
		return e.steps[a.Body].final[a.Index], nil
	case graph.LoopStack:
		return e.stack(n, a)
	}
	return tensor{}, fmt.Errorf("the role %s has no meaning here", a.Role)
}

func scalarOf(v int64) tensor {
	return tensor{graph.Int64, []cell{intCell(v)}, graph.RowMajor(graph.Shape{})}
}

// first returns the only element of a scalar.
func (e *evaluator) first(t tensor) int64 {
	r, err := e.reader(t)
	if err != nil {
		return 0
	}
	return r.at(nil).int()
}

// part returns x[at].
func (e *evaluator) part(x tensor, at int) (tensor, error) {
	r, err := e.reader(x)
	if err != nil {
		return tensor{}, err
	}
	all, size := r.all(), 1
	for _, d := range r.shape[1:] {
		size *= d
	}
	return tensor{x.dtype, all[at*size : (at+1)*size], graph.RowMajor(x.layout.Shape[1:])}, nil
}

// run goes through the steps of a loop. It calls each with the position of every step while the inputs of the step are
// known.
func (e *evaluator) run(end *graph.Node, a graph.LoopAttrs, each func(position int) error) (*steps, error) {
	count, err := e.ints([]graph.Dim{a.Body.Length()})
	if err != nil {
		return nil, err
	}
	in := end.Operands()
	if a.Limited {
		limit, err := e.value(in[len(in)-1])
		if err != nil {
			return nil, err
		}
		count[0] = max(min(count[0], int(e.first(limit))), 0)
	}
	s := &steps{}
	for _, x := range in[:a.Carried] {
		t, err := e.value(x.In(0))
		if err != nil {
			return nil, err
		}
		s.given = append(s.given, t)
	}
	defer e.forget(a.Body)
	for k := range count[0] {
		if a.Stops && e.first(s.given[a.Carried-1]) == 0 {
			break
		}
		if s.position = k; a.Body.Reverse() {
			s.position = count[0] - 1 - k
		}
		e.forget(a.Body)
		e.steps[a.Body] = s
		if each != nil {
			if err := each(s.position); err != nil {
				return nil, err
			}
		}
		next := make([]tensor, a.Carried)
		for i, x := range in[a.Carried : 2*a.Carried] {
			if next[i], err = e.value(x); err != nil {
				return nil, fmt.Errorf("in step %d: %w", s.position, err)
			}
		}
		s.given, s.taken = next, s.taken+1
	}
	s.final = slices.Clone(s.given)
	return s, nil
}

// forget drops the values of a body.
func (e *evaluator) forget(body *graph.Region) {
	for n := range e.known {
		if n.Region() != nil && body.Holds(n.Region()) {
			delete(e.known, n)
		}
	}
}

// stack runs the loop again and keeps a value of all steps; it is 0 for steps that were not taken.
func (e *evaluator) stack(n *graph.Node, a graph.LoopAttrs) (tensor, error) {
	end, x := n.In(0), n.In(1)
	of, _ := end.Loop()
	shape, err := e.ints(n.Shape())
	if err != nil {
		return tensor{}, err
	}
	size := 1
	for _, d := range shape[1:] {
		size *= d
	}
	t := tensor{dtype: n.DType(), store: make([]cell, shape[0]*size), layout: graph.RowMajor(n.Shape())}
	outer := e.steps[a.Body]
	_, err = e.run(end, of, func(position int) error {
		v, err := e.value(x)
		if err != nil {
			return err
		}
		r, err := e.reader(v)
		if err != nil {
			return err
		}
		copy(t.store[position*size:], r.all())
		return nil
	})
	e.steps[a.Body] = outer
	return t, err
}
