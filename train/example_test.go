package train_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"os"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/train"
)

// line returns a loop that fits y = w·x to two points, which are fed again and again.
func line(epochs int) *train.Loop {
	g := graph.New("line")
	n := g.Dim("n")
	x, y, w := g.Input("x", graph.Float32, n), g.Input("y", graph.Float32, n), g.Param("w", graph.Float32)
	loss := ops.MSE(ops.Mul(x, w), y)
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.SGD(0.1).Minimize(loss)...))
	if err != nil {
		log.Fatal(err)
	}
	batches := func(_ context.Context, _, first int) iter.Seq2[exec.Feed, error] {
		return func(yield func(exec.Feed, error) bool) {
			for step := first; step < 2 && yield(exec.Feed{x: []float32{1, 2}, y: []float32{3, 6}}, nil); step++ {
			}
		}
	}
	return &train.Loop{Session: prog.NewSession(), Loss: loss, Batches: batches, Epochs: epochs}
}

func ExampleLoop() {
	l := line(3)
	l.Observers = []train.Observer{train.OnEpoch(func(e train.Epoch) error {
		fmt.Printf("epoch %d: mean loss %.3f\n", e.Number, e.Loss)
		return nil
	})}
	result, err := l.Run(context.Background())
	fmt.Println(result.Total, "steps", err)
	// Output:
	// epoch 0: mean loss 14.062
	// epoch 1: mean loss 0.879
	// epoch 2: mean loss 0.055
	// 6 steps <nil>
}

func ExampleLog() {
	l := line(1)
	l.Observers = []train.Observer{train.NewLog(os.Stdout)}
	if _, err := l.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"kind":"step","epoch":0,"step":1,"values":{"loss":22.5}}
	// {"kind":"step","epoch":0,"step":2,"values":{"loss":5.625}}
	// {"kind":"epoch","epoch":0,"step":2,"values":{"loss":14.0625}}
}
