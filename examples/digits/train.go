package main

import (
	"context"
	"fmt"
	"io"

	"github.com/broadloom/broadloom/examples/internal/datasets"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/train"
	"github.com/broadloom/broadloom/train/data"
)

// load reads the digits that are part of the program, and keeps a fifth of them, chosen by the seed, for testing.
func load(c config) (training, test *data.Loader, err error) {
	all, err := datasets.Digits()
	if err != nil {
		return nil, nil, err
	}
	images, err := data.Converted(all.Pixels, func(v uint8) float32 { return float32(v) / float32(all.White) }, pixels)
	if err != nil {
		return nil, nil, err
	}
	labels, err := data.Converted(all.Labels, func(v uint8) int64 { return int64(v) })
	if err != nil {
		return nil, nil, err
	}
	some, others := data.Split(all.Len(), 0.2, c.seed)
	if training, err = data.New(c.batch, []data.Column{data.Rows(images, some), data.Rows(labels, some)},
		data.Shuffled(c.seed)); err != nil {
		return nil, nil, err
	}
	test, err = data.New(len(others), []data.Column{data.Rows(images, others), data.Rows(labels, others)})
	return training, test, err
}

// learn trains a model, and reports each epoch. The history has the curves.
func learn(ctx context.Context, c config, m *model, stdout io.Writer) (*train.History, error) {
	training, test, err := load(c)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stdout, "%d images to learn from, %d to test on\n", training.Len(), test.Len())
	batches, err := training.Feeds(m.image, m.label)
	if err != nil {
		return nil, err
	}
	tests, err := test.Feeds(m.image, m.label)
	if err != nil {
		return nil, err
	}
	prog, err := exec.Compile(m.graph, exec.Outputs(m.loss, m.accuracy),
		exec.Updates(optim.AdamW(c.rate).Minimize(m.loss)...))
	if err != nil {
		return nil, err
	}
	session, history := prog.NewSession(exec.Seed(c.seed)), &train.History{}
	loop := train.Loop{
		Session: session, Loss: m.loss, Batches: batches, Epochs: c.epochs,
		Evaluate: func(ctx context.Context) (map[string]float64, error) {
			measures := map[string]float64{}
			err := train.Evaluate(ctx, session, tests(ctx, 0, 0), func(_ exec.Feed, r *exec.Results) (err error) {
				// one batch
				if measures["test loss"], err = r.Scalar(m.loss); err == nil {
					measures["test accuracy"], err = r.Scalar(m.accuracy)
				}
				return err
			})
			return measures, err
		},
		Observers: []train.Observer{history, train.OnEpoch(func(e train.Epoch) error {
			_, err := fmt.Fprintf(stdout, "epoch %2d   loss %.4f   test loss %.4f   test accuracy %.2f %%\n",
				e.Number+1, e.Loss, e.Measures["test loss"], 100*e.Measures["test accuracy"])
			return err
		})},
	}
	_, err = loop.Run(ctx)
	return history, err
}
