// Package optim turns a loss into in-place updates of parameters. Updates are ordinary nodes of the graph, so the
// compiler fuses an update with the gradient that it needs: one kernel for each parameter. An optimiser's state is held
// by the session and saved like parameters.
//
//	step := optim.Adam(1e-3).Minimize(loss)
//	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(step...))
//
// The formulas, settings and defaults are those of PyTorch's optimisers of the same names.
//
// # Rates and groups
//
// A rate is a number, a floating-point scalar of the graph, or a [Schedule]:
//
//	optim.AdamW(optim.WarmUp(100, 0.01, optim.Cosine(3e-4, 0, 10_000)),
//		optim.For(biases, optim.WeightDecay(0)), optim.For(backbone, optim.Frozen()))
//
// A schedule counts the optimiser's steps. A [Plateau] is a rate that depends on metrics.
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
// State is named after its parameter, with PyTorch's suffixes: for fc.weight, Adam's state is fc.weight.exp_avg and
// fc.weight.exp_avg_sq. State that belongs to all parameters, such as the step count, is named after the alphabetically
// first parameter: fc.bias.step. Names do not depend on the order of calls or parameters, so checkpoints can be loaded
// by name. Two optimisers of the same parameter need different names: see [Name].
//
// # Files
//
// optimizer.go makes updates from gradients, with the settings in options.go and the state in state.go; unreached.go
// refuses parameters that have no gradient, and unready.go gradients that are still scaled or incomplete. sgd.go,
// adam.go, squares.go (running squares), adafactor.go, trust.go (Lamb and Lars), muon.go and rprop.go (Rprop and ASGD)
// are the optimisers; each is an entry of the table in optimizer.go.
// schedule.go defines learning rates, schedules.go and cycles.go have the formulas, sequences.go combines them, and
// plateau.go has rates that depend on metrics. lossscale.go scales losses for gradients in Float16. usedrows.go updates
// only the rows of tables that a step reads. gradients.go clips and accumulates, and average.go averages parameters
// over steps.
package optim
