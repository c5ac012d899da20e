// Command rows reads handwritten digits row by row, as a fax machine sends them, and guesses the digit
// after each row, with an LSTM (long short-term memory).
//
//	go run ./examples/rows
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/broadloom/broadloom/examples/internal/cli"
	"github.com/broadloom/broadloom/examples/internal/datasets"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// model guesses digits after each row of their images.
type model struct {
	graph        *graph.Graph
	image, label *graph.Node // inputs: float32 [batch, 1, rows, width], int64 [batch]
	loss         *graph.Node
	step         []*graph.Node
	accuracy     *graph.Node // of evaluation: float32 [rows]
}

func newModel() *model {
	const width, hidden, classes = 8, 64, 10
	g := graph.New("rows")
	batch, rows := g.Dim("batch"), g.Dim("rows", graph.AtLeast(1))
	m := &model{graph: g, image: g.Input("image", graph.Float32, batch, 1, rows, width),
		label: g.Input("label", graph.Int64, batch)}
	network := nn.Sequential(nn.NewLSTM(g, "lstm", width, hidden), nn.Dropout(0.2),
		nn.NewLinear(g, "head", hidden, classes))
	label := ops.Expand(ops.Unsqueeze(m.label, 1), batch, rows) // the same after every row

	training, sequence := nn.Training(g), ops.Squeeze(m.image, 1)
	guess := network.Apply(training, sequence)
	m.loss = ops.CrossEntropy(ops.Flatten(guess, 0, 1), ops.Flatten(label, 0, 1))
	m.step = append(optim.AdamW(3e-3).Minimize(m.loss), training.Updates()...)
	right := ops.Equal(ops.ArgMax(network.Apply(nn.Evaluation(g), sequence), 2), label)
	m.accuracy = ops.Mean(ops.Cast(right, graph.Float32), 0)
	return m
}

// checked is the model for `broadloom check ./examples/rows`.
//
//broadloom:model
func checked() *graph.Graph { return newModel().graph }

// feed returns values for the inputs, with images of eight rows; a slice alone would not show how many rows it has.
func (m *model) feed(images []float32, labels []int64) exec.Feed {
	return exec.Feed{m.image: exec.Array{Shape: []int{len(labels), 1, 8, 8}, Data: images}, m.label: labels}
}

func main() { cli.Main("rows", run) }

func run(ctx context.Context, args []string, stdout io.Writer) error {
	var epochs int
	var seed uint64
	if err := cli.Parse("rows", args, func(f *flag.FlagSet) {
		f.IntVar(&epochs, "epochs", 30, "`times` to go through the images")
		f.Uint64Var(&seed, "seed", 1, "`seed` of the split, the order of images, dropout and the first values")
	}); err != nil {
		return err
	}
	digits, err := datasets.Digits()
	if err != nil {
		return err
	}
	m := newModel()
	train, err := exec.Compile(m.graph, exec.Outputs(m.loss), exec.Updates(m.step...))
	if err != nil {
		return err
	}
	evaluate, err := exec.Compile(m.graph, exec.Outputs(m.accuracy))
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(seed, 0))
	numbers := random.Perm(digits.Len())
	test, training := numbers[:360], numbers[360:]
	session := train.NewSession(exec.Seed(seed))
	for range epochs {
		random.Shuffle(len(training), func(i, k int) { training[i], training[k] = training[k], training[i] })
		for batch := range slices.Chunk(training, 32) {
			x, label := digits.Batch(batch)
			if _, err := session.Run(ctx, m.feed(x, label)); err != nil {
				return err
			}
		}
	}
	x, label := digits.Batch(test)
	r, err := evaluate.NewSession(exec.ShareParams(session)).Run(ctx, m.feed(x, label))
	if err != nil {
		return err
	}
	accuracy, err := exec.Values[float32](r, m.accuracy)
	if err != nil {
		return err
	}
	for i, v := range accuracy {
		fmt.Fprintf(stdout, "after row %d: test accuracy %.1f %%\n", i+1, 100*v)
	}
	return nil
}
