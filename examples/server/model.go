package main

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/broadloom/broadloom/examples/internal/datasets"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

const (
	pixels  = 64
	classes = 10
)

// model reads handwritten digits.
type model struct {
	graph         *graph.Graph
	image, label  *graph.Node // inputs: float32 [batch, pixels], int64 [batch]
	loss          *graph.Node
	step          []*graph.Node
	probabilities *graph.Node // of evaluation: float32 [batch, classes]
}

func newModel() *model {
	g := graph.New("digits")
	batch := g.Dim("batch")
	m := &model{graph: g, image: g.Input("image", graph.Float32, batch, pixels),
		label: g.Input("label", graph.Int64, batch)}
	network := nn.Sequential(
		nn.NewLinear(g, "hidden", pixels, 128), nn.Func(ops.Relu), nn.Dropout(0.2),
		nn.NewLinear(g, "output", 128, classes))
	training := nn.Training(g)
	m.loss = ops.CrossEntropy(network.Apply(training, m.image), m.label)
	m.step = append(optim.AdamW(3e-3).Minimize(m.loss), training.Updates()...)
	m.probabilities = ops.Softmax(network.Apply(nn.Evaluation(g), m.image), 1)
	return m
}

// checked is the model for `broadloom check ./examples/server`.
//
//broadloom:model
func checked() *graph.Graph { return newModel().graph }

// train returns a session with parameters trained on the digits that are part of the program.
func (m *model) train(ctx context.Context, epochs int) (*exec.Session, error) {
	digits, err := datasets.Digits()
	if err != nil {
		return nil, err
	}
	prog, err := exec.Compile(m.graph, exec.Outputs(m.loss), exec.Updates(m.step...))
	if err != nil {
		return nil, err
	}
	session, random := prog.NewSession(exec.Seed(1)), rand.New(rand.NewPCG(1, 0))
	for range epochs {
		for numbers := range slices.Chunk(random.Perm(digits.Len()), 32) {
			x, label := digits.Batch(numbers)
			if _, err := session.Run(ctx, exec.Feed{m.image: x, m.label: label}); err != nil {
				return nil, err
			}
		}
	}
	return session, nil
}

// predict returns the probabilities of the classes for images, one after the other, in the session's
// memory.
func (m *model) predict(session *exec.Session, images []float32) ([]float32, error) {
	r, err := session.Run(context.Background(), exec.Feed{m.image: images})
	if err != nil {
		return nil, err
	}
	return exec.Values[float32](r, m.probabilities)
}
