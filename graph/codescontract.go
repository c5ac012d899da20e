package graph

// The codes of what is promised of shapes.
const (
	// A shape that is promised, by ops.Expect or by a contract, cannot be proved for all sizes
	// that the declarations allow.
	//
	//	batch, seq := g.Dim("batch"), g.Dim("seq")
	//	x := g.Input("x", graph.Float32, batch, seq)
	//	ops.Expect(ops.Transpose(x, 0, 1), batch, seq)
	//
	// Cure: bring the value to the shape, or promise the one that it has. Where the promise holds
	// because of something that the graph does not know, say that: g.Equal(n, m) for sizes that
	// are one, graph.MultipleOf and graph.AtLeast in the declaration of a size.
	CodeContract Code = "BL170"

	// A shape is written in a way that is not understood.
	//
	//	x := g.Input("x", graph.Float32, g.Dim("batch"), 512)
	//	contract.Expect(x, "batch, 512")
	//
	// Cure: write the axes with spaces between them, each a name, a number or an expression
	// without spaces: "batch seq h*dh". _ is an axis of any size, ... any number of axes, #c an
	// axis that is 1 or c, *batch several axes with one name.
	CodeContractForm Code = "BL171"

	// Warns that a function takes a value whose axes are in a different order from its contract: the graph uses the
	// contract's names for these sizes, but swapped.
	//
	//	batch, seq := g.Dim("batch"), g.Dim("seq")
	//	x := g.Input("x", graph.Float32, seq, batch)
	//	contract.New(g, "Encoder").Takes("x", x, "batch seq")
	//
	// Cure: Transpose the value where the function is called. Where it is meant, as for attention
	// along another axis, Silence(graph.CodeCrossedNames) on the value; where the names are to be
	// the graph's own in every call, contract.New(g, "Encoder", batch, seq).
	CodeCrossedNames Code = "BL220"
)
