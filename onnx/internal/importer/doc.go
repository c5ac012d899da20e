// Package importer builds graphs from ONNX models.
//
// builder.go goes through the nodes of a model, order.go finds which are needed and in which order, and boundary.go
// has inputs, outputs and names of sizes. value.go has the values of names, tensor.go reads tensors of the file,
// fold.go computes constants, and call.go and attribute.go have an operator with its operands and attributes.
//
// Operators are rows of tables. Most are functions on nodes: elements.go, move.go, index.go, reduce.go, layer.go,
// recurrent.go, attention.go, window.go, image.go, resize.go, region.go, signal.go and numbers.go have those of ONNX,
// learn.go those of classical machine learning, and microsoft.go, microsoftattention.go and microsoftquant.go those
// of ONNX Runtime. values.go, control.go and while.go have those with sequences and bodies. left.go says why some have
// no row.
//
// sizes.go has tensors of sizes; sizerules.go and sizemoves.go compute with them when the graph is built, and ramp.go
// with those that count positions. sizeproofs.go has what is known about sizes.
//
// counted.go has axes whose size is known only when the model runs. countedfind.go has the operators that make them,
// and that pick and write elements by such indices, countedrules.go says how others pass them on, countedmath.go has
// sums and products over them, countedbranch.go has branches of different sizes, and countedloop.go loops whose values
// grow.
package importer
