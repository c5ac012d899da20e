// Package stablehlo writes programs in StableHLO, the language of XLA: the same graph that package exec
// compiles for this machine then runs on GPUs, TPUs and many devices.
//
//	m, err := stablehlo.Export(g, stablehlo.Outputs(loss), stablehlo.Updates(step...), stablehlo.Bind(shapeinfer.Sizes{"batch": 256}))
//
// What is written comes from the meaning that each operation gives of itself, so that a user's own
// operations are exported too. Random numbers are computed by counter, with integers, and have the same bits
// on every engine and any number of devices. Products have the highest precision that an engine has. Values that
// are written in place are arguments that are donated. Checks, such as that of an index, are results: true where
// what they claim holds.
//
// export.go has [Export] and its options, signature.go tells what a module takes and gives, and save.go writes the
// folder that a launcher reads. exporter.go tells package internal/translate, which visits the nodes, how each is
// written; results.go writes what a program reads and writes.
//
// element.go is the meaning of elementwise operations on whole tensors, primitive.go that of each primitive,
// wholenumber.go of those that are not plain on integers, and convert.go of conversions. reduce.go, matmul.go,
// gather.go, assemble.go and view.go are the other classes of operations; strided.go finds how a view can be cut out of
// a value, and version.go writes to one. loop.go writes loops and branches, and function.go what Go functions compute:
// fourier.go has Fourier transforms, and internal/arrayforms those that are written with other operations. windows.go
// finds products with windows, which convolution.go writes as convolutions, and folding.go products that are put back
// as transposed ones. ir.go is the module in memory, build.go makes instructions of it, text.go and print.go write it.
package stablehlo
