// Package export writes graphs as ONNX models.
//
// It writes each operation from the operation's own definition of its meaning, so that user-defined operations can be
// exported too. An operation that a single ONNX operator computes is written as that operator. Everything else is
// written with primitives, movements, reductions, products and gathers. Named sizes stay names in the model, and are
// read from the shapes of its inputs at run time. A table lists where ONNX Runtime lacks an operator or differs from
// ONNX or from the graph; the code that works around each is next to it.
//
// program.go has [Model] and its request. exporter.go tells package internal/translate, which visits the nodes, how
// each is written: element.go elementwise operations on whole tensors, primitive.go each primitive, wholenumber.go
// those of integers, rational.go functions of float64 that ONNX Runtime lacks, and convert.go conversions.
// reduce.go, matmul.go (also gathers), assemble.go and move.go write the other classes of operations, and version.go
// writes to parts of values. loop.go writes loops and branches, and function.go operations computed by Go functions,
// with fourier.go and forms.go. twin.go and twinwindow.go have the operators that compute a single operation, and
// fused.go and quantised.go those that compute several.
//
// size.go computes sizes, constant.go has constants, types.go dtypes. ir.go is the model in memory, builder.go adds
// operators to it, and writer.go gives names and writes the messages.
package export
