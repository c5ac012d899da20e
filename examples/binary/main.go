// Command binary reads handwritten digits with a network whose hidden layers have only the weights -1
// and 1: one bit each. No gradient flows through a sign, so the command adds a custom operation that
// has one (Courbariaux and others, Binarized neural networks, 2016).
//
//	go run ./examples/binary
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
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// straightThrough is the sign of a number, -1 or 1, with the gradient of the number itself where the
// number is between -1 and 1. It is defined like the library's own operations: kernels fuse it with
// its neighbours.
var straightThrough = &graph.Op{
	Name: "straight_through", Func: "StraightThrough", Doc: "-1 below 0, and 1 from 0 on.",
	Class: graph.Elementwise, MinIn: 1, MaxIn: 1,
	Promote: ops.ToCommonFloat,
	Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
		return c.DType(0), rules.BroadcastOperands(c)
	},
	Emit: func(e graph.Emitter, n *graph.Node, x []graph.Value) graph.Value {
		t := n.DType()
		return e.Prim(graph.PrimSelect, e.Prim(graph.PrimLt, x[0], e.Const(t, 0)), e.Const(t, -1), e.Const(t, 1))
	},
	Grad: func(n, dy *graph.Node, _ int) *graph.Node {
		inside := ops.LessEqual(ops.Abs(n.In(0)), graph.Num(1))
		return ops.Where(inside, dy, graph.Num(0))
	},
}

// StraightThrough returns the sign of x as the operation above.
func StraightThrough(x *graph.Node) *graph.Node { return ops.Apply(straightThrough, nil, x) }

// binaryLinear is a linear layer that uses only the signs of its weights.
type binaryLinear struct{ linear *nn.Linear }

func newBinaryLinear(g *graph.Graph, name string, in, out int) binaryLinear {
	return binaryLinear{nn.NewLinear(g, name, in, out, nn.NoBias())}
}

// Apply implements nn.Layer.
func (l binaryLinear) Apply(_ *nn.Pass, x *graph.Node) *graph.Node {
	return ops.Linear(x, StraightThrough(l.linear.Weight), nil)
}

// model distinguishes digits.
type model struct {
	graph        *graph.Graph
	image, label *graph.Node // inputs: float32 [batch, 1, 8, 8], int64 [batch]
	step         []*graph.Node
	accuracy     *graph.Node // of evaluation
}

func newModel() *model {
	const width = 256
	g := graph.New("binary")
	batch := g.Dim("batch", graph.AtLeast(2))
	m := &model{graph: g, image: g.Input("image", graph.Float32, batch, 1, 8, 8),
		label: g.Input("label", graph.Int64, batch)}
	sign := nn.Func(StraightThrough)
	network := nn.Sequential(nn.Flatten(),
		newBinaryLinear(g, "1", 64, width), nn.NewBatchNorm(g, "norm1", width), sign,
		newBinaryLinear(g, "2", width, width), nn.NewBatchNorm(g, "norm2", width), sign,
		nn.NewLinear(g, "3", width, 10))
	training := nn.Training(g)
	loss := ops.CrossEntropy(network.Apply(training, m.image), m.label)
	m.step = append(optim.Adam(3e-3).Minimize(loss), training.Updates()...)
	right := ops.Equal(ops.ArgMax(network.Apply(nn.Evaluation(g), m.image), 1), m.label)
	m.accuracy = ops.Mean(ops.Cast(right, graph.Float32))
	return m
}

// checked is the model for `broadloom check ./examples/binary`.
//
//broadloom:model
func checked() *graph.Graph { return newModel().graph }

func main() { cli.Main("binary", run) }

func run(ctx context.Context, args []string, stdout io.Writer) error {
	var epochs int
	var seed uint64
	if err := cli.Parse("binary", args, func(f *flag.FlagSet) {
		f.IntVar(&epochs, "epochs", 30, "`times` to go through the images")
		f.Uint64Var(&seed, "seed", 1, "`seed` of the split, the order of images and the first values")
	}); err != nil {
		return err
	}
	digits, err := datasets.Digits()
	if err != nil {
		return err
	}
	m := newModel()
	train, err := exec.Compile(m.graph, exec.Updates(m.step...))
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
		for batch := range slices.Chunk(training[:len(training)/32*32], 32) {
			x, label := digits.Batch(batch)
			if _, err := session.Run(ctx, exec.Feed{m.image: x, m.label: label}); err != nil {
				return err
			}
		}
	}
	x, label := digits.Batch(test)
	r, err := evaluate.NewSession(exec.ShareParams(session)).Run(ctx, exec.Feed{m.image: x, m.label: label})
	if err != nil {
		return err
	}
	accuracy, err := r.Scalar(m.accuracy)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "test accuracy %.1f %%\n", 100*accuracy)
	return nil
}
