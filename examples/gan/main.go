// Command gan learns to draw points of a distribution that it knows only from examples: eight clusters
// on a ring. A generator turns noise into points, and a discriminator distinguishes them from real ones
// (Goodfellow and others, Generative adversarial nets, 2014).
//
//	go run ./examples/gan
//
// model.go has the two networks, with an optimiser and a program for each.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"github.com/broadloom/broadloom/examples/internal/cli"
	"github.com/broadloom/broadloom/exec"
)

const (
	clusters  = 8
	deviation = 0.1 // of a cluster; the ring has radius 2
)

func main() { cli.Main("gan", run) }

func run(ctx context.Context, args []string, stdout io.Writer) error {
	var steps, batch int
	var seed uint64
	if err := cli.Parse("gan", args, func(f *flag.FlagSet) {
		f.IntVar(&steps, "steps", 6000, "`steps` of both networks")
		f.IntVar(&batch, "batch", 256, "`points` of a step")
		f.Uint64Var(&seed, "seed", 1, "`seed` of points, noise and first values")
	}); err != nil {
		return err
	}
	m := newModel(steps)
	judging, err := exec.Compile(m.graph, exec.Outputs(m.discriminatorLoss), exec.Updates(m.discriminatorStep...))
	if err != nil {
		return err
	}
	drawing, err := exec.Compile(m.graph, exec.Outputs(m.generatorLoss, m.drawn), exec.Updates(m.generatorStep...))
	if err != nil {
		return err
	}
	discriminator := judging.NewSession(exec.Seed(seed))
	generator := drawing.NewSession(exec.ShareParams(discriminator), exec.Size("batch", batch))
	random := rand.New(rand.NewPCG(seed, 0))
	for step := 1; step <= steps; step++ {
		if _, err := discriminator.Run(ctx, exec.Feed{m.real: ring(random, batch)}); err != nil {
			return err
		}
		r, err := generator.Run(ctx, nil)
		if err != nil {
			return err
		}
		if step%max(steps/10, 1) == 0 {
			points, err := exec.Values[float32](r, m.drawn)
			if err != nil {
				return err
			}
			found, near := judge(points)
			fmt.Fprintf(stdout, "step %5d: %d of %d clusters, %.0f %% of the points in one\n", step, found, clusters,
				100*near)
		}
	}
	return nil
}

// ring draws points of the distribution, as [n, 2].
func ring(random *rand.Rand, n int) (points []float32) {
	for range n {
		x, y := center(random.IntN(clusters))
		points = append(points, float32(x+deviation*random.NormFloat64()), float32(y+deviation*random.NormFloat64()))
	}
	return points
}

func center(cluster int) (x, y float64) {
	sin, cos := math.Sincos(2 * math.Pi * float64(cluster) / clusters)
	return 2 * cos, 2 * sin
}

// judge returns how many clusters have at least a quarter of their share of the points, and the fraction
// of the points within four deviations of a cluster's center.
func judge(points []float32) (found int, near float64) {
	count := make([]int, clusters)
	for i := 0; i < len(points); i += 2 {
		for c := range clusters {
			if x, y := center(c); math.Hypot(float64(points[i])-x, float64(points[i+1])-y) < 4*deviation {
				count[c]++
				near++
			}
		}
	}
	n := len(points) / 2
	for _, k := range count {
		if 4*k*clusters >= n {
			found++
		}
	}
	return found, near / float64(n)
}
