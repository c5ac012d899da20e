package rewrite

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// verified counts the nodes of a graph that VerifyGraph has checked. Nodes are immutable, so they need not be checked
// again after passes that add none.
type verified struct {
	graph *graph.Graph
	nodes int
}

// VerifyGraph checks that every node follows its operands, and has the dtype, shape and broadcasting that its operation
// infers; that the roots are still what the user asked for; and that no state of memory is written twice.
func VerifyGraph(u *Program) error {
	nodes := u.Graph.Nodes()
	if u.verified.graph != u.Graph {
		u.verified = verified{graph: u.Graph}
	}
	for i, n := range nodes[u.verified.nodes:] {
		i += u.verified.nodes
		if n.Graph() != u.Graph || n.ID() != i {
			return bug.At(n, "node %d is numbered %d, or belongs to another graph", i, n.ID())
		}
		if err := verifyOperands(n, nodes[:i]); err != nil {
			return err
		}
		if err := verifyInference(n); err != nil {
			return err
		}
	}
	u.verified.nodes = len(nodes)
	if err := verifyRoots(u, nodes); err != nil {
		return err
	}
	written := map[*graph.Node]*graph.Node{}
	for _, n := range nodes {
		if n.Op().Class != graph.Update {
			continue
		}
		state := alias.State(n.In(0))
		if first := written[state]; first != nil {
			return bug.At(n, "%s writes the same state of memory", first.Label())
		}
		written[state] = n
	}
	return nil
}

func verifyOperands(n *graph.Node, before []*graph.Node) error {
	switch {
	case n.Err() != nil:
		return bug.At(n, "it is a mistake: %w", n.Err())
	case !n.Judged():
		return bug.At(n, "its dtype or shape is not known")
	case len(n.Operands()) < n.Op().MinIn || n.Op().MaxIn >= 0 && len(n.Operands()) > n.Op().MaxIn:
		return bug.At(n, "%d operands", len(n.Operands()))
	}
	for i, x := range n.Operands() {
		if x == nil || x.ID() >= len(before) || before[x.ID()] != x {
			return bug.At(n, "operand %d does not stand before it in the graph", i)
		}
		if own, ok := n.Loop(); !x.Region().Holds(n.Region()) && !(ok && x.Region() == own.Body) {
			return bug.At(n, "operand %d is a value of a body, and is read outside of it", i)
		} else if ok && own.Role == graph.LoopStack && i == 1 && x.Region() == own.Body && x.ID() > n.In(0).ID() {
			return bug.At(n, "all steps of a value are kept that stands behind the end of its loop")
		}
	}
	return nil
}

// verifyInference compares a node with what its operation infers from the operands.
func verifyInference(n *graph.Node) error {
	if n.Op().Class == graph.Source {
		return nil
	}
	again := n.InferAgain()
	switch {
	case again.Err() != nil:
		return bug.At(n, "the operation's rule refuses it: %w", again.Err())
	case again.DType() != n.DType() || !again.Shape().Equal(n.Shape()):
		return bug.At(n, "it is %s%s, and the operation's rule infers %s%s", n.DType(), n.Shape(), again.DType(),
			again.Shape())
	}
	for i := range n.Operands() {
		if have, want := n.Stretch(i), again.Stretch(i); !slices.Equal(have, want) {
			return bug.At(n, "operand %d meets its axes as %v, and the operation's rule infers %v", i, have, want)
		}
	}
	return nil
}

// verifyRoots checks that roots and sources correspond to those of the user's graph.
func verifyRoots(u *Program, nodes []*graph.Node) error {
	stands := func(n *graph.Node) bool { return n != nil && n.ID() < len(nodes) && nodes[n.ID()] == n }
	if len(u.Roots) != len(u.UserRoots) {
		return fmt.Errorf("%d roots of %d", len(u.Roots), len(u.UserRoots))
	}
	for i, n := range u.Roots {
		want := u.UserRoots[i]
		switch {
		case !stands(n):
			return bug.At(want, "root %d is not in the graph", i)
		case n.DType() != want.DType() || !n.Shape().Equal(want.Shape()):
			return bug.At(want, "root %d became %s%s", i, n.DType(), n.Shape())
		}
	}
	for _, s := range slices.Concat(u.Inputs, u.Params) {
		if !stands(s.Own) || s.Own.IsInput() != s.User.IsInput() || s.Own.IsParam() != s.User.IsParam() {
			return bug.At(s.User, "the graph has no copy of it")
		}
	}
	return nil
}

// VerifyPrimitive checks that no composite operation is left.
func VerifyPrimitive(u *Program) error {
	for _, n := range u.Graph.Nodes() {
		if n.Op().Class == graph.Composite {
			return bug.At(n, "a composite operation is left")
		}
	}
	return nil
}

// VerifyOrder checks that the order has every needed node once, after its operands and after what reads the memory that
// it writes.
func VerifyOrder(u *Program) error {
	at := make(map[*graph.Node]int, len(u.Sequence))
	for i, n := range u.Sequence {
		if _, twice := at[n]; twice {
			return bug.At(n, "it stands in the order twice")
		}
		at[n] = i
	}
	writes := alias.FindWrites(u.Graph.Nodes())
	live := Reachable(u.Graph, u.Roots)
	for _, n := range u.Graph.Nodes() {
		i, ordered := at[n]
		if !ordered {
			if live[n.ID()] {
				return bug.At(n, "it is needed and not in the order")
			}
			continue
		}
		for _, x := range n.Operands() {
			if k, ok := at[x]; !ok || k > i {
				return bug.At(n, "it stands before its operand %s", x.Label())
			}
		}
		for _, reader := range writes.Before(n) {
			if k, ok := at[reader]; ok && k > i {
				return bug.At(n, "it writes what %s reads after it", reader.Label())
			}
		}
		if n.Op().Class == graph.Gather {
			for i, x := range n.Operands() {
				if !alias.LayoutOf(x).IsDense() {
					return bug.At(n, "its operand %d has gaps", i)
				}
			}
		}
	}
	return nil
}
