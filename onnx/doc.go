// Package onnx reads and writes models in the format of ONNX, the Open Neural Network Exchange, which PyTorch,
// TensorFlow, scikit-learn and others write. A model that was read is a graph like any other: it can be compiled,
// drawn, profiled, trained further and exported again.
//
//	model, err := onnx.Open("resnet50.onnx")
//	defer model.Close()
//	net, err := model.Build()
//	prog, err := exec.Compile(net.Graph, exec.Outputs(net.Outputs()...))
//	sess := prog.NewSession()
//	err = net.Load(sess)
//	results, err := sess.Run(ctx, exec.Feed{net.Input("input"): images})
//
// Floating-point tensors of the file become parameters with the same names, which optimisers can train. Running means
// and variances become state, which optimisers do not change. Names of sizes in the file, such as "batch", become
// named sizes of the graph. What a model computes from sizes is computed when the graph is built: the shapes of all
// values are known, and checked, before anything runs.
//
// Nodes whose shapes depend on values, such as the number of elements that are not 0, are errors. One error lists all
// of them.
//
// [Export] goes the other way: it writes a graph as a model for ONNX Runtime and other engines, even a training step.
//
// Reading: model.go opens files, external.go those next to them, build.go makes graphs, options.go has its options,
// and load.go sets parameters. Writing: export.go has the options of an export, and beside.go writes files.
package onnx
