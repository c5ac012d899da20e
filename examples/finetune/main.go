// Command finetune learns five digits from 50 examples, with and without the parameters of a network that
// has learned the other five.
//
//	go run ./examples/finetune
//
// It trains a network on the digits 0 to 4 and saves all layers except the last. A second network loads
// them, keeps its first layer frozen, and learns the digits 5 to 9 from 50 examples.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/broadloom/broadloom/examples/internal/cli"
	"github.com/broadloom/broadloom/examples/internal/datasets"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/weights"
)

const classes = 5

// model distinguishes five digits.
type model struct {
	graph        *graph.Graph
	image, label *graph.Node // inputs: float32 [batch, 1, 8, 8], int64 [batch]
	step         []*graph.Node
	accuracy     *graph.Node // of evaluation
}

func newModel(opts func(g *graph.Graph) []optim.Option) *model {
	g := graph.New("finetune")
	batch := g.Dim("batch")
	m := &model{graph: g, image: g.Input("image", graph.Float32, batch, 1, 8, 8),
		label: g.Input("label", graph.Int64, batch)}
	relu := nn.Func(ops.Relu)
	network := nn.Sequential(
		nn.NewConv2D(g, "body.1", 1, 16, 3, nn.Padding(1)), relu, nn.MaxPool2D(2),
		nn.NewConv2D(g, "body.2", 16, 32, 3, nn.Padding(1)), relu, nn.MaxPool2D(2),
		nn.Flatten(), nn.NewLinear(g, "head", 32*2*2, classes))
	loss := ops.CrossEntropy(network.Apply(nn.Training(g), m.image), m.label)
	m.step = optim.AdamW(3e-3, opts(g)...).Minimize(loss)
	right := ops.Equal(ops.ArgMax(network.Apply(nn.Evaluation(g), m.image), 1), m.label)
	m.accuracy = ops.Mean(ops.Cast(right, graph.Float32))
	return m
}

func wholly(*graph.Graph) []optim.Option { return nil }

// carefully keeps the first pretrained layer, and changes the second one slowly.
func carefully(g *graph.Graph) []optim.Option {
	return []optim.Option{
		optim.For(optim.Trainable(g, "body.1"), optim.Frozen()),
		optim.For(optim.Trainable(g, "body.2"), optim.LearningRate(1e-3)),
	}
}

// checked is the model for `broadloom check ./examples/finetune`.
//
//broadloom:model
func checked() *graph.Graph { return newModel(carefully).graph }

// fit takes steps on all examples, starting from the session that prepare has set up, and returns the
// session and the accuracy on other examples.
func (m *model) fit(ctx context.Context, prepare func(*exec.Session) error, steps int, training,
	test *datasets.Images) (*exec.Session, float64, error) {
	train, err := exec.Compile(m.graph, exec.Updates(m.step...))
	if err != nil {
		return nil, 0, err
	}
	evaluate, err := exec.Compile(m.graph, exec.Outputs(m.accuracy))
	if err != nil {
		return nil, 0, err
	}
	session := train.NewSession(exec.Seed(1))
	judge := evaluate.NewSession(exec.ShareParams(session))
	if err := prepare(judge); err != nil {
		return nil, 0, err
	}
	for range steps {
		if _, err := session.Run(ctx, m.feed(training)); err != nil {
			return nil, 0, err
		}
	}
	r, err := judge.Run(ctx, m.feed(test))
	if err != nil {
		return nil, 0, err
	}
	accuracy, err := r.Scalar(m.accuracy)
	return judge, accuracy, err
}

func (m *model) feed(d *datasets.Images) exec.Feed {
	x, label := d.Batch(datasets.Numbers(d.Len()))
	return exec.Feed{m.image: x, m.label: label}
}

func main() { cli.Main("finetune", run) }

func run(ctx context.Context, args []string, stdout io.Writer) (err error) {
	var steps int
	if err := cli.Parse("finetune", args, func(f *flag.FlagSet) {
		f.IntVar(&steps, "steps", 150, "`steps` of each training")
	}); err != nil {
		return err
	}
	digits, err := datasets.Digits()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "finetune")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	file := filepath.Join(folder, "digits.safetensors")
	nothing := func(*exec.Session) error { return nil }

	first := digits.Where(func(label uint8) bool { return label < classes })
	training, test := first.Slice(0, 700), first.Slice(700, first.Len())
	m := newModel(wholly)
	learned, accuracy, err := m.fit(ctx, nothing, steps, training, test)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "digits 0 to 4, %d examples: %.1f %%\n", training.Len(), 100*accuracy)
	if err := weights.Save(file, learned, weights.Only(optim.Trainable(m.graph, "body")...)); err != nil {
		return err
	}

	others := digits.Where(func(label uint8) bool { return label >= classes })
	for i := range others.Labels {
		others.Labels[i] -= classes
	}
	training, test = others.Slice(0, 50), others.Slice(50, others.Len())
	_, accuracy, err = newModel(wholly).fit(ctx, nothing, steps, training, test)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "digits 5 to 9, %d examples, from the beginning: %.1f %%\n", training.Len(), 100*accuracy)
	m = newModel(carefully)
	_, accuracy, err = m.fit(ctx, func(s *exec.Session) error {
		_, err := weights.LoadFile(s, file, weights.Only(optim.Trainable(m.graph, "body")...))
		return err
	}, steps, training, test)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "digits 5 to 9, %d examples, with what was learned before: %.1f %%\n", training.Len(),
		100*accuracy)
	return nil
}
