package shapeinfer

import "github.com/broadloom/broadloom/graph"

// The codes of mistakes. Each comment holds an example, which a test builds.
const (
	// CodeBroadcast: two sizes differ on one axis and neither is 1.
	//
	//	x := g.Input("x", graph.Float32, 2, 3)
	//	y := g.Input("y", graph.Float32, 2, 4)
	//	ops.Add(x, y)
	CodeBroadcast graph.Code = "BL101"

	// CodeNames: two named sizes meet on one axis and nothing says that they are equal.
	//
	//	x := g.Input("x", graph.Float32, g.Dim("n"))
	//	y := g.Input("y", graph.Float32, g.Dim("m"))
	//	ops.Add(x, y)
	CodeNames graph.Code = "BL102"

	// CodeRank: operands of different rank, or of rank 0, where the policy refuses them.
	CodeRank graph.Code = "BL103"

	// CodeExpand: an axis cannot be expanded to the wanted size.
	//
	//	x := g.Input("x", graph.Float32, 2, 3)
	//	ops.Expand(x, 2, 4)
	CodeExpand graph.Code = "BL104"

	// CodeMatMul: the inner sizes of a matrix product differ, or an operand is no matrix.
	//
	//	x := g.Input("x", graph.Float32, 2, 3)
	//	y := g.Input("y", graph.Float32, 4, 5)
	//	ops.MatMul(x, y)
	CodeMatMul graph.Code = "BL110"

	// CodeReshape: the number of elements does not fit the new shape.
	//
	//	x := g.Input("x", graph.Float32, 2, 3)
	//	ops.Reshape(x, 4, 2)
	CodeReshape graph.Code = "BL120"

	// CodeConcat: sizes differ outside the axis of concatenation.
	//
	//	x := g.Input("x", graph.Float32, 2, 3)
	//	y := g.Input("y", graph.Float32, 2, 4)
	//	ops.Concat(0, x, y)
	CodeConcat graph.Code = "BL121"

	// CodeSlice: the bounds of a slice make no sense.
	//
	//	x := g.Input("x", graph.Float32, 2, 3)
	//	ops.Slice(x, 0, 0, 2, 0)
	CodeSlice graph.Code = "BL122"

	// CodeAxis: an axis is out of range, or named twice.
	//
	//	x := g.Input("x", graph.Float32, 2, 3)
	//	ops.Sum(x, 2)
	CodeAxis graph.Code = "BL130"

	// CodeEmpty: a reduction without an identity over an axis without elements.
	//
	//	x := g.Input("x", graph.Float32, 0, 3)
	//	ops.Max(x, 0)
	CodeEmpty graph.Code = "BL131"

	// CodeWindow: a window (convolution, pooling) does not fit its input.
	CodeWindow graph.Code = "BL132"

	// CodeJoint: no sizes satisfy all requirements together.
	CodeJoint graph.Code = "BL140"

	// CodeOverflow: a shape has more elements than an int64 can count.
	//
	//	x := g.Input("x", graph.Float32, 1<<40, 1)
	//	y := g.Input("y", graph.Float32, 1, 1<<40)
	//	ops.Add(x, y)
	CodeOverflow graph.Code = "BL150"

	// CodeMutualExpand warns: the result is larger than every operand.
	CodeMutualExpand graph.Code = "BL202"

	// CodeBackcompat warns: operands of different shapes with as many elements.
	CodeBackcompat graph.Code = "BL201"

	// CodeFixedName warns: a named size can only be one number.
	CodeFixedName graph.Code = "BL203"

	// CodeInPlaceShape: an in-place result would have another shape than its destination.
	//
	//	x := g.Param("x", graph.Float32, 1, 3, 1)
	//	y := g.Input("y", graph.Float32, 3, 1, 7)
	//	ops.AddInPlace(x, y)
	CodeInPlaceShape graph.Code = "BL301"

	// CodeSelfOverlap: several elements of what is written in place lie in one memory cell.
	//
	//	row := g.Param("row", graph.Float32, 1, 10)
	//	ops.AddInPlace(ops.Expand(row, 32, 10), graph.Num(1))
	CodeSelfOverlap graph.Code = "BL302"

	// CodeOperandOverlap: an operand shares memory with what is written, at other positions.
	//
	//	x := g.Param("x", graph.Float32, 3, 3)
	//	ops.AddInPlace(x, ops.Slice(x, 1, 0, 1))
	CodeOperandOverlap graph.Code = "BL303"

	// CodeLeaf: a parameter is written inside the program that is differentiated.
	CodeLeaf graph.Code = "BL310"

	// CodeOrder: a value is written before its last reader has run, in every order.
	CodeOrder graph.Code = "BL320"

	// CodeWriters: one version of a value is written twice.
	//
	//	x := g.Param("x", graph.Float32, 3)
	//	ops.AddInPlace(x, graph.Num(1))
	//	ops.AddInPlace(x, graph.Num(2))
	CodeWriters graph.Code = "BL321"

	// CodeImmutable: a constant or an input is written.
	//
	//	x := g.Input("x", graph.Float32, 3)
	//	ops.AddInPlace(x, graph.Num(1))
	CodeImmutable graph.Code = "BL322"

	// CodeInPlaceDType: an in-place result cannot be stored in its destination.
	//
	//	n := g.Param("n", graph.Int64, 3)
	//	ops.AddInPlace(n, graph.Num(1.5))
	CodeInPlaceDType graph.Code = "BL330"

	// CodeDType: an operation is not defined for a dtype.
	//
	//	b := g.Input("b", graph.Bool, 3)
	//	ops.Sub(b, b)
	CodeDType graph.Code = "BL340"

	// CodeGradient: a gradient was asked for that does not exist.
	CodeGradient graph.Code = "BL350"

	// CodeDeferred notes: what can only be judged once sizes are bound.
	CodeDeferred graph.Code = "BL401"

	// CodeBinding: the sizes bound do not meet a requirement.
	CodeBinding graph.Code = "BL501"
)
