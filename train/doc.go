// Package train runs training: epochs and steps, evaluation, early stopping, and checkpoints from which
// training goes on as if it had not stopped. It calls exec.Session.Run and holds nothing of the model.
//
//	l := train.Loop{Session: session, Loss: loss, Batches: feeds, Epochs: 10}
//	result, err := l.Run(ctx)
//
// Its parts can be used apart. Package data makes batches, metric judges predictions, progress tells of
// the training on a terminal or in lines of text, curve draws it, and watch shows it on a page.
//
// loop.go has the loop. state.go is what a checkpoint holds beside the parameters, stop.go ends a
// training that no longer gets better, plateau.go lowers its rate, nonfinite.go one whose numbers are no longer finite, and evaluate.go
// runs a program over all batches. observe.go tells others of steps and epochs: history.go keeps curves of them, and log.go writes lines of JSON.
package train
