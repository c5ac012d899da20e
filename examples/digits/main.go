// Command digits learns to read handwritten digits: 8x8 pixels in, one of ten digits out.
//
// It trains a small network on data that are part of the program, prints loss and accuracy
// after each epoch, and writes the curves of both and pictures of the graph:
//
//	go run ./examples/digits
//
// model.go builds the graph, train.go reads the data and trains, and pictures.go draws.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/broadloom/broadloom/examples/internal/cli"
)

// config has the user's choices.
type config struct {
	out    string
	epochs int
	batch  int
	hidden int
	rate   float64
	seed   uint64
}

func main() {
	cli.Main("digits", func(ctx context.Context, args []string, stdout io.Writer) error {
		return run(ctx, args, stdout, os.Stderr)
	})
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var c config
	if err := cli.Parse("digits", args, func(f *flag.FlagSet) {
		f.StringVar(&c.out, "out", filepath.Join("out", "digits"), "`folder` for the pictures; it is made if need be")
		f.IntVar(&c.epochs, "epochs", 25, "`times` to go through the training images")
		f.IntVar(&c.batch, "batch", 32, "`images` in each step")
		f.IntVar(&c.hidden, "hidden", 128, "`values` in the hidden layer")
		f.Float64Var(&c.rate, "rate", 3e-3, "learning `rate`")
		f.Uint64Var(&c.seed, "seed", 1, "`seed` of the split, the order of images and the first weights")
	}); err != nil {
		return err
	}
	m := newModel(c.hidden)
	history, err := learn(ctx, c, m, stdout)
	if err != nil {
		return err
	}
	say := func(err error) { fmt.Fprintln(stderr, "digits:", err) }
	for _, f := range writePictures(ctx, c.out, m.graph, history.Curves(), say) {
		fmt.Fprintln(stdout, "wrote", f)
	}
	return nil
}
