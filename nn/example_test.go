package nn_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// A network is applied in a pass of training and in one of evaluation: two programs, one set of
// parameters.
func ExampleSequential() {
	g := graph.New("signs")
	x, label := g.Input("x", graph.Float32, g.Dim("batch"), 1), g.Input("label", graph.Int64, g.Dim("batch"))
	network := nn.Sequential(nn.NewLinear(g, "1", 1, 16), nn.Func(ops.Tanh), nn.Dropout(0.1),
		nn.NewLinear(g, "2", 16, 2))

	training := nn.Training(g)
	loss := ops.CrossEntropy(network.Apply(training, x), label)
	class := ops.ArgMax(network.Apply(nn.Evaluation(g), x), 1)
	train, err := exec.Compile(g, exec.Updates(append(optim.Adam(0.05).Minimize(loss), training.Updates()...)...))
	if err != nil {
		log.Fatal(err)
	}
	evaluate, err := exec.Compile(g, exec.Outputs(class))
	if err != nil {
		log.Fatal(err)
	}
	session := train.NewSession(exec.Seed(1))
	xs := []float32{-2, -1, 1, 2}
	for range 100 {
		if _, err := session.Run(context.Background(), exec.Feed{x: xs, label: []int64{0, 0, 1, 1}}); err != nil {
			log.Fatal(err)
		}
	}
	r, err := evaluate.NewSession(exec.ShareParams(session)).Run(context.Background(), exec.Feed{x: xs})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(exec.Values[int64](r, class))
	// Output:
	// [0 0 1 1] <nil>
}

// gate is a layer of one's own.
type gate struct{ value, gate *nn.Linear }

func newGate(g *graph.Graph, name string, in, out int) *gate {
	return &gate{nn.NewLinear(g, name+".value", in, out), nn.NewLinear(g, name+".gate", in, out)}
}

func (l *gate) Apply(p *nn.Pass, x *graph.Node) *graph.Node {
	return ops.Mul(l.value.Apply(p, x), ops.Sigmoid(l.gate.Apply(p, x)))
}

// A layer of one's own is a type with a method Apply. It stands wherever the library's do.
func ExampleLayer() {
	g := graph.New("gates")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 8)
	network := nn.Sequential(newGate(g, "first", 8, 16), nn.Residual(newGate(g, "second", 16, 16)))
	fmt.Println(network.Apply(nn.Evaluation(g), x).Shape())
	for _, p := range g.Params() {
		fmt.Println(p.Name(), p.Shape())
	}
	// Output:
	// [batch, 16]
	// first.value.weight [16, 8]
	// first.value.bias [16]
	// first.gate.weight [16, 8]
	// first.gate.bias [16]
	// second.value.weight [16, 16]
	// second.value.bias [16]
	// second.gate.weight [16, 16]
	// second.gate.bias [16]
}

// One layer is applied to two values, with the same parameters.
func ExampleNewLinear() {
	g := graph.New("twins")
	left, right := g.Input("left", graph.Float32, g.Dim("batch"), 4), g.Input("right", graph.Float32, g.Dim("batch"), 4)
	tower, p := nn.NewLinear(g, "tower", 4, 2, nn.NoBias()), nn.Evaluation(g)
	likeness := ops.Sum(ops.Mul(tower.Apply(p, left), tower.Apply(p, right)), 1)
	fmt.Println(likeness.Shape(), len(g.Params()), "parameter")
	// Output:
	// [batch] 1 parameter
}

// A pass of training writes running statistics, which an evaluation reads.
func ExampleBatchNorm() {
	g := graph.New("norm")
	x := g.Input("x", graph.Float32, g.Dim("batch", graph.AtLeast(2)), 1)
	norm, training := nn.NewBatchNorm(g, "norm", 1), nn.Training(g)
	y := norm.Apply(training, x)
	prog, err := exec.Compile(g, exec.Outputs(y), exec.Updates(training.Updates()...))
	if err != nil {
		log.Fatal(err)
	}
	session := prog.NewSession()
	r, err := session.Run(context.Background(), exec.Feed{x: []float32{10, 30}})
	if err != nil {
		log.Fatal(err)
	}
	values, err := exec.Values[float32](r, y)
	fmt.Printf("%.3f %v\n", values, err)
	mean, err := session.Param(norm.RunningMean)
	fmt.Println(mean.Data, err)
	// Output:
	// [-1.000 1.000] <nil>
	// [2] <nil>
}

// A cache holds the keys and values of places that were seen, so that each run takes new places only.
func ExampleMultiHeadAttention_NewCache() {
	g := graph.New("cache")
	x := g.Input("x", graph.Float32, 1, g.Dim("new", graph.AtLeast(1)), 8)
	attention := nn.NewMultiHeadAttention(g, "attention", 8, 2, nn.Causal())
	cache, p := attention.NewCache("cache", 1, 16), nn.Evaluation(g)
	y := attention.Attend(p, x, x, x, nn.Cached(cache))
	prog, err := exec.Compile(g, exec.Outputs(y), exec.Updates(p.Updates()...))
	if err != nil {
		log.Fatal(err)
	}
	session := prog.NewSession()
	for _, places := range []int{5, 1, 1} {
		if _, err := session.Run(context.Background(), exec.Feed{x: make([]float32, 8*places)}); err != nil {
			log.Fatal(err)
		}
	}
	length, err := session.Param(cache.Length)
	fmt.Println(length.Data, err)
	// Output:
	// [7] <nil>
}

// Initialisers are options of layers, and of parameters of one's own.
func ExampleOrthogonal() {
	w := make([]float64, 4)
	nn.Orthogonal(1).Fill(w, []int{2, 2}, 7)
	fmt.Printf("%.3f %v\n", w[0]*w[0]+w[1]*w[1], math.Abs(w[0]*w[2]+w[1]*w[3]) < 1e-12)
	// Output:
	// 1.000 true
}
