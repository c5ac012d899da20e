// Package train runs training: epochs and steps, evaluation, early stopping, and checkpoints from which
// training goes on as if it had not stopped. It calls exec.Session.Run and holds nothing of the model.
//
//	l := train.Loop{Session: session, Loss: loss, Batches: feeds, Epochs: 10}
//	result, err := l.Run(ctx)
//
// Its parts can be used apart. Package data makes batches, metric judges predictions, and progress tells
// of the training on a terminal or in lines of text.
//
// loop.go has the loop. state.go is what a checkpoint holds beside the parameters, stop.go ends a
// training that no longer gets better, observe.go tells others of steps and epochs, and evaluate.go
// runs a program over all batches.
package train
