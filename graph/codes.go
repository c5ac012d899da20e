package graph

// The codes of mistakes. `broadloom explain` shows these comments, and a test builds each
// example: it must draw the code that it stands under. g is a graph, and what follows
// "Cure:" says what to do.
const (
	// An operand is nil or of another graph, or there are too many or too few.
	//
	//	x := g.Input("x", graph.Float32, 3)
	//	ops.Add(x, nil)
	//
	// Cure: give each operation nodes of one graph: results of operations, inputs,
	// parameters, constants, or numbers made with graph.Num.
	CodeOperand Code = "BL001"

	// An input or a parameter has no name, or one that is taken.
	//
	//	g.Input("x", graph.Float32, 3)
	//	g.Input("x", graph.Float32, 4)
	//
	// Cure: give each a name of its own, or build it in a Scope: inputs are fed, and
	// parameters are saved and reported, by their names.
	CodeName Code = "BL002"

	// A size is invalid: negative, an overflow, or not declared in the graph.
	//
	//	g.Input("x", graph.Float32, -1)
	//
	// Cure: write a whole number of 0 or more, or a named size that is known at run time:
	// g.Dim("batch"). Compute with named sizes by their methods: batch.Plus(1).
	CodeSize Code = "BL003"

	// A dtype is none of package graph's, such as graph.Bool, graph.Int64 and graph.Float32.
	//
	//	g.Input("x", graph.InvalidDType, 3)
	//
	// Cure: use one of graph.DTypes().
	CodeInvalidDType Code = "BL004"

	// A user-defined operation is incomplete or inconsistent: a field that its class needs is missing, or the results
	// of its functions contradict each other, such as an Emit whose dtype differs from Infer's.
	//
	//	half := &graph.Op{Name: "half", Func: "Half", Class: graph.Elementwise, MinIn: 1, MaxIn: 1,
	//		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) }}
	//	ops.Apply(half, nil, g.Input("x", graph.Float32, 3))
	//
	// Cure: the message names the field; docs/adding-an-operation.md says what each class wants.
	CodeOperation Code = "BL005"

	// Two sizes differ on one axis, and neither is 1. Shapes are lined up from the right; a
	// size of 1, or a missing axis, is repeated; all other sizes of an axis must be equal.
	//
	//	x := g.Input("x", graph.Float32, 2, 3)
	//	y := g.Input("y", graph.Float32, 2, 4)
	//	ops.Add(x, y)
	//
	// Cure: make the sizes equal, or give one operand an axis of size 1 where it is to be
	// repeated: Unsqueeze, Reshape, or KeepDims() in the reduction that made it.
	CodeBroadcast Code = "BL101"

	// Two named sizes, or a name and a number other than 1, meet on one axis, and nothing
	// says that they are equal. It is most often a forgotten KeepDims().
	//
	//	x := g.Input("x", graph.Float32, g.Dim("n"))
	//	y := g.Input("y", graph.Float32, g.Dim("m"))
	//	ops.Add(x, y)
	//
	// Cure: use one name for what is one size; or state that two are equal: g.Equal(n, m);
	// or declare that a size may be 1 and then broadcasts: g.Dim("m", graph.MayBeOne()). The
	// policy graph.Unify leaves the question to the binding of sizes, graph.Numpy also lets
	// a size that turns out to be 1 be repeated.
	CodeNames Code = "BL102"

	// An operand has a rank that the operation or the graph's policy refuses.
	//
	//	x := g.Input("x", graph.Float32)
	//	index := g.Input("index", graph.Int64, 2)
	//	ops.Take(x, 0, index)
	//
	// Cure: give the operand the axes that are missing, with Unsqueeze or Reshape.
	CodeRank Code = "BL103"

	// An axis cannot be expanded to the requested size: only axes of size 1 can.
	//
	//	x := g.Input("x", graph.Float32, 2, 3)
	//	ops.Expand(x, 2, 4)
	//
	// Cure: ask for the size that the axis has, or -1 to keep it.
	CodeExpand Code = "BL104"

	// The inner sizes of a matrix product differ, or an operand is not a matrix.
	//
	//	x := g.Input("x", graph.Float32, 2, 3)
	//	y := g.Input("y", graph.Float32, 4, 5)
	//	ops.MatMul(x, y)
	//
	// Cure: the last axis of the first operand must be as long as the last but one of the
	// second; a weight that stands the wrong way round is turned with Transpose(w, -1, -2).
	CodeMatMul Code = "BL110"

	// The number of elements does not fit the new shape.
	//
	//	x := g.Input("x", graph.Float32, 2, 3)
	//	ops.Reshape(x, 4, 2)
	//
	// Cure: the sizes of the new shape must multiply to the number of elements; one of them
	// may be -1 and is then found.
	CodeReshape Code = "BL120"

	// Operands that are joined differ outside the axis along which they are joined.
	//
	//	x := g.Input("x", graph.Float32, 2, 3)
	//	y := g.Input("y", graph.Float32, 2, 4)
	//	ops.Concat(0, x, y)
	//
	// Cure: join along the axis that differs, or bring the others to one size.
	CodeConcat Code = "BL121"

	// The bounds of a slice, a padding or a view are outside the operand or invalid.
	//
	//	x := g.Input("x", graph.Float32, 2, 3)
	//	ops.Slice(x, 0, 0, 2, 0)
	//
	// Cure: steps are 1 or more, sizes 0 or more; on an axis of symbolic size the bounds
	// must lie inside.
	CodeSlice Code = "BL122"

	// An axis is out of range, or named twice, or the list of axes is empty.
	//
	//	x := g.Input("x", graph.Float32, 2, 3)
	//	ops.Sum(x, 2)
	//
	// Cure: axes are counted from 0, or from -1 at the end. An empty list means all axes to
	// PyTorch and none to NumPy: say AllAxes() or NoAxes().
	CodeAxis Code = "BL130"

	// A reduction that has no value without elements, over an axis without elements.
	//
	//	x := g.Input("x", graph.Float32, 0, 3)
	//	ops.Max(x, 0)
	//
	// Cure: a maximum or minimum needs an axis of at least one element; where the size is
	// named and may be 0, it is checked when sizes are bound.
	CodeEmpty Code = "BL131"

	// A window (of a convolution or a pooling) does not fit its operand.
	//
	//	x := g.Input("x", graph.Float32, 3)
	//	ops.Window(x, 0, 5, 1, 1)
	//
	// Cure: pad the operand, or take a smaller window, stride or dilation.
	CodeWindow Code = "BL132"

	// No sizes satisfy all requirements of the graph together.
	//
	//	g := graph.New("example", graph.WithPolicy(graph.Policy{Names: graph.Unify}))
	//	x := g.Input("x", graph.Float32, g.Dim("n"))
	//	ops.Mul(x, g.Input("y", graph.Float32, 3))
	//	ops.Add(x, g.Input("z", graph.Float32, 4))
	//
	// Cure: the message names the requirements that exclude each other: change one of them.
	CodeJoint Code = "BL140"

	// A shape has more elements than an int64 can count.
	//
	//	x := g.Input("x", graph.Float32, 1<<40, 1)
	//	y := g.Input("y", graph.Float32, 1, 1<<40)
	//	ops.Add(x, y)
	//
	// Cure: the operands are most often repeated against each other by mistake.
	CodeOverflow Code = "BL150"

	// Warns that operands of different shapes have the same number of elements: PyTorch once matched them element by
	// element, and broadcasts them now. Off unless Policy.Backcompat asks for it.
	//
	//	g := graph.New("example", graph.WithPolicy(graph.Policy{Backcompat: graph.Warn}))
	//	x := g.Input("x", graph.Float32, 4, 1)
	//	y := g.Input("y", graph.Float32, 4)
	//	ops.Add(x, y)
	//
	// Cure: reshape one operand if elements are to be matched; to keep the broadcast,
	// Silence(graph.CodeBackcompat) on the result.
	CodeBackcompat Code = "BL201"

	// Warns that operands repeat each other along axes of the same size, one of which exists only because broadcasting
	// added it in front: the result is larger than each of them, which is the mark of a column meeting a row in a loss.
	//
	//	pred := g.Input("pred", graph.Float32, g.Dim("batch"), 1)
	//	y := g.Input("y", graph.Float32, g.Dim("batch"))
	//	ops.Sub(pred, y)
	//
	// It does not warn where the program shows that a table is meant: what follows computes with
	// another table of that shape, such as a matrix of products, or multiplies it as a matrix, or
	// works along one of the two axes.
	//
	// Cure: give the operands the same axes, with Squeeze or Unsqueeze. Where an outer product
	// is meant, Silence(graph.CodeMutualExpand) on the result; for the whole graph,
	// Policy.MutualExpand.
	CodeMutualExpand Code = "BL202"

	// Warns that a named size can only be one number.
	//
	//	g := graph.New("example", graph.WithPolicy(graph.Policy{Names: graph.Unify}))
	//	x := g.Input("x", graph.Float32, g.Dim("batch"))
	//	y := g.Input("y", graph.Float32, 4)
	//	ops.Add(x, y)
	//
	// Cure: write the number instead of the name, or change what fixes it.
	CodeFixedName Code = "BL203"

	// Warns that a program does not perform a write of a parameter, although it performs others and reads the values
	// from which this one is computed: the mark of a forgotten update. So of a write of another value that the program
	// computes, and of a function called in order, where nothing uses the result.
	//
	//	x := g.Input("x", graph.Float32, 3)
	//	count := g.Param("count", graph.Float32, 3)
	//	mean := g.Param("mean", graph.Float32, 3)
	//	y := ops.Exp(x)
	//	step := ops.AddInPlace(count, y)
	//	ops.CopyInPlace(mean, ops.Mul(y, graph.Num(0.1)))
	//	err = shapeinfer.CheckProgram(g, step)
	//
	// Cure: give the write to exec.Updates, or use its result in the place of what is
	// written; or, if another program carries it out, Silence(graph.CodeLeftOut) on it.
	CodeLeftOut Code = "BL204"

	// Warns that a reshape mixes elements of different axes of its operand in one axis of the result: most often a
	// transpose was forgotten, as after attention with several heads.
	//
	//	batch, seq := g.Dim("batch"), g.Dim("seq")
	//	heads := g.Input("heads", graph.Float32, batch, 8, seq, 64)
	//	ops.Reshape(heads, batch, seq, 512)
	//
	// Cure: bring the axes into the order of the result first: the help writes the Transpose or
	// Permute that does. Where it is meant, Silence(graph.CodeAxisMixing) on the result; for the
	// whole graph, Policy.AxisMixing.
	CodeAxisMixing Code = "BL205"

	// The target of a loss has a different shape from the prediction, so that one of them is repeated. As in PyTorch,
	// this is an error in ops.BCE and ops.BCEWithLogits, and a warning in other losses. Numbers written in the program
	// may be targets.
	//
	//	pred := g.Input("pred", graph.Float32, g.Dim("batch"), 3)
	//	y := g.Input("y", graph.Float32, g.Dim("batch"), 1)
	//	ops.MSE(pred, y)
	//
	// Cure: give both one shape, with Squeeze or Unsqueeze, or Expand where the repetition is
	// meant. A warning is silenced by Silence(graph.CodeTargetShape) on the result; for the
	// whole graph, by Policy.TargetShape.
	CodeTargetShape Code = "BL210"

	// Warns that a function gets probabilities, the result of a softmax or a sigmoid, but expects scores or logarithms
	// of probabilities: the softmax of a softmax is nearly uniform, so that the model learns slowly and badly. Or that
	// a loss picks a class along a different axis from that along which the probabilities add up to 1.
	//
	//	h := g.Input("h", graph.Float32, g.Dim("batch"), 10)
	//	labels := g.Input("labels", graph.Int64, g.Dim("batch"))
	//	ops.CrossEntropy(ops.Softmax(h, 1), labels)
	//
	// Cure: give ops.CrossEntropy and ops.BCEWithLogits the scores, and ops.NLL and ops.KLDiv the result of
	// ops.LogSoftmax. Where it is meant, Silence(graph.CodeGivenProbabilities) on the result; for the whole graph,
	// Policy.GivenProbabilities.
	CodeGivenProbabilities Code = "BL213"

	// A variance is estimated from no more elements than the correction: it is NaN. If this depends on the sizes, it is
	// a note.
	//
	//	x := g.Input("x", graph.Float32, 1, 8)
	//	ops.Std(x, 1, 0)
	//
	// Cure: estimate over more elements, or with the correction 0; of a named size, declare that
	// it is large enough: g.Dim("batch", graph.AtLeast(2)).
	CodeFreedom Code = "BL211"

	// Notes that one number, computed from all examples of a batch, meets values of single examples: most often a
	// reduction was meant to keep the first axis.
	//
	//	batch := g.Dim("batch")
	//	q := g.Input("q", graph.Float32, batch, 4)
	//	target := g.Input("target", graph.Float32, batch)
	//	ops.Sub(target, ops.Sum(q))
	//
	// Cure: name the axes to reduce: Sum(q, 1). Where one number is meant,
	// Silence(graph.CodeWholeBatch) on the result; for the whole graph, Policy.WholeBatch.
	CodeWholeBatch Code = "BL212"

	// An in-place result would have a different shape from its destination.
	//
	//	x := g.Param("x", graph.Float32, 1, 3, 1)
	//	y := g.Input("y", graph.Float32, 3, 1, 7)
	//	ops.AddInPlace(x, y)
	//
	// Cure: broadcasting may repeat the other operands, never the destination. Compute a new
	// value (Add), or reduce the operand first.
	CodeInPlaceShape Code = "BL301"

	// Several elements of the destination of an in-place write share a memory cell.
	//
	//	row := g.Param("row", graph.Float32, 1, 10)
	//	ops.AddInPlace(ops.Expand(row, 32, 10), graph.Num(1))
	//
	// Cure: write a Copy of the repeated value, or write before Expand.
	CodeSelfOverlap Code = "BL302"

	// An operand shares memory with the destination, at other positions: the result would depend on the order in which
	// elements are computed.
	//
	//	x := g.Param("x", graph.Float32, 3, 3)
	//	ops.AddInPlace(x, ops.Slice(x, 1, 0, 1, 1))
	//
	// Cure: Copy the operand first; Policy.Alias = graph.AutoCopy does so by itself.
	CodeOperandOverlap Code = "BL303"

	// A parameter is written inside the program that is differentiated.
	//
	//	w := g.Param("w", graph.Float32, 3)
	//	w1 := ops.AddInPlace(w, graph.Num(1))
	//	loss := ops.Sum(ops.Square(w1))
	//	autodiff.Grad(loss, []*graph.Node{w})
	//
	// Cure: write parameters in an update step, after their gradients.
	CodeLeaf Code = "BL310"

	// A value is written in place while something that must run later still reads it.
	//
	//	x := g.Param("x", graph.Float32, 3)
	//	y := ops.Exp(x)
	//	loss := ops.Sum(ops.Square(ops.AddInPlace(y, graph.Num(1))))
	//	autodiff.Grad(loss, []*graph.Node{x})
	//
	// Cure: compute a new value instead; or read before the write.
	CodeOrder Code = "BL320"

	// One version of a value is written twice: the writes have no order.
	//
	//	x := g.Param("x", graph.Float32, 3)
	//	ops.AddInPlace(x, graph.Num(1))
	//	ops.AddInPlace(x, graph.Num(2))
	//
	// Cure: let the second operation write the result of the first.
	CodeWriters Code = "BL321"

	// A constant, or an input that was not declared Mutable, is written.
	//
	//	x := g.Input("x", graph.Float32, 3)
	//	ops.AddInPlace(x, graph.Num(1))
	//
	// Cure: write a parameter or a computed value; or declare that the caller's memory may
	// change: g.Input(…).Mutable().
	CodeImmutable Code = "BL322"

	// The result of an in-place operation cannot be stored in its destination: booleans fit into integers, and integers
	// into floating-point numbers, but not the other way round.
	//
	//	n := g.Param("n", graph.Int64, 3)
	//	ops.AddInPlace(n, graph.Num(1.5))
	//
	// Cure: compute a new value, or Cast the operand.
	CodeInPlaceDType Code = "BL330"

	// An operation is not defined for a dtype.
	//
	//	b := g.Input("b", graph.Bool, 3)
	//	ops.Sub(b, b)
	//
	// Cure: Cast an operand. Matrix products want operands of one dtype; means want
	// floating-point numbers.
	CodeDType Code = "BL340"

	// A gradient was requested that does not exist.
	//
	//	x := g.Input("x", graph.Float32, 3)
	//	autodiff.Grad(ops.Exp(x), []*graph.Node{x})
	//
	// Cure: differentiate a scalar of floating-point numbers, with respect to values on which
	// it depends.
	CodeGradient Code = "BL350"

	// Notes what can be neither proved nor refuted before sizes are bound. It is then checked in every run.
	//
	//	h := g.Dim("h")
	//	x := g.Input("x", graph.Float32, h)
	//	y := g.Input("y", graph.Float32, h.FloorDiv(2).Times(2))
	//	ops.Add(x, y)
	//
	// Cure: nothing need be done. Where a declaration would prove it, such as
	// g.Dim("h", graph.MultipleOf(2)), the note says so.
	CodeDeferred Code = "BL401"

	// The sizes of the values fed do not meet the graph's requirements.
	//
	//	batch := g.Dim("batch")
	//	x := g.Input("x", graph.Float32, batch)
	//	y := g.Input("y", graph.Float32, batch)
	//	ops.Add(x, y)
	//	_, err = shapeinfer.Bind(g, []shapeinfer.Bound{{x, []int{5}}, {y, []int{6}}}, nil)
	//
	// Cure: the message says where each size came from and which operation requires it.
	CodeBinding Code = "BL501"
)
