// Package onnx reads and writes models in the format of ONNX, the Open Neural Network Exchange, which PyTorch, TensorFlow, scikit-learn and
// others write, and writes such. A model that is read becomes a graph like any other, which is compiled, drawn, profiled, trained further
// and exported again.
//
//	model, err := onnx.Open("resnet50.onnx")
//	defer model.Close()
//	net, err := model.Build()
//	prog, err := exec.Compile(net.Graph, exec.Outputs(net.Outputs()...))
//	sess := prog.NewSession()
//	err = net.Load(sess)
//	results, err := sess.Run(ctx, exec.Feed{net.Input("input"): images})
//
// Floating-point tensors of the file are parameters under their names, so that an optimiser trains them; running means and variances
// are state, which it leaves alone. Names of sizes in the file, such as "batch", are named sizes of the graph. What a model computes of
// sizes is computed when the graph is built: the shapes of all values are known, and checked, before anything runs.
//
// What depends on values in a way that no graph can have, such as the number of elements that are not 0, is refused, with all such
// nodes in one error.
//
// [Export] goes the other way: it writes a graph as a model, a training step too, which ONNX Runtime and others run.
//
// Reading: model.go has files, external.go those beside them, build.go makes graphs, options.go says how, and load.go sets parameters.
// Writing: export.go has the options of an export, and beside.go writes files.
package onnx
