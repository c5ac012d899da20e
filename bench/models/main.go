// The models command measures whole models with Broadloom and with PyTorch by turns, on the
// same numbers, and prints a Markdown table. A result that differs ends it.
//
//	go run -C bench ./models -python python3 -mode eager
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"github.com/broadloom/broadloom/bench/broadloom"
	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/bench/suite"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options is the command line.
type options struct {
	python, mode, only string
	threads            int
	rule               sidebyside.Rule
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("models", flag.ContinueOnError)
	flags.StringVar(&o.python, "python", "python3", "Python `interpreter` that has NumPy and PyTorch")
	flags.StringVar(&o.mode, "mode", "eager", "how PyTorch runs: eager or compile")
	flags.StringVar(&o.only, "only", "", "measure models whose name contains one of these, comma-separated")
	flags.IntVar(&o.threads, "threads", 1, "threads that a side may use")
	flags.IntVar(&o.rule.Rounds, "rounds", 7, "samples of each side for each model")
	flags.DurationVar(&o.rule.Sample, "sample", 100*time.Millisecond, "length of a sample")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.mode != "eager" && o.mode != "compile":
		return o, fmt.Errorf("-mode is %q; it must be eager or compile", o.mode)
	case o.threads < 1 || o.rule.Rounds < 1 || o.rule.Sample <= 0:
		return o, errors.New("-threads, -rounds and -sample must be positive")
	}
	return o, nil
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(o.threads)
	fmt.Fprint(out, "| model | PyTorch, ms | Broadloom, ms | ratio, least | ratio, median | PyTorch's first, s | Broadloom's first, s |",
		" PyTorch's peak, MB | Broadloom's peak, MB |\n| --- |", strings.Repeat(" ---: |", 8), "\n")
	for _, w := range suite.Match(strings.Split(o.only, ",")) {
		if _, ok := kinds[w.Kind]; !ok {
			continue
		}
		if err := measure(ctx, o, w, out); err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
	}
	return nil
}

// measure writes the row of a model.
func measure(ctx context.Context, o options, w suite.Workload, out io.Writer) (err error) {
	start := time.Now()
	in := w.Inputs()
	made := time.Since(start)
	ours, err := broadloom.New(w, in)
	if err != nil {
		return err
	}
	if err := ours.Step(); err != nil {
		return err
	}
	first := time.Since(start) - made
	theirs, err := startTorch(ctx, o.python, o.threads, o.mode, w, in)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, theirs.Close()) }()
	if err := agree(ours, theirs); err != nil {
		return err
	}
	timings, err := o.rule.ByTurns(sidebyside.Func(ours.Step), theirs)
	if err != nil {
		return err
	}
	arena, err := ours.Peak()
	if err != nil {
		return err
	}
	peak, err := theirs.peak()
	if err != nil {
		return err
	}
	us, torch := timings[0], timings[1]
	const milli, mega = 1e3, 1e6
	_, err = fmt.Fprintf(out, "| %s | %.4g | %.4g | %.2f | %.2f | %.3g | %.3g | %.1f | %.1f |\n", w.Name, torch.Median*milli, us.Median*milli,
		torch.Min/us.Min, torch.Median/us.Median, theirs.first, first.Seconds(), float64(peak)/mega, float64(arena)/mega)
	return err
}
