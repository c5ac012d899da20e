package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

var opAfter, opCopy *graph.Op

func init() {
	opCopy = unary("clone", "Copy", "a copy of x in separate memory.", nil, graph.PrimAdd,
		func(_, _, dy node) node { return dy })
	opCopy.EachStep = true
	opCopy.Emit = func(_ graph.Emitter, _ node, x []graph.Value) graph.Value { return x[0] }
	opAfter = define(graph.Op{
		Name: "after", Func: "After", Doc: "x as it is after a write to part of its memory.",
		Class: graph.Version, MinIn: 2, MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			x, write := c.In(0), c.In(1)
			switch {
			case write.Op().Class != graph.Update:
				c.Fail(&graph.Mistake{Code: graph.CodeOperand,
					Summary: fmt.Sprintf("%s writes nothing: After needs the result of an in-place operation",
						graph.Describe(write))})
			case alias.Storage(x) != alias.Storage(write):
				c.Fail(&graph.Mistake{Code: graph.CodeOperand,
					Summary: fmt.Sprintf("%s does not write the memory in which %s lies", graph.Describe(write),
						x.Called()),
					Operands: []graph.OperandNote{{Node: x}, {Node: write}}})
			}
			return x.DType(), x.Shape()
		},
		Grad: func(n, dy node, i int) node {
			views := alias.ViewsOf(n.In(1))
			if i == 1 {
				return alias.ShowAs(views, dy)
			}
			kept := Copy(dy)
			return wholeAfter(CopyInPlace(alias.ShowAs(views, kept), num(0)))
		},
	})
	opAfter.Ref = shownAs("After(x, AddInPlace(Select(x, 0, 0), y))", named("", "", "", "", "",
		func(e *graph.Example) node {
			x := Copy(e.Of("x", "n", "k"))
			return After(x, AddInPlace(Select(x, 0, 0), e.Of("y", "k")))
		}))
	opCopy.Ref = named("numpy.copy, numpy.positive", "torch.clone, torch.positive",
		"jax.numpy.copy, jax.numpy.positive", "Identity", "")
}

// Copy returns x in new memory, so that writing to one does not change the other. In the body of a loop each step
// makes a new copy.
func Copy(x *graph.Node) *graph.Node { return Apply(opCopy, nil, x) }

// After returns x as it is after an in-place write to its memory: to x itself, to a view of x, or to the value of
// which x is a view. The in-place operation itself returns only the written part:
//
//	row := ops.Select(x, 0, 2)
//	zero := ops.CopyInPlace(row, graph.Num(0))
//	x = ops.After(x, zero) // the whole, with its row 2 written
func After(x, write *graph.Node) *graph.Node {
	if x == nil || write == nil || !x.Judged() || !write.Judged() || x.Graph() != write.Graph() ||
		write.Op().Class != graph.Update || alias.Storage(x) != alias.Storage(write) {
		return graph.Apply(opAfter, nil, x, write) // its rule says what is wrong
	}
	for s := alias.State(x); s.Op().Class == graph.Update && s.ID() >= write.ID(); s = alias.State(s.In(0)) {
		if s == write {
			return x // it is newer already
		}
	}
	return alias.ShowAs(alias.ViewsOf(x), wholeAfter(write))
}

// wholeAfter returns the whole of a memory after a write to it.
func wholeAfter(write node) node {
	if len(alias.ViewsOf(write)) == 0 {
		return write
	}
	old := alias.Viewed(write.In(0))
	if old.Op().Class == graph.Update { // else it is the whole
		old = wholeAfter(old)
	}
	return graph.Apply(opAfter, nil, old, write)
}
