// Package optim turns a loss into in-place updates of parameters. Updates are ordinary
// nodes of the graph, so that the compiler fuses an update with the gradient that it
// needs: one kernel for each parameter. What an optimiser remembers from step to step is state,
// which a session holds and saves like parameters.
//
//	step := optim.Adam(1e-3).Minimize(loss)
//	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(step...))
//
// The formulas, settings and usual values are those of PyTorch's optimisers of the same names.
//
// # Rates and groups
//
// A rate is a number, a floating-point scalar of the graph, or a [Schedule]:
//
//	optim.AdamW(optim.WarmUp(100, 0.01, optim.Cosine(3e-4, 0, 10_000)),
//		optim.For(biases, optim.WeightDecay(0)), optim.For(backbone, optim.Frozen()))
//
// A schedule counts the optimiser's steps. A [Plateau] is a rate that depends on what was measured
// between them.
//
// # Gradients
//
// [ClipNorm], [ClipValue] and [Accumulate] take gradients and return others; [Optimizer.Updates]
// takes them in. Each is a value that the program passes on:
//
//	params := optim.Trainable(g)
//	grads, full := optim.Accumulate(params, autodiff.Grad(loss, params), 4)
//	grads, norm := optim.ClipNorm(grads, 1)
//	step := optim.AdamW(3e-4, optim.When(full)).Updates(params, grads)
//
// A [LossScale] keeps gradients in Float16 from becoming 0.
//
// Package lbfgs has a method for losses over the whole data.
//
// # Names of state
//
// State is named after its parameter and as PyTorch names it: Adam's of fc.weight is
// fc.weight.exp_avg and fc.weight.exp_avg_sq. What belongs to all parameters, such as the count
// of steps, has the name of the parameter that is first in the alphabet: fc.bias.step. The order
// of calls and of parameters does not matter, so that checkpoints load by these names. Two
// optimisers that keep state of one parameter need a name each: see [Name].
//
// # Files
//
// optimizer.go makes updates of gradients, apart.go refuses parameters that have none, with the settings of options.go and what state.go
// keeps. sgd.go, adam.go, squares.go (running squares), adafactor.go, trust.go (Lamb and Lars) and rprop.go
// (Rprop and ASGD) are the optimisers; each is an entry of the table in optimizer.go. schedule.go says what a rate is, schedules.go
// and cycles.go have the formulas, sequences.go joins them, and plateau.go has what depends on measures. lossscale.go scales losses for gradients in Float16. usedrows.go updates the rows of tables that a step reads. gradients.go clips and accumulates, and
// average.go averages parameters over steps.
package optim
