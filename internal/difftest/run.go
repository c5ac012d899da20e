package difftest

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// runs runs the program at all bindings, at the foreign ones, and at the first again.
func (c *checker) runs() {
	hash := fnv.New64a()
	all := len(c.p.Bindings) + len(c.p.Foreign)
	for k := range all + 1 {
		if c.v.Binding = k % all; k > 0 && !c.told() {
			c.open()
		}
		c.state = nil
		for again := range c.p.Again + 1 {
			if !c.once(again > 0, hash) {
				return
			}
			if c.state = c.left; c.state == nil {
				break
			}
		}
	}
	c.v.Binding, c.v.Hash = 0, hash.Sum64()
}

// once runs the program in all sessions and reports whether they agree with the evaluator.
func (c *checker) once(again bool, hash hash.Hash64) bool {
	c.directions()
	want, errWant := c.wanted(&eager.Machine{})
	c.left = nil
	if isElements(errWant) || again && errWant == nil && want.wild {
		return true // parameters have become such as no program begins with
	}
	var got []exec.Array
	refused := 0
	for i, s := range c.sessions {
		have, err := c.run(s, again)
		switch {
		case err != nil && (errWant != nil || c.isForeign() && isAboutSizes(err)):
			if refused++; c.started && !c.unchanged(s) {
				c.v.Fault, c.v.Detail = "a run that was refused has written", err.Error()
				return false
			}
			continue
		case err != nil && c.mayRefuse(err):
			c.v.Refused, c.v.Detail = "run", err.Error()
			return false
		case err != nil:
			c.refused("run", err)
			return false
		case errWant != nil:
			c.v.Fault, c.v.Detail = "runs though it has no value", errWant.Error()
			return false
		case got == nil:
			got = have
		case !same(got, have):
			c.v.Fault, c.v.Detail = "threads", fmt.Sprintf("1 thread: %v\n%d threads: %v", got, threads[i], have)
			return false
		}
		c.v.Runs++
	}
	if refused > 0 && refused < len(c.sessions) {
		c.v.Fault = "threads: some sessions refuse these sizes"
		return false
	}
	for _, a := range got {
		writeBits(hash, a)
	}
	return got == nil || c.agree(got, want)
}

// isElements reports whether a program has no value because of elements, not sizes.
func isElements(err error) bool { return errors.Is(err, eager.ErrElements) }

// isForeign reports whether the program may have no value at the sizes of this run.
func (c *checker) isForeign() bool { return c.v.Binding >= len(c.p.Bindings) }

// data returns the elements of an input, or those that the last run left in a parameter.
func (c *checker) data(id int) []float64 {
	if c.state != nil && c.state[id] != nil {
		return c.state[id]
	}
	return c.p.Draw(id, c.v.Binding)
}

// array makes the value that input id, or one of its shape, is fed.
func (c *checker) array(id int, data []float64) exec.Array {
	in := c.p.Inputs[id]
	shape := make([]int, len(in.Shape))
	for i, d := range in.Shape {
		shape[i] = d.Eval(c.p.Sizes(c.v.Binding))
	}
	return array(in.T, shape, data)
}

// run runs the program in a session and returns the outputs and the inputs after the run. The parameters are the
// initial ones or, again, those that the last run has left.
func (c *checker) run(s *exec.Session, again bool) (list []exec.Array, err error) {
	feed := exec.Feed{}
	c.started = false
	for id, in := range c.p.Inputs {
		if !in.Param {
			feed[c.b.values[id]] = c.array(id, c.data(id))
		} else if !again {
			if err := s.SetParam(c.b.values[id], c.array(id, c.data(id))); err != nil {
				return nil, err
			}
		}
	}
	for i, u := range c.b.along {
		id := c.p.Gradient.Wrt[i]
		feed[u] = c.array(id, c.a[id])
	}
	c.started = true
	r, err := s.Run(context.Background(), feed)
	if err != nil {
		return nil, err
	}
	after, err := c.after(s, feed)
	if err != nil {
		return nil, err
	}
	put := func(n *graph.Node) {
		a, e := r.Array(n)
		list, err = append(list, a.Clone()), errors.Join(err, e)
	}
	for _, k := range c.p.Outputs {
		put(c.b.values[k])
	}
	for i, n := range c.b.first {
		if id := c.p.Gradient.Wrt[i]; c.p.Gradient.Steps(c.p, id) {
			list = append(list, c.descended(id))
		} else {
			put(n)
		}
	}
	for _, n := range c.b.second {
		put(n)
	}
	return append(list, after...), err
}

// after returns the inputs after a run, except parameters that were lowered by their gradients, and keeps the
// parameters.
func (c *checker) after(s *exec.Session, feed exec.Feed) (list []exec.Array, err error) {
	c.left = make([][]float64, len(c.p.Inputs))
	for id, in := range c.p.Inputs {
		a, fed := feed[c.b.values[id]].(exec.Array)
		if !fed {
			if a, err = s.Param(c.b.values[id]); err != nil {
				return nil, err
			}
		}
		if in.Param {
			cells, _ := cellsOf(a)
			c.left[id] = make([]float64, len(cells))
			for i, v := range cells {
				if c.left[id][i] = v.V; !in.T.IsFloat() { // a sum would make 0 of -0
					c.left[id][i] = float64(v.I)
				}
			}
		}
		if !c.p.Gradient.Steps(c.p, id) {
			list = append(list, a)
		}
	}
	return list, nil
}

// descended returns the gradient by which a parameter was lowered.
func (c *checker) descended(id int) exec.Array {
	g := slices.Clone(c.data(id))
	for i, v := range c.left[id] {
		g[i] = (g[i] - v) / c.p.Gradient.Rate
	}
	return c.array(id, g)
}

// unchanged reports whether the parameters are as they were before a run.
func (c *checker) unchanged(s *exec.Session) bool {
	for id, in := range c.p.Inputs {
		if !in.Param {
			continue
		}
		a, err := s.Param(c.b.values[id])
		if err != nil || !same([]exec.Array{a}, []exec.Array{c.array(id, c.data(id))}) {
			return false
		}
	}
	return true
}
