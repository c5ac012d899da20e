// Command fashion learns to distinguish ten kinds of clothes, from images of 28x28 pixels, with a
// convolutional network that has batch normalization and dropout.
//
//	go run ./examples/fashion
//
// model.go has the network and its two programs, for training and for evaluation.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/broadloom/broadloom/examples/internal/cli"
	"github.com/broadloom/broadloom/examples/internal/datasets"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/weights"
)

func main() { cli.Main("fashion", run) }

func run(ctx context.Context, args []string, stdout io.Writer) error {
	var folder, save string
	var epochs, batch, images int
	var seed uint64
	if err := cli.Parse("fashion", args, func(f *flag.FlagSet) {
		f.StringVar(&folder, "data", datasets.FashionMNISTFolder, "`folder` of the data set")
		f.StringVar(&save, "save", "", "`file` to which the parameters are written, .safetensors or .npz")
		f.IntVar(&epochs, "epochs", 6, "`times` to go through the training images")
		f.IntVar(&batch, "batch", 128, "`images` in each step")
		f.IntVar(&images, "images", 60_000, "training `images` at most")
		f.Uint64Var(&seed, "seed", 1, "`seed` of first values, dropout and the order of images")
	}); err != nil {
		return err
	}
	training, test, err := datasets.FashionMNIST(folder)
	if err != nil {
		return err
	}
	training = training.Slice(0, min(images, training.Len()))
	steps := training.Len() / batch // the last images of an epoch are left out if they do not fill a batch
	if steps == 0 {
		return fmt.Errorf("%d images fill no batch of %d", training.Len(), batch)
	}

	m := newModel(epochs * steps)
	train, err := exec.Compile(m.graph, exec.Outputs(m.loss), exec.Updates(m.step...))
	if err != nil {
		return err
	}
	evaluate, err := exec.Compile(m.graph, exec.Outputs(m.right))
	if err != nil {
		return err
	}
	session := train.NewSession(exec.Seed(seed))
	judge := evaluate.NewSession(exec.ShareParams(session))
	random, began := rand.New(rand.NewPCG(seed, 0)), time.Now()
	for epoch := range epochs {
		loss, err := m.epoch(ctx, session, training, random.Perm(training.Len())[:steps*batch], batch)
		if err != nil {
			return err
		}
		accuracy, err := m.accuracy(ctx, judge, test)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "epoch %d: loss %.4f, test accuracy %.2f %%, %.0f s\n", epoch+1, loss, 100*accuracy,
			time.Since(began).Seconds())
	}
	if save != "" {
		return weights.Save(save, judge)
	}
	return nil
}

// epoch takes a step for each batch of images, in the given order, and returns the mean loss.
func (m *model) epoch(ctx context.Context, session *exec.Session, images *datasets.Images, order []int,
	batch int) (float64, error) {
	sum, steps := 0.0, 0.0
	for numbers := range slices.Chunk(order, batch) {
		x, label := images.Bytes(numbers)
		r, err := session.Run(ctx, exec.Feed{m.image: x, m.label: label})
		if err != nil {
			return 0, err
		}
		loss, err := r.Scalar(m.loss)
		if err != nil {
			return 0, err
		}
		sum, steps = sum+loss, steps+1
	}
	return sum / steps, nil
}

// accuracy returns the fraction of the images that is classified correctly.
func (m *model) accuracy(ctx context.Context, judge *exec.Session, images *datasets.Images) (float64, error) {
	right := 0.0
	for numbers := range slices.Chunk(datasets.Numbers(images.Len()), 500) {
		x, label := images.Bytes(numbers)
		r, err := judge.Run(ctx, exec.Feed{m.image: x, m.label: label})
		if err != nil {
			return 0, err
		}
		n, err := r.Scalar(m.right)
		if err != nil {
			return 0, err
		}
		right += n
	}
	return right / float64(images.Len()), nil
}
