// Package lbfgs minimises a loss over the whole data by the L-BFGS method, as torch.optim.LBFGS with strong Wolfe line
// search does. It is a Go loop around a compiled program that computes the loss and its gradients; it suits smooth,
// deterministic losses, such as those of physics-informed networks.
//
//	params := optim.Trainable(g)
//	grads := autodiff.Grad(loss, params)
//	prog, err := exec.Compile(g, exec.Outputs(append(grads, loss)...))
//	m, err := lbfgs.New(prog.NewSession(), loss, params, grads)
//	value, err := m.Step(ctx, feed)
//
// lbfgs.go has the directions and the loop, search.go the line search, vector.go copies parameters and gradients
// between the session and one long vector, and state.go is what a checkpoint holds besides the parameters.
package lbfgs
