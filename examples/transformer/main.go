// Command transformer trains a transformer block whose functions state the shapes of arguments and results.
// It learns which token of a sequence is the largest, from sequences of all lengths:
//
//	go run ./examples/transformer
//
// model.go has the model, and mistakes.go has three wrong versions of its functions: the messages of the
// check about these are printed by
//
//	go run ./examples/transformer -mistakes
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"

	"gorgonia.org/tensor"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/shapeinfer"
)

const (
	steps = 300
	batch = 64
)

func main() {
	dir, err := os.Getwd()
	if err == nil {
		err = run(context.Background(), os.Args[1:], dir, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "transformer:", err)
		os.Exit(1)
	}
}

// run does what the arguments ask; file names are relative to a directory.
func run(ctx context.Context, args []string, dir string, stdout io.Writer) error {
	flags := flag.NewFlagSet("transformer", flag.ExitOnError)
	wrong := flags.Bool("mistakes", false, "write what is said of wrong versions")
	seed := flags.Uint64("seed", 1, "`seed` of the sequences and of the first parameters")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *wrong {
		for _, m := range mistakes {
			fmt.Fprintf(stdout, "# %s\n%s\n\n", m.title, shapeinfer.Check(m.build()).Text(dir))
		}
		return nil
	}
	accuracy, err := newModel().train(ctx, *seed)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%.1f %% of the places of new sequences are right\n", 100*accuracy)
	return nil
}

// train returns the fraction of positions in new sequences that is right after training.
func (m model) train(ctx context.Context, seed uint64) (accuracy float64, err error) {
	prog, err := exec.Compile(m.graph, exec.Outputs(m.accuracy), exec.Updates(m.step...))
	if err != nil {
		return 0, err
	}
	session, random := prog.NewSession(exec.Seed(seed)), rand.New(rand.NewPCG(seed, 0))
	for range steps {
		if _, err := session.Run(ctx, m.sequences(random, batch, 1+random.IntN(longest))); err != nil {
			return 0, err
		}
	}
	r, err := session.RunWithoutUpdates(ctx, m.sequences(random, 1000, longest))
	if err != nil {
		return 0, err
	}
	return r.Scalar(m.accuracy)
}

// sequences returns random sequences of one length, and for each position the largest token.
func (m model) sequences(random *rand.Rand, count, length int) exec.Feed {
	ids, target := make([]int64, count*length), make([]int64, 0, count*length)
	for i := range count {
		sequence := ids[i*length : (i+1)*length]
		for at := range sequence {
			sequence[at] = random.Int64N(tokens)
		}
		target = append(target, slices.Repeat([]int64{slices.Max(sequence)}, length)...)
	}
	dense := func(list []int64) *tensor.Dense {
		return tensor.New(tensor.WithShape(count, length), tensor.WithBacking(list))
	}
	return exec.Feed{m.ids: dense(ids), m.target: dense(target)}
}
