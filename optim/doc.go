// Package optim turns a loss into in-place updates of parameters. Updates are ordinary
// nodes of the graph, so that the compiler fuses an update with the gradient that it
// needs; what an optimiser remembers from step to step are parameters too, which a
// session holds and saves like any others.
//
//	step := optim.Adam(1e-3).Minimize(loss)
//	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(step...))
//
// The formulas are those of PyTorch's optimisers of the same names.
//
// optimizer.go makes updates of gradients, with the constants of options.go and what state.go
// keeps. sgd.go and adam.go are the optimisers.
package optim
