// Package export writes graphs as models of ONNX.
//
// What is written comes from the meaning that each operation gives of itself, so that a user's own operations are exported too. An operation
// that one operator of ONNX computes is written as that operator; all else is written with primitives, movements, folds, products and
// picks. Sizes that have names stay names in the model, and are read from the shapes of its inputs when it runs. The table of what ONNX Runtime
// lacks, or computes otherwise than ONNX says or than graphs mean it, stands beside what makes up for it.
//
// program.go has [Model] and what it is asked, exporter.go goes through a graph and its composite operations. element.go is the meaning of elementwise
// operations on whole tensors, primitive.go that of each primitive, wholenumber.go of those of integers, rational.go of functions of float64 that
// ONNX Runtime has not, and convert.go of conversions. reduce.go, matmul.go (picks by index, too), assemble.go and move.go are the other classes of operations, and
// version.go writes to parts of values. loop.go writes loops and branches; function.go what Go functions compute, with fourier.go and forms.go. twin.go and
// twinwindow.go have the operators that compute an operation alone, and fused.go those that compute several at once.
//
// size.go computes sizes, constant.go has constants, types.go dtypes; ir.go is the model in memory, builder.go makes operators of it, and writer.go gives names and
// writes the messages.
package export
