// Command regression fits a line through noisy points, by gradient descent on a compiled
// program, and compares it with the solution of the least-squares problem:
//
//	go run ./examples/regression
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/viz"
	"github.com/broadloom/broadloom/viz/svg"
)

const (
	points = 500
	steps  = 200
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "regression:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("regression", flag.ExitOnError)
	picture := flags.String("picture", "", "`file` to which a picture of the graph is written, as SVG")
	seed := flags.Uint64("seed", 1, "`seed` of the points")
	if err := flags.Parse(args); err != nil {
		return err
	}
	m := newModel()
	xs, ts := noisyPoints(*seed)
	learned, err := m.fit(ctx, xs, ts)
	if err != nil {
		return err
	}
	exact, err := leastSquares(xs, ts)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "truth            %+.4f\n", truth)
	fmt.Fprintf(stdout, "gradient descent %+.4f\n", learned)
	fmt.Fprintf(stdout, "least squares    %+.4f\n", exact)
	if *picture == "" {
		return nil
	}
	var drawn bytes.Buffer
	if err := viz.SVG(ctx, &drawn, viz.Graph(m.graph), viz.RenderWith(svg.Render), viz.Report(func(err error) {
		fmt.Fprintln(os.Stderr, "regression:", err) // a simpler form of the picture follows
	})); err != nil {
		return err
	}
	return os.WriteFile(*picture, drawn.Bytes(), 0o644)
}

// model is the line t = x·w + b with its loss and one step of gradient descent.
type model struct {
	graph            *graph.Graph
	x, t, w, b, loss *graph.Node
	step             []*graph.Node
}

func newModel() model {
	g := graph.New("regression")
	batch := g.Dim("batch") // a size known only at run time
	m := model{
		graph: g,
		x:     g.Input("x", graph.Float32, batch, 2),
		t:     g.Input("t", graph.Float32, batch),
		w:     g.Param("w", graph.Float32, 2),
		b:     g.Param("b", graph.Float32),
	}
	y := ops.Add(ops.Sum(ops.Mul(m.x, m.w), 1), m.b) // w and b are repeated for the rows of x
	m.loss = ops.Mean(ops.Square(ops.Sub(y, m.t))).Named("loss")
	m.step = optim.SGD(0.1).Minimize(m.loss, m.w, m.b) // in-place updates, part of the graph
	return m
}

// checked is the model for `broadloom check ./examples/regression`.
//
//broadloom:model
func checked() *graph.Graph { return newModel().graph }

// fit returns the two elements of w, and b.
func (m model) fit(ctx context.Context, xs, ts *tensor.Dense) ([3]float64, error) {
	var fitted [3]float64
	prog, err := exec.Compile(m.graph, exec.Outputs(m.loss), exec.Updates(m.step...))
	if err != nil {
		return fitted, err // every mistake, each with file and line
	}
	session := prog.NewSession()
	for range steps {
		if _, err := session.Run(ctx, exec.Feed{m.x: xs, m.t: ts}); err != nil {
			return fitted, err
		}
	}
	w, err := session.Param(m.w)
	if err != nil {
		return fitted, err
	}
	b, err := session.Param(m.b)
	if err != nil {
		return fitted, err
	}
	for i, v := range append(w.Data.([]float32), b.Data.([]float32)...) {
		fitted[i] = float64(v)
	}
	return fitted, nil
}

// truth is the line around which the points scatter: w and b.
var truth = [3]float64{3, -2, 0.5}

// noisyPoints returns x, float32 [points, 2], and t, float32 [points].
func noisyPoints(seed uint64) (xs, ts *tensor.Dense) {
	random := rand.New(rand.NewPCG(seed, 0))
	x, t := make([]float32, 2*points), make([]float32, points)
	for i := range t {
		a, b := random.NormFloat64(), random.NormFloat64()
		x[2*i], x[2*i+1] = float32(a), float32(b)
		t[i] = float32(truth[0]*a + truth[1]*b + truth[2] + 0.1*random.NormFloat64())
	}
	return tensor.New(tensor.WithShape(points, 2), tensor.WithBacking(x)),
		tensor.New(tensor.WithShape(points), tensor.WithBacking(t))
}

// leastSquares solves the same problem in closed form.
func leastSquares(xs, ts *tensor.Dense) (fitted [3]float64, err error) {
	x, t := xs.Float32s(), ts.Float32s()
	a, y := mat.NewDense(points, 3, nil), mat.NewVecDense(points, nil)
	for i, v := range t {
		a.SetRow(i, []float64{float64(x[2*i]), float64(x[2*i+1]), 1})
		y.SetVec(i, float64(v))
	}
	err = mat.NewVecDense(3, fitted[:]).SolveVec(a, y)
	return fitted, err
}
