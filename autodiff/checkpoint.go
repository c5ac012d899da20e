package autodiff

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/internal/nodecopy"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// Checkpoint returns f(x). Its gradient recomputes the values inside f instead of keeping them in memory from the
// forward pass. Only f's result is kept, and the values that f reads but did not build: x, and others from outside. A
// deep network in which each layer is a checkpoint needs memory for the results of all layers and the inner values of
// one, and computes each layer forward twice:
//
//	for _, layer := range layers {
//		x = autodiff.Checkpoint(x, func(x *graph.Node) *graph.Node { return layer.Apply(train, x) })
//	}
//
// The result has the same bits as f(x), and so have gradients of any order, except that the gradients of a value which
// f reads several times are summed in a different order. Random numbers that f draws are the same when they are
// recomputed. Results of operations that must not run twice are kept: ops.Print, ops.Callback, in-place writes, and
// loops with these in their bodies. Other values that f builds and that are read outside it, such as the new statistics
// of a batch norm, are kept too.
//
// It is torch.utils.checkpoint and jax.checkpoint (T. Chen et al., "Training Deep Nets with Sublinear Memory Cost",
// 2016). Mistakes are recorded in the graph.
func Checkpoint(x *graph.Node, f func(x *graph.Node) *graph.Node) *graph.Node {
	if x == nil || x.Graph() == nil || f == nil {
		return refusedCheckpoint(x, "the function is nil")
	}
	c := checkpoint{g: x.Graph(), home: x.Graph().Region(), first: len(x.Graph().Nodes())}
	forward := c.build(x, f)
	if forward == nil {
		return refusedCheckpoint(x, "the function returns nil")
	}
	switch {
	case c.found && len(c.nodes) == 0:
		// the result is itself one that is kept, or comes from outside: its gradient is its own
		return c.y
	case !c.found:
		c.reads = []*graph.Node{x}
	}
	return ops.WithGradient("Checkpoint", c.reads, forward, c.gradients)
}

// refusedCheckpoint is the result of a call that could not be built.
func refusedCheckpoint(x *graph.Node, why string) *graph.Node {
	m := &graph.Mistake{Code: graph.CodeOperand, Summary: why,
		Help: []string{"pass a func(x *graph.Node) *graph.Node that returns what it builds"}}
	return graph.Refused("Checkpoint", nil, m, x)
}

// checkpoint is the result of a function, to be computed again.
type checkpoint struct {
	g     *graph.Graph
	home  *graph.Region // that was open
	first int           // the number of its first node
	y     *graph.Node
	found bool          // whether what follows is known: of a result that stands for a mistake it is not
	reads []*graph.Node // what it was given
	nodes []*graph.Node // what is computed again, in order
	// of the loops around it, by nodes that ask for them: one of its surroundings, which is read
	steps map[*graph.Node]*graph.Node
}

// build calls the function. It returns a function that repeats its result, or its panic; nil if the result is nil.
func (c *checkpoint) build(x *graph.Node, f func(x *graph.Node) *graph.Node) (again func([]*graph.Node) *graph.Node) {
	defer func() {
		if p := recover(); p != nil {
			again = func([]*graph.Node) *graph.Node { panic(p) }
		}
	}()
	if c.y = f(x); c.y == nil {
		return nil
	}
	if c.found = c.y.Graph() == c.g && c.y.Judged(); c.found {
		c.find()
	}
	return func([]*graph.Node) *graph.Node { return c.y }
}

// find lists the nodes that lead to the result.
func (c *checkpoint) find() {
	once := c.onceOnly()
	seen := map[*graph.Node]bool{}
	list := []*graph.Node{c.y}
	for i := 0; i < len(list); i++ {
		n := list[i]
		switch {
		case n.IsConst():
		case c.isStepAround(n):
			if at := c.stepAt(n); at == n || !slices.Contains(c.reads, at) {
				c.reads = append(c.reads, at)
			}
		case c.isGiven(n, once):
			c.reads = append(c.reads, n)
		default:
			c.nodes = append(c.nodes, n)
			for _, x := range n.Operands() {
				if !seen[x] {
					seen[x] = true
					list = append(list, x)
				}
			}
		}
	}
	slices.SortFunc(c.nodes, func(a, b *graph.Node) int { return a.ID() - b.ID() })
}

// isGiven reports whether a value is kept, not computed again.
func (c *checkpoint) isGiven(n *graph.Node, once map[*graph.Region]bool) bool {
	if n.ID() < c.first || n.Op().Class == graph.Source {
		return true
	}
	a, isLoop := n.Loop()
	if isLoop && a.Role > graph.LoopEnd {
		return once[a.Body]
	}
	return !isLoop && runsOnce(n)
}

// isStepAround reports whether a node is the step of a loop around the checkpoint, which random numbers read. It is
// given: the gradient has other bodies around it, and recomputed nodes are in the innermost one.
func (c *checkpoint) isStepAround(n *graph.Node) bool {
	a, isLoop := n.Loop()
	return isLoop && a.Role == graph.LoopStep && c.isAround(a.Body)
}

// stepAt returns the step that n is, as a value outside of the checkpoint: n may be in a branch that the function has
// built.
func (c *checkpoint) stepAt(n *graph.Node) *graph.Node {
	if n.Region() == nil || c.isAround(n.Region()) {
		return n
	}
	a, _ := n.Loop()
	for known, at := range c.steps {
		if b, _ := known.Loop(); b.Body == a.Body {
			c.steps[n] = at
			return at
		}
	}
	if c.steps == nil {
		c.steps = map[*graph.Node]*graph.Node{}
	}
	c.steps[n] = loopop.Step(c.g, a.Body)
	return c.steps[n]
}

// isAround reports whether the checkpoint is in a body.
func (c *checkpoint) isAround(body *graph.Region) bool {
	for r := c.home; r != nil; r = r.Parent() {
		if r == body {
			return true
		}
	}
	return false
}

// onceOnly finds the bodies of loops that the function has built and that contain operations that may not run twice.
func (c *checkpoint) onceOnly() map[*graph.Region]bool {
	once := map[*graph.Region]bool{}
	for _, n := range c.g.Nodes()[c.first:] {
		if runsOnce(n) {
			for r := n.Region(); r != nil && r != c.home; r = r.Parent() {
				once[r] = true
			}
		}
	}
	return once
}

// runsOnce reports whether a node may not be computed twice.
func runsOnce(n *graph.Node) bool {
	return n.Op().Ordered || n.Op().Class == graph.Update || n.Op().Class == graph.Version
}

// gradients computes the function's nodes again, from values that wait for dy, and returns their gradients.
func (c *checkpoint) gradients(y, dy *graph.Node, in []*graph.Node) []*graph.Node {
	again := nodecopy.New(y.Graph(), y.Graph().WithOrigin)
	defer again.Close()
	for r := c.home; ; r = r.Parent() {
		again.Bodies[r] = y.Graph().Region()
		if r == nil {
			break
		}
	}
	for i, x := range in {
		after := dy
		if w := alias.Viewed(x); w.IsParam() && w.Rank() > 0 {
			after = x // weights are at hand anyway, and products have them laid out
		}
		again.Copies[c.reads[i]] = ops.Barrier(x, after)
	}
	for n, at := range c.steps {
		again.Copies[n] = again.Copies[at]
	}
	for _, n := range c.nodes {
		again.Copy(n)
	}
	made := again.Copies[c.y]
	var wrt []*graph.Node
	var at []int
	for i, x := range c.reads {
		if w := again.Copies[x]; w.DType().IsFloat() && dependsOn(made, w) {
			wrt, at = append(wrt, w), append(at, i)
		}
	}
	grads := make([]*graph.Node, len(in))
	if len(wrt) == 0 {
		return grads
	}
	for i, dx := range Grad(made, wrt, Upstream(dy), ZeroForUnused()) {
		grads[at[i]] = dx
	}
	return grads
}
