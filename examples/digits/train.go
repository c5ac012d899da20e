package main

import (
	"context"
	"math/rand/v2"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/optim"
)

// epoch is what was measured in one pass through the training images.
type epoch struct {
	number   int
	loss     float64 // mean over the training images, each as it was when its batch came
	testLoss float64
	accuracy float64 // on the test images
}

// trainer trains a model.
type trainer struct {
	config
	model   *model
	session *exec.Session
}

func newTrainer(c config) (*trainer, error) {
	m := newModel(c.hidden)
	step := optim.AdamW(c.rate).Minimize(m.loss)
	prog, err := exec.Compile(m.graph, exec.Outputs(m.loss, m.accuracy), exec.Updates(step...))
	if err != nil {
		return nil, err
	}
	return &trainer{config: c, model: m, session: prog.NewSession(exec.Seed(c.seed))}, nil
}

// train runs the epochs. It calls stepped after each batch and report after each epoch.
func (t *trainer) train(ctx context.Context, training, test *examples, stepped func(), report func(epoch)) ([]epoch, error) {
	random := rand.New(rand.NewPCG(t.seed, 1))
	var history []epoch
	for n := range t.epochs {
		e := epoch{number: n + 1}
		var err error
		if e.loss, err = t.pass(ctx, training, random.Perm(training.len()), stepped); err != nil {
			return nil, err
		}
		r, err := t.session.RunWithoutUpdates(ctx, test.feed(t.model))
		if err != nil {
			return nil, err
		}
		if e.testLoss, err = r.Scalar(t.model.loss); err != nil {
			return nil, err
		}
		if e.accuracy, err = r.Scalar(t.model.accuracy); err != nil {
			return nil, err
		}
		history = append(history, e)
		report(e)
	}
	return history, nil
}

// pass makes a step for each batch of the examples in the given order, and gives the
// mean loss.
func (t *trainer) pass(ctx context.Context, training *examples, order []int, stepped func()) (float64, error) {
	var batch examples
	sum := 0.0
	for start := 0; start < len(order); start += t.batch {
		training.pick(&batch, order[start:min(start+t.batch, len(order))])
		r, err := t.session.Run(ctx, batch.feed(t.model))
		if err != nil {
			return 0, err
		}
		loss, err := r.Scalar(t.model.loss)
		if err != nil {
			return 0, err
		}
		sum += loss * float64(batch.len())
		stepped()
	}
	return sum / float64(len(order)), nil
}
