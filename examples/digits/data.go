package main

import (
	"math/rand/v2"

	"github.com/broadloom/broadloom/examples/internal/datasets"
	"github.com/broadloom/broadloom/exec"
)

const (
	pixels = 64 // of one image
	digits = 10 // classes
)

// examples are images with the digits that they show.
type examples struct {
	images []float32 // pixels from 0 to 1, image by image
	labels []int64
}

func (e *examples) len() int { return len(e.labels) }

// batches returns the number of batches in an epoch; the last one may be smaller.
func (e *examples) batches(size int) int { return (e.len() + size - 1) / size }

// loadExamples reads the data that lie in the program.
func loadExamples() (*examples, error) {
	all, err := datasets.Digits()
	if err != nil {
		return nil, err
	}
	images, labels := all.Batch(datasets.Numbers(all.Len()))
	return &examples{images, labels}, nil
}

// pick puts the examples of the given numbers into dst, whose memory is used again.
func (e *examples) pick(dst *examples, numbers []int) {
	dst.images, dst.labels = dst.images[:0], dst.labels[:0]
	for _, n := range numbers {
		dst.images = append(dst.images, e.images[n*pixels:(n+1)*pixels]...)
		dst.labels = append(dst.labels, e.labels[n])
	}
}

// split keeps a fifth of the examples, chosen by the seed, for testing.
func (e *examples) split(seed uint64) (training, test *examples) {
	order := rand.New(rand.NewPCG(seed, 0)).Perm(e.len())
	training, test = &examples{}, &examples{}
	e.pick(test, order[:e.len()/5])
	e.pick(training, order[e.len()/5:])
	return training, test
}

// feed returns the examples to the inputs of a model.
func (e *examples) feed(m *model) exec.Feed {
	return exec.Feed{m.image: e.images, m.label: e.labels}
}
