package graph

// The codes of what only loops can do wrong.
const (
	// The body of a loop hands on, or gives out, what it cannot: a carried value of another shape
	// or dtype than it was given, a wrong number of values, a value of a step outside of the body, a write
	// to memory of outside.
	//
	//	x := g.Input("x", graph.Float32, 10, 3)
	//	ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, 3)}, Over: []*graph.Node{x}},
	//		func(carry, x []*graph.Node) (next, out []*graph.Node) {
	//			return []*graph.Node{ops.Sum(ops.Add(carry[0], x[0]))}, nil
	//		})
	//
	// Cure: hand on values of the shapes and dtypes that were carried in; carry what
	// changes from step to step, and return from the body what is used outside of it.
	CodeLoop Code = "BL360"
)
