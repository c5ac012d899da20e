package translate

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/internal/panicked"
)

// Language writes single nodes. V is a value in it, such as the result of an instruction; B is a block of instructions.
type Language[V comparable, B any] interface {
	// Block returns the current block, into which nodes are written.
	Block() B
	// Enter makes a block the current one. What is written from here on belongs to a node of the user's graph, which
	// is nil for what belongs to none.
	Enter(block B, of *graph.Node)
	// Compute writes a node of any class but Loop from its operands.
	Compute(n *graph.Node, in []V) V
	// Finish is given the value of each node that was written, and returns it or another one with the same elements.
	Finish(n *graph.Node, v V) V
	// Placeholder returns a value in place of one that could not be written.
	Placeholder(n *graph.Node) V
	DType(v V) graph.DType
	Shape(v V) graph.Shape
	// Convert changes the dtype of a value as PyTorch's Tensor.to does.
	Convert(v V, to graph.DType) V
	// Element returns the part of x at a position on its first axis.
	Element(x, at V) V
	// Repeat writes a loop, and sets its Final, Steps and Stacked.
	Repeat(l *Loop[V])
}

// Walk visits nodes and writes each once.
type Walk[V comparable, B any] struct {
	Node  *graph.Node // the node of the user's graph that is being written, or nil
	Err   error       // the first error
	lang  Language[V, B]
	frame *frame[V, B]
}

// frame is a graph that is being written: the user's, or the expansion of an operation.
type frame[V, B any] struct {
	outer  *frame[V, B]
	depth  int
	values map[*graph.Node]V
	base   B                   // of what belongs to no loop
	bodies map[*graph.Region]B // of the loops that are open
	loops  map[*graph.Region]*Loop[V]
	stacks map[*graph.Node][]*graph.Node
}

// Begin begins with the user's graph, whose roots will be written, in the current block of a language.
func (w *Walk[V, B]) Begin(lang Language[V, B], g *graph.Graph, roots []*graph.Node) {
	w.lang = lang
	w.enter(g, roots)
}

// enter begins a graph within the current block.
func (w *Walk[V, B]) enter(g *graph.Graph, roots []*graph.Node) {
	depth := 0
	if w.frame != nil {
		depth = w.frame.depth + 1
	}
	w.frame = &frame[V, B]{outer: w.frame, depth: depth, values: map[*graph.Node]V{}, base: w.lang.Block(),
		bodies: map[*graph.Region]B{}, loops: map[*graph.Region]*Loop[V]{}, stacks: loopop.StacksOf(g, roots)}
}

// IsInUsersGraph reports whether the current node is of the user's graph, not of an expansion.
func (w *Walk[V, B]) IsInUsersGraph() bool { return w.frame.outer == nil }

// Set makes a value that of a node.
func (w *Walk[V, B]) Set(n *graph.Node, v V) { w.frame.values[n] = v }

// Value returns the value of a node, which it writes into the block of the node's loop.
func (w *Walk[V, B]) Value(n *graph.Node) V {
	if v, known := w.frame.values[n]; known {
		return v
	}
	block, node := w.lang.Block(), w.Node
	defer func() {
		w.Node = node
		w.lang.Enter(block, node)
	}()
	in := w.operands(n)
	if w.IsInUsersGraph() {
		w.Node = n
	}
	w.lang.Enter(w.blockOf(n), w.Node)
	var v V
	if a, isLoop := n.Loop(); isLoop {
		v = w.loopNode(n, a)
	} else {
		v = w.lang.Compute(n, in)
	}
	v = w.lang.Finish(n, v)
	w.Set(n, v)
	return v
}

// operands returns the values of a node's operands. Those of a loop's own nodes are written with the loop.
func (w *Walk[V, B]) operands(n *graph.Node) []V {
	if n.Op().Class == graph.Loop {
		return nil
	}
	in := make([]V, len(n.Operands()))
	for i, x := range n.Operands() {
		in[i] = w.Value(x)
	}
	return in
}

// blockOf returns the block in which a node is computed.
func (w *Walk[V, B]) blockOf(n *graph.Node) B {
	if b, isOpen := w.frame.bodies[n.Region()]; isOpen {
		return b
	}
	return w.frame.base
}

// Fail records an error at the current node, or else at n, and returns a placeholder for the value of n.
func (w *Walk[V, B]) Fail(n *graph.Node, format string, args ...any) V {
	at := n
	if w.Node != nil {
		at = w.Node
	}
	w.Failed(at, "%s %s", graph.Describe(at), fmt.Sprintf(format, args...))
	return w.lang.Placeholder(n)
}

// Failed records an error at the line of a node.
func (w *Walk[V, B]) Failed(at *graph.Node, format string, args ...any) {
	if w.Err == nil {
		w.Err = fmt.Errorf("%s: error: "+format, append([]any{at.Pos()}, args...)...)
	}
}

// Panicked returns the error for a panic: a mistake of the user's operation that was being written, or of ours.
func (w *Walk[V, B]) Panicked(p any) error {
	if w.Node == nil {
		return fmt.Errorf("a mistake of this package: it %s", panicked.Text(p))
	}
	return fmt.Errorf("%s: error %s: what %s says of itself %s", w.Node.Pos(), graph.CodeOperation,
		graph.Describe(w.Node), panicked.Text(p))
}
