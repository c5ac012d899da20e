package graph

// The codes of mistakes about what axes are, beside those of codes.go.
const (
	// A value was declared to treat examples independently, but this cannot be proved: an operation computes one
	// example's result from others.
	//
	//	x := g.Input("x", graph.Float32, g.Dim("batch"), 8)
	//	centred := ops.Sub(x, ops.Mean(x, 0))
	//	ops.Independent(centred, 0)
	//
	// Cure: the message names the operation. Work along the other axes (here: Mean(x, 1,
	// KeepDims())); instead of batch normalization with the statistics of the batch, take
	// BatchNormInference or LayerNorm; or take the declaration away.
	CodeIndependence Code = "BL160"

	// Warns that a value was reduced along an axis, and is aligned with a different axis from the one for which it has
	// an element each: both have the same size, so that nothing fails.
	//
	//	x := g.Input("x", graph.Float32, 32, 32)
	//	e := ops.Exp(x)
	//	ops.Div(e, ops.Sum(e, 1))
	//
	// It does not warn where the program shows that positions of both axes are things of one kind: where
	// both are made of one axis, the value stands under both, or it comes from an earlier step of a loop.
	//
	// Cure: KeepDims() in the reduction leaves an axis of size 1 where it was. Where it is meant,
	// Silence(graph.CodeReducedAxis) on the result; for the whole graph, Policy.ReducedAxis.
	CodeReducedAxis Code = "BL230"

	// Warns that a vector is aligned with the last axis of a value and has as many elements as another axis, to which
	// it more likely belongs: that of channels, or, for a factor, that of other examples. Counted positions, such as
	// coordinates and windows, belong to places.
	//
	//	x := g.Input("x", graph.Float32, g.Dim("n"), 16, 16, 16)
	//	ops.Mul(x, g.Param("scale", graph.Float32, 16))
	//
	// Cure: give the vector axes of size 1 behind its own: Reshape(scale, 16, 1, 1). Where it is
	// meant, Silence(graph.CodeVectorAxis) on the result; for the whole graph, Policy.VectorAxis.
	// Sizes that have names, such as g.Dim("channels"), are told apart by them.
	CodeVectorAxis Code = "BL231"

	// Warns of a softmax along the axis of examples: the result for one example then depends on all others of the
	// batch.
	//
	//	logits := g.Input("logits", graph.Float32, g.Dim("batch"), 10)
	//	ops.Softmax(logits, 0)
	//
	// It does not warn where its results are the weights of a sum over examples, or where rows and columns
	// are normalised by turns.
	//
	// Cure: take the axis of classes, most often the last one. Where it is meant,
	// Silence(graph.CodeOverExamples) on the result; for the whole graph, Policy.OverExamples.
	CodeOverExamples Code = "BL232"

	// Warns that examples attend to each other, or follow from each other in a loop, while the positions of each are
	// treated as independent: the axes are in a different order from what the attention or the recurrence expects.
	//
	//	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("seq"), 64)
	//	x = ops.Transpose(x, 0, 1)
	//	scores := ops.MatMul(x, ops.Transpose(x, 1, 2))
	//	ops.Softmax(scores, -1)
	//
	// It does not warn where no product sums along the axis, as in a contrastive loss of each position.
	//
	// Cure: bring the axis of examples to the front before the products. Where it is meant,
	// Silence(graph.CodeAttentionOverExamples) on the softmax, or on a result of the loop or of the
	// recurrent layer; for the whole graph, Policy.AttentionOverExamples.
	CodeAttentionOverExamples Code = "BL233"

	// Warns that a value that does not depend on inputs, such as positions or rows of a parameter, differs from example
	// to example: it is aligned with the axis of examples.
	//
	//	batch, seq := g.Dim("batch"), g.Dim("seq")
	//	x := g.Input("x", graph.Float32, batch, seq, 64)
	//	table := g.Param("table", graph.Float32, 512, 64)
	//	positions := ops.Unsqueeze(ops.Iota(g, 0, batch), 1)
	//	ops.Add(x, ops.Embedding(positions, table))
	//
	// It does not warn of a parameter that was declared with that very size, such as codes of the examples
	// of a data set.
	//
	// Cure: count positions along the axis that they are positions of. Where it is meant,
	// Silence(graph.CodeExamplePositions) on the result; for the whole graph,
	// Policy.ExamplePositions.
	CodeExamplePositions Code = "BL234"

	// Warns that an element is selected by the size of an axis and used for all positions of that axis.
	//
	//	seq := g.Dim("seq", graph.AtMost(511))
	//	x := g.Input("x", graph.Float32, g.Dim("batch"), seq, 64)
	//	table := g.Param("table", graph.Float32, 512, 64)
	//	ops.Add(x, ops.Select(table, 0, seq))
	//
	// Cure: Slice takes the first elements: Slice(table, 0, 0, seq, 1). Where it is meant,
	// Silence(graph.CodeOnePosition) on the Select; for the whole graph, Policy.OnePosition.
	CodeOnePosition Code = "BL235"

	// Warns that a mask is the same for all elements that a softmax compares: it masks whole rows or none, and is most
	// often aligned with the axis of queries instead of that of keys.
	//
	//	batch, seq := g.Dim("batch"), g.Dim("seq")
	//	scores := g.Input("scores", graph.Float32, batch, 8, seq, seq)
	//	keep := g.Input("keep", graph.Bool, batch, 1, seq, 1)
	//	ops.Softmax(ops.MaskedFill(scores, ops.Not(keep), graph.Num(-1e9)), -1)
	//
	// Cure: bring the mask's axis under that along which the softmax works. Where it is meant,
	// Silence(graph.CodeMaskedRows) on what masks; for the whole graph, Policy.MaskedRows.
	CodeMaskedRows Code = "BL236"

	// Warns that a softmax is along an axis that remains in the following product, which sums over another one: the
	// weights in the sum do not add up to 1.
	//
	//	batch, seq := g.Dim("batch"), g.Dim("seq")
	//	x := g.Input("x", graph.Float32, batch, seq, 64)
	//	scores := ops.MatMul(x, ops.Transpose(x, 1, 2))
	//	ops.MatMul(ops.Softmax(scores, 1), x)
	//
	// It does not warn where something else than values of the same places is summed: a distribution that goes
	// through a matrix of transitions, or the weights of another layer. Nor does it where the axes are those
	// of one table, such as examples and their classes, or where what is summed is divided by its weights.
	//
	// Cure: the softmax of attention works along the axis of keys, which the product sums. Where it is
	// meant, Silence(graph.CodeKeptWeights) on the softmax; for the whole graph, Policy.KeptWeights.
	CodeKeptWeights Code = "BL237"

	// Warns that two values meet along an axis into which several were flattened, in a different order in one than in
	// the other, so that elements of different examples meet; or that copies of examples are one behind the other in
	// one, and side by side in the other.
	//
	//	seq, batch := g.Dim("seq"), g.Dim("batch")
	//	x := g.Input("x", graph.Float32, seq, batch, 10)
	//	labels := g.Input("labels", graph.Int64, batch, seq)
	//	ops.CrossEntropy(ops.Flatten(x, 0, 1), ops.Flatten(labels, 0, 1))
	//
	// Cure: bring the axes of one into the order of the other before they are flattened, here by
	// Transpose(labels, 0, 1). Where it is meant, Silence(graph.CodeOtherOrder) on the result; for the
	// whole graph, Policy.OtherOrder.
	CodeOtherOrder Code = "BL238"
)
