package exec_test

import (
	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// write changes a value, or a view of it, in place. Values of the same memory mostly move on
// to its new state; some still name the old one.
func (p *program) write() {
	x := p.pick()
	memory := alias.Storage(x)
	held := memory.IsParam() || memory.IsMutable()
	if memory.Op().Class == graph.Source && !held {
		x = ops.Copy(x)
		memory = x
		p.nodes = append(p.nodes, x)
	}
	dest := p.view(x)
	if dest.Err() != nil || alias.Storage(dest) != memory {
		return // a repeated value: its copy would be written
	}
	w := p.written(dest)
	if w == nil || w.Err() != nil {
		return
	}
	for i, n := range p.nodes {
		if alias.Storage(n) == memory && p.rng.IntN(10) > 0 {
			p.nodes[i] = ops.After(n, w)
		}
	}
	if held {
		p.state[memory] = w
	}
	p.nodes = append(p.nodes, w)
}

// view returns a value or a part of it where it lies.
func (p *program) view(x *graph.Node) *graph.Node {
	for range p.rng.IntN(3) {
		switch kind := p.rng.IntN(6); {
		case x.Rank() == 0 || x.Err() != nil:
		case kind == 0:
			x = ops.Select(x, p.axis(x), 0)
		case kind == 1:
			x = ops.Slice(x, p.axis(x), 0, ops.End, 2)
		case kind == 2:
			x = ops.Transpose(x, p.axis(x), p.axis(x))
		case kind == 3:
			x = ops.Unsqueeze(x, p.rng.IntN(x.Rank()+1))
		case kind == 4:
			s := x.Shape()
			x = ops.AsStrided(x, graph.Shape{s[p.axis(x)]}, []graph.Dim{1}, 0)
		case x.Rank() >= 2:
			x = ops.Diagonal(x, 0, x.Rank()-2, x.Rank()-1)
		}
	}
	return x
}

// written writes something into a value; nil where the operand drawn does not fit.
func (p *program) written(dest *graph.Node) *graph.Node {
	y := p.partner(dest)
	if y == nil {
		return nil
	}
	switch p.rng.IntN(6) {
	case 0:
		return ops.CopyInPlace(dest, graph.Num(0.25))
	case 1:
		return ops.InPlace(ops.Lookup("tanh"), nil, dest)
	case 2:
		return ops.MulInPlace(dest, ops.Tanh(dest))
	case 3:
		y = ops.Sin(ops.Cast(y, p.float))
	}
	if !stretches(y.Shape(), dest.Shape()) || rules.NeedsCopy(dest, y) {
		return nil
	}
	if p.rng.IntN(3) == 0 {
		return ops.CopyInPlace(dest, y)
	}
	return ops.AddInPlace(dest, y)
}

// stretches reports whether broadcasting repeats one shape to another.
func stretches(from, to graph.Shape) bool {
	if len(from) > len(to) {
		return false
	}
	for i, d := range from {
		if d != 1 && d != to[len(to)-len(from)+i] {
			return false
		}
	}
	return true
}

// wanted lists the outputs of a program.
type wanted struct {
	outputs  []*graph.Node // and at last a loss
	by       []*graph.Node // with respect to which it is differentiated
	velocity []*graph.Node // of those, as far as they are parameters that have one
	writes   []*graph.Node // the last write of each parameter and input that is written
}

// lists returns the lists of nodes, to be changed together.
func (w *wanted) lists() []*[]*graph.Node {
	return []*[]*graph.Node{&w.outputs, &w.by, &w.velocity, &w.writes}
}

func (p *program) finish() (w wanted) {
	w.outputs = []*graph.Node{p.pick(), p.pick(), p.nodes[len(p.nodes)-1]}
	loss := ops.Mean(ops.Tanh(p.floats()))
	for range 2 {
		loss = ops.Add(loss, ops.Sum(ops.Sin(p.floats())))
	}
	for _, n := range append(p.g.Inputs(), p.g.Params()...) {
		write, written := p.state[n]
		switch {
		case written:
			w.writes = append(w.writes, write)
		case n.DType().IsFloat() && !p.isVelocity(n):
			w.by, w.velocity = append(w.by, n), append(w.velocity, p.velocity[n])
			if n.IsParam() {
				loss = ops.Add(loss, ops.Sum(ops.Sin(n)))
			}
		}
	}
	w.outputs = append(w.outputs, loss)
	return w
}

// isVelocity reports whether a parameter belongs to another one.
func (p *program) isVelocity(n *graph.Node) bool {
	for _, v := range p.velocity {
		if v == n {
			return true
		}
	}
	return false
}

// complete adds gradients to the outputs, and steps of the parameters to the writes.
func (w wanted) complete(feeds map[*graph.Node]reference.Value) work {
	grads := autodiff.Grad(w.outputs[len(w.outputs)-1], w.by, autodiff.ZeroForUnused())
	writes := w.writes
	for i, n := range w.by {
		step := ops.Tanh(grads[i]) // parameters stay small
		if v := w.velocity[i]; v != nil {
			step = ops.AddInPlace(ops.MulInPlace(v, graph.Num(0.75)), step)
			writes = append(writes, step)
		}
		if n.IsParam() {
			writes = append(writes, ops.SubInPlace(n, ops.Mul(step, graph.Num(0.25))))
		}
	}
	return work{append(w.outputs, grads...), writes, feeds}
}
