// Package importer builds graphs of models of ONNX.
//
// builder.go goes through the nodes of a model, order.go finds which are needed and in which order, boundary.go has inputs, outputs and names of
// sizes. value.go is what a name stands for, tensor.go tensors of the file, fold.go computes constants, and call.go and attribute.go an operator with its operands
// and attributes.
//
// Operators are rows of tables. Most are functions on nodes: elements.go, move.go, index.go, reduce.go, layer.go, recurrent.go, attention.go,
// window.go, image.go, resize.go, region.go, signal.go and numbers.go have those of ONNX, learn.go those of classical learning, microsoft.go,
// microsoftattention.go and microsoftquant.go those of ONNX Runtime. values.go and control.go have those with sequences and bodies. left.go says why some have no row.
//
// sizes.go is a tensor of sizes, of which sizerules.go and sizemoves.go compute others when the graph is built.
package importer
