// Command heat solves the heat equation with a network that knows the equation: its loss is how far
// its own derivatives are from satisfying it (Raissi and others, Physics-informed neural networks,
// 2019).
//
//	∂u/∂t = α ∂²u/∂x²,   u(x, 0) = sin πx,   u(0, t) = u(1, t) = 0
//
// The command compares with the exact solution, exp(-απ²t)·sin πx.
//
//	go run ./examples/heat
//
// model.go has the network, its derivatives and its loss.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"

	"github.com/broadloom/broadloom/examples/internal/cli"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/optim/lbfgs"
)

func main() { cli.Main("heat", run) }

func run(ctx context.Context, args []string, stdout io.Writer) error {
	var steps, points int
	var seed uint64
	if err := cli.Parse("heat", args, func(f *flag.FlagSet) {
		f.IntVar(&steps, "steps", 60, "`steps` of L-BFGS, each of up to 20 directions")
		f.IntVar(&points, "points", 32, "`points` along each axis at which the equation must hold")
		f.Uint64Var(&seed, "seed", 1, "`seed` of the first values")
	}); err != nil {
		return err
	}
	m := newModel()
	train, err := exec.Compile(m.graph, exec.Outputs(append(m.grads, m.loss)...))
	if err != nil {
		return err
	}
	evaluate, err := exec.Compile(m.graph, exec.Outputs(m.u))
	if err != nil {
		return err
	}
	session := train.NewSession(exec.Seed(seed))
	solution := evaluate.NewSession(exec.ShareParams(session))
	minimizer, err := lbfgs.New(session, m.loss, m.params, m.grads)
	if err != nil {
		return err
	}
	x, t := grid(points)
	feed := exec.Feed{m.x: x, m.t: t, m.edge: axis(points)}
	for step := 1; step <= steps; step++ {
		loss, err := minimizer.Step(ctx, feed)
		if err != nil {
			return err
		}
		if step%max(steps/6, 1) == 0 {
			worst, err := m.worst(ctx, solution)
			if err != nil {
				return err
			}
			fmt.Fprintf(stdout, "step %3d: loss %.1e, largest error %.1e\n", step, loss, worst)
		}
	}
	return nil
}

// worst returns the largest difference from the exact solution, at points that were not learned.
func (m *model) worst(ctx context.Context, solution *exec.Session) (float64, error) {
	x, t := grid(101)
	r, err := solution.Run(ctx, exec.Feed{m.x: x, m.t: t})
	if err != nil {
		return 0, err
	}
	u, err := exec.Values[float64](r, m.u)
	if err != nil {
		return 0, err
	}
	worst := 0.0
	for i := range x {
		worst = math.Max(worst, math.Abs(u[i]-exact(x[i], t[i])))
	}
	return worst, nil
}

func exact(x, t float64) float64 {
	return math.Exp(-diffusivity*math.Pi*math.Pi*t) * math.Sin(math.Pi*x)
}

// axis returns n points from 0 to 1.
func axis(n int) []float64 {
	points := make([]float64, n)
	for i := range points {
		points[i] = float64(i) / float64(max(n-1, 1))
	}
	return points
}

// grid returns the coordinates of n x n points.
func grid(n int) (x, t []float64) {
	for _, a := range axis(n) {
		for _, b := range axis(n) {
			x, t = append(x, a), append(t, b)
		}
	}
	return x, t
}
