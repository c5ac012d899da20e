package graph

// The codes of mistakes about what axes are, beside those of codes.go.
const (
	// A value that was declared to treat examples independently does not, as far as can be proved:
	// an operation computes one example's result from others.
	//
	//	x := g.Input("x", graph.Float32, g.Dim("batch"), 8)
	//	centred := ops.Sub(x, ops.Mean(x, 0))
	//	ops.Independent(centred, 0)
	//
	// Cure: the message names the operation. Work along the other axes (here: Mean(x, 1,
	// KeepDims())); instead of batch normalization with the statistics of the batch, take
	// BatchNormInference or LayerNorm; or take the declaration away.
	CodeIndependence Code = "BL160"
)
