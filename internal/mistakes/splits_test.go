package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Axes that are taken apart, into as many values as the graph must know.
var _ = add(partThatIsWritten, narrowToTheEnd, endByItsName,
	splitOfNumber, splitOfNamedNumber, splitWithinBounds, splitOfPartsNamed,
	splitOfNamedAxis, splitWithRest, unboundSequence,
)

func splitOfNumber(g *graph.Graph) {
	for _, part := range ops.Split(g.Input("x", graph.Float32, g.Dim("n"), 8), 1, 3) {
		ops.Sum(part, 1)
	}
}

func splitOfNamedNumber(g *graph.Graph) {
	heads, each := g.Dim("heads", graph.Exactly(4)), g.Dim("each", graph.Exactly(6))
	parts := ops.Split(g.Input("x", graph.Float32, g.Dim("n"), heads.Times(each)), 1, 6)
	ops.Add(ops.Add(parts[0], parts[1]), ops.Add(parts[2], parts[3]))
}

// An axis of 7 to 9 elements has three parts of 3, of which the last has 1 to 3.
func splitWithinBounds(g *graph.Graph) {
	n := g.Dim("n", graph.AtLeast(7), graph.AtMost(9))
	parts := ops.Split(g.Input("x", graph.Float32, n, 8), 0, 3)
	ops.Add(ops.Add(parts[0], parts[1]), ops.Sum(parts[2], 0, ops.KeepDims()))
	ops.Add(parts[2], g.Input("last", graph.Float32, n.Minus(6), 8))
}

// What was meant where an axis has any number of parts is an axis of the parts.
func splitOfPartsNamed(g *graph.Graph) {
	n := g.Dim("n")
	x := g.Input("x", graph.Float32, g.Dim("batch"), n.Times(3))
	ops.Sum(ops.Mul(ops.Unflatten(x, 1, -1, 3), g.Input("weight", graph.Float32, n, 3)), 2)
}

func splitOfNamedAxis(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("n"))
	ops.Split(x, 1, 3) // want error BL122 "floor((n+2)/3)" "Unflatten(x, 1, -1, 3) makes an axis of the parts" "Chunk cuts" "graph.Exactly"
}

// Whoever wants parts of 4 of an axis that is no multiple of 4 does not want an axis of them.
func splitWithRest(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n").Times(4).Plus(1))
	ops.Split(x, 0, 4) // want error BL122 "n+1" "Chunk cuts" !"Unflatten"
}

func unboundSequence(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("seq"), 8)
	ops.Unbind(x, 0) // want error BL122 "but axis 0 gives seq" "use Select for one element"
}

// The mistake is of the part, whatever takes it.
func partThatIsWritten(g *graph.Graph) {
	n := g.Dim("n", graph.MultipleOf(4), graph.AtLeast(0))
	x := g.Input("x", graph.Float32, n, 3)
	twice := ops.Concat(0, x, x)
	ops.SliceScatter(x,
		ops.Slice(twice, 0, n.Plus(-2), 0, 1), 0, n.Plus(-2), 0, 1) // want error BL140 "Slice(twice, 0, n-2, 0, 1): no size of" !"Concat"
}

// The end of an axis is no length, of a named size as of a number.
func narrowToTheEnd(g *graph.Graph) {
	named, number := g.Input("x", graph.Float32, g.Dim("n", graph.AtLeast(4))), g.Input("y", graph.Float32, 8)
	ops.Slice(named, 0, 1, ops.End, 1)
	ops.Narrow(named, 0, 1, ops.End)  // want error BL122 "Narrow(x, 0, 1, End)" "ops.Slice(x, 0, 1, ops.End, 1)" !"4611686018427387904"
	ops.Narrow(number, 0, 1, ops.End) // want error BL122 "Narrow(y, 0, 1, End)" "ops.Slice(y, 0, 1, ops.End, 1)" !"4611686018427387904"
	ops.Narrow(named, 0, ops.End, 0)  // want error BL122 "Narrow(x, 0, End, 0)"
	ops.Narrow(number, 0, ops.End, 0) // want error BL122 "Narrow(y, 0, End, 0)"
}

// So texts write it wherever it stands.
func endByItsName(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 8)
	ops.Select(x, 0, ops.End)                                 // want error BL122 "Select(x, 0, End)"
	ops.SliceScatter(x, graph.Num(0), 0, ops.End, ops.End, 0) // want error BL122 "SliceScatter(x, 0, 0, End, End, 0)"
}
