// The decoding command measures steps of attention with a cache of keys and values, as they occur when a transformer
// generates text token by token, with Broadloom and with PyTorch by turns, and beside the rate at which memory is read.
// Without -python it measures Broadloom only.
//
//	go run -C bench ./decoding -python python3
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/broadloom/broadloom/bench/sidebyside"
)

//go:embed side_torch.py
var script []byte

func main() {
	os.Exit(sidebyside.Command(func(ctx context.Context, args []string) error { return run(ctx, args, os.Stdout) }))
}

// options is the command line.
type options struct {
	python, only string
	threads      int
	rule         sidebyside.Rule
}

func parse(args []string) (opts options, err error) {
	flags := flag.NewFlagSet("decoding", flag.ContinueOnError)
	flags.StringVar(&opts.python, "python", "",
		"Python `interpreter` that has NumPy and PyTorch; without it only Broadloom is measured")
	flags.IntVar(&opts.threads, "threads", 1, "threads that a side may use")
	flags.IntVar(&opts.rule.Rounds, "rounds", 9, "samples of each side for each step")
	flags.DurationVar(&opts.rule.Sample, "sample", 20*time.Millisecond, "length of a sample")
	flags.StringVar(&opts.only, "only", "", "measure steps whose name contains one of these, comma-separated")
	if err := flags.Parse(args); err != nil {
		return opts, err
	}
	switch {
	case flags.NArg() > 0:
		return opts, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case opts.threads < 1 || opts.rule.Rounds < 1 || opts.rule.Sample <= 0:
		return opts, errors.New("-threads, -rounds and -sample must be positive")
	}
	if opts.threads > 1 {
		opts.rule.Pause = 200 * time.Millisecond // the threads of PyTorch spin for milliseconds after a call
	}
	return opts, nil
}

// wants reports whether a step is to be measured.
func (opts options) wants(s step) bool {
	for part := range strings.SplitSeq(opts.only, ",") {
		if strings.Contains(s.String(), part) {
			return true
		}
	}
	return false
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	opts, err := parse(args)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(opts.threads)
	var python *sidebyside.Python
	if opts.python != "" {
		if python, err = sidebyside.StartAnswering(ctx, opts.python, opts.threads, script); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, python.Close()) }()
	}
	fmt.Fprintln(out, "| step | Broadloom, ms | PyTorch, ms | ratio | keys and values, GB/s | of the read rate |")
	fmt.Fprintln(out, "| --- | ---: | ---: | ---: | ---: | ---: |")
	for _, s := range steps() {
		if !opts.wants(s) {
			continue
		}
		if err := s.measure(ctx, opts, python, out); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// measure times a step and writes its row.
func (s step) measure(ctx context.Context, opts options, python *sidebyside.Python, out io.Writer) error {
	in := s.inputs()
	p, err := s.compile(ctx, opts.threads, in)
	if err != nil {
		return err
	}
	ours, err := p.answer()
	if err != nil {
		return err
	}
	read, err := s.reader(ctx, opts.threads)
	if err != nil {
		return err
	}
	sides := []sidebyside.Side{sidebyside.Func(p.step), sidebyside.Func(read)}
	if python != nil {
		if err := s.agrees(python, in, ours); err != nil {
			return err
		}
		sides = append(sides, python)
	}
	timings, err := opts.rule.ByTurns(sides...)
	if err != nil {
		return err
	}
	took, theirs, ratio := timings[0].Min, "–", "–"
	if python != nil {
		theirs, ratio = fmt.Sprintf("%.3f", 1e3*timings[2].Min), fmt.Sprintf("%.2f", timings[2].Min/took)
	}
	fmt.Fprintf(out, "| %s | %.3f | %s | %s | %.1f | %.0f %% |\n", s, 1e3*took, theirs, ratio,
		float64(s.cacheBytes())/took/1e9, 100*timings[1].Min/took)
	return nil
}
