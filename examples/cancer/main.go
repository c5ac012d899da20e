// Command cancer distinguishes benign from malignant tumours by 30 measurements, with logistic regression.
//
//	go run ./examples/cancer
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/broadloom/broadloom/examples/internal/cli"
	"github.com/broadloom/broadloom/examples/internal/datasets"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

const measurements = 30

// model is logistic regression on standardized measurements.
type model struct {
	graph     *graph.Graph
	x, benign *graph.Node // inputs: float32 [n, measurements], and [n] of 0 and 1
	loss      *graph.Node
	step      []*graph.Node
	accuracy  *graph.Node // of evaluation
}

func newModel() *model {
	g := graph.New("cancer")
	n := g.Dim("n", graph.AtLeast(2))
	m := &model{graph: g, x: g.Input("x", graph.Float32, n, measurements), benign: g.Input("benign", graph.Float32, n)}
	// Batch normalization without parameters standardizes: training uses all examples at once, and
	// evaluation uses their statistics.
	regression := nn.Sequential(nn.NewBatchNorm(g, "standardize", measurements, nn.NoAffine()),
		nn.NewLinear(g, "regression", measurements, 1))

	training := nn.Training(g)
	m.loss = ops.BCEWithLogits(ops.Squeeze(regression.Apply(training, m.x), 1), m.benign)
	m.step = append(optim.AdamW(0.02, optim.WeightDecay(0.1)).Minimize(m.loss), training.Updates()...)

	logits := ops.Squeeze(regression.Apply(nn.Evaluation(g), m.x), 1)
	right := ops.Equal(ops.Greater(logits, graph.Num(0)), ops.Greater(m.benign, graph.Num(0.5)))
	m.accuracy = ops.Mean(ops.Cast(right, graph.Float32))
	return m
}

// checked is the model for `broadloom check ./examples/cancer`.
//
//broadloom:model
func checked() *graph.Graph { return newModel().graph }

func main() { cli.Main("cancer", run) }

func run(ctx context.Context, args []string, stdout io.Writer) error {
	var steps int
	var seed uint64
	if err := cli.Parse("cancer", args, func(f *flag.FlagSet) {
		f.IntVar(&steps, "steps", 300, "`steps` of training")
		f.Uint64Var(&seed, "seed", 1, "`seed` by which a fifth of the tumours is kept for testing")
	}); err != nil {
		return err
	}
	rows, benign, err := datasets.BreastCancer()
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
	order := rand.New(rand.NewPCG(seed, 0)).Perm(len(benign))
	pick := func(numbers []int) exec.Feed {
		x, y := make([]float32, 0, len(numbers)*measurements), make([]float32, 0, len(numbers))
		for _, n := range numbers {
			x, y = append(x, rows[n*measurements:(n+1)*measurements]...), append(y, benign[n])
		}
		return exec.Feed{m.x: x, m.benign: y}
	}
	test, training := pick(order[:len(order)/5]), pick(order[len(order)/5:])
	session := train.NewSession(exec.Seed(seed))
	for range steps {
		if _, err := session.Run(ctx, training); err != nil {
			return err
		}
	}
	judge := evaluate.NewSession(exec.ShareParams(session))
	for _, part := range []struct {
		name string
		feed exec.Feed
	}{{"training", training}, {"test", test}} {
		r, err := judge.Run(ctx, part.feed)
		if err != nil {
			return err
		}
		accuracy, err := r.Scalar(m.accuracy)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s accuracy %.1f %%\n", part.name, 100*accuracy)
	}
	return nil
}
