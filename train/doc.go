// Package train runs training: epochs and steps, evaluation, early stopping, and checkpoints from which training
// resumes exactly. It calls exec.Session.Run and does not depend on the model.
//
//	l := train.Loop{Session: session, Loss: loss, Batches: feeds, Epochs: 10}
//	result, err := l.Run(ctx)
//
// Its parts can be used separately. Package data makes batches, metric evaluates predictions, progress reports training
// on a terminal or as lines of text, curve plots it, and watch shows it on a web page.
//
// loop.go has the loop. state.go is what a checkpoint holds besides the parameters, stop.go ends training that no
// longer improves, plateau.go lowers its learning rate, nonfinite.go handles numbers that are not finite, and
// evaluate.go runs a program over all batches. observe.go notifies observers of steps and epochs: history.go keeps
// curves, and log.go writes lines of JSON.
package train
