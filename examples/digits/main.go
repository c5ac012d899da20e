// Command digits learns to read handwritten digits: 8x8 pixels in, one of ten digits out.
//
// It trains a small network on data that lie in the program, prints loss and accuracy
// after each epoch, and writes the curve of the loss and pictures of the graph:
//
//	go run ./examples/digits
//
// data.go reads the examples, model.go builds the program, train.go trains it, pictures.go draws.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// config is what the user can choose.
type config struct {
	out    string
	epochs int
	batch  int
	hidden int
	rate   float64
	seed   uint64
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "digits:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c, err := parse(args, stderr)
	if err != nil {
		return err
	}
	examples, err := loadExamples()
	if err != nil {
		return err
	}
	training, test := examples.split(c.seed)
	fmt.Fprintf(stdout, "%d images to learn from, %d to test on\n", training.len(), test.len())

	bar := newBar(stderr, c.epochs*training.batches(c.batch))
	t, err := newTrainer(c)
	if err != nil {
		return err
	}
	history, err := t.train(ctx, training, test, func() { bar.Add(1) }, func(e epoch) {
		bar.Clear()
		fmt.Fprintf(stdout, "epoch %2d   loss %.4f   test loss %.4f   test accuracy %.2f %%\n", e.number, e.loss, e.testLoss, 100*e.accuracy)
	})
	bar.Exit()
	if err != nil {
		return err
	}
	say := func(err error) { fmt.Fprintln(stderr, "digits:", err) }
	for _, f := range writePictures(ctx, c.out, t.model.graph, history, say) {
		fmt.Fprintln(stdout, "wrote", f)
	}
	return nil
}

func parse(args []string, stderr io.Writer) (c config, err error) {
	f := flag.NewFlagSet("digits", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&c.out, "out", filepath.Join("out", "digits"), "`folder` for the pictures; it is made if need be")
	f.IntVar(&c.epochs, "epochs", 25, "`times` to go through the training images")
	f.IntVar(&c.batch, "batch", 32, "`images` in each step")
	f.IntVar(&c.hidden, "hidden", 128, "`values` in the hidden layer")
	f.Float64Var(&c.rate, "rate", 3e-3, "learning `rate`")
	f.Uint64Var(&c.seed, "seed", 1, "`seed` of the split, the order of images and the first weights")
	switch err = f.Parse(args); {
	case err != nil:
		return c, err
	case f.NArg() > 0:
		return c, fmt.Errorf("%q is no flag; digits -help lists them", f.Arg(0))
	case c.epochs < 1 || c.batch < 1 || c.hidden < 1:
		return c, errors.New("-epochs, -batch and -hidden must be at least 1")
	}
	return c, nil
}

// newBar makes a progress bar that shows on terminals only.
func newBar(w io.Writer, steps int) *progressbar.ProgressBar {
	f, isFile := w.(*os.File)
	return progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(isFile && term.IsTerminal(int(f.Fd()))),
		progressbar.OptionSetDescription("training"),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish())
}
