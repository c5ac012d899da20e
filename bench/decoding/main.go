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
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/broadloom/broadloom/bench/sidebyside"
)

//go:embed side_torch.py
var script []byte

func main() {
	os.Exit(sidebyside.Command(func(ctx context.Context, args []string) error { return run(ctx, args, os.Stdout) }))
}

func parse(args []string) (sidebyside.Options, error) {
	opts, err := sidebyside.ParseOptions("decoding", 20*time.Millisecond, args, os.Stderr)
	if opts.Threads > 1 {
		opts.Rule.Pause = 200 * time.Millisecond // the threads of PyTorch spin for milliseconds after a call
	}
	return opts, err
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	opts, err := parse(args)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(opts.Threads)
	var python *sidebyside.Python
	if opts.Python != "" {
		if python, err = sidebyside.StartAnswering(ctx, opts.Python, opts.Threads, script); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, python.Close()) }()
	}
	fmt.Fprintln(out, "| step | Broadloom, ms | PyTorch, ms | ratio | keys and values, GB/s | of the read rate |")
	fmt.Fprintln(out, "| --- | ---: | ---: | ---: | ---: | ---: |")
	for _, s := range steps() {
		if !opts.Wants(s.String()) {
			continue
		}
		if err := s.measure(ctx, opts, python, out); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// measure times a step and writes its row.
func (s step) measure(ctx context.Context, opts sidebyside.Options, python *sidebyside.Python, out io.Writer) error {
	in := s.inputs()
	p, err := s.compile(ctx, opts.Threads, in)
	if err != nil {
		return err
	}
	ours, err := p.answer()
	if err != nil {
		return err
	}
	read, err := s.reader(ctx, opts.Threads)
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
	timings, err := opts.Rule.ByTurns(sides...)
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
