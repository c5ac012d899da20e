// The models command measures workloads with Broadloom and its peers by turns, on the same
// numbers, and prints Markdown tables: times, then compilation and memory. A result that differs
// ends it. Of a peer that has no such workload, or is not installed, it says so.
//
//	BROADLOOM_PYTHON=python3 BROADLOOM_XLA_PYTHON=python3 go run -C bench ./models -peers torch,jax
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/broadloom/broadloom/bench/broadloom"
	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/graph"
)

func main() {
	os.Exit(sidebyside.Command(func(ctx context.Context, args []string) error { return run(ctx, args, os.Stdout) }))
}

// options is the command line.
type options struct {
	peers   []peer
	only    string
	threads int
	// autocast says that models are built in mixed precision, which PyTorch has too.
	autocast bool
	rule     sidebyside.Rule
	// patience is how long a peer may take for its first result: PyTorch's compiler unrolls loops.
	patience time.Duration
}

// pause is longer than the threads of any peer were seen to spin for.
const pause = 200 * time.Millisecond

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("models", flag.ContinueOnError)
	names := flags.String("peers", "torch,jax,onnxruntime", "libraries beside Broadloom, some of "+allPeers())
	flags.StringVar(&o.only, "only", "", "measure workloads whose name contains one of these, comma-separated")
	flags.BoolVar(&o.autocast, "autocast", false,
		"compute in mixed precision, in bfloat16, in Broadloom and PyTorch alone")
	flags.IntVar(&o.threads, "threads", 1, "threads that a side may use")
	flags.IntVar(&o.rule.Rounds, "rounds", 7, "samples of each side for each workload")
	flags.DurationVar(&o.patience, "patience", 5*time.Minute,
		"time that a peer may take for its first result of a workload")
	flags.DurationVar(&o.rule.Sample, "sample", 100*time.Millisecond, "length of a sample")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.patience <= 0:
		return o, errors.New("-patience must be positive")
	case o.threads < 1 || o.rule.Rounds < 1 || o.rule.Sample <= 0:
		return o, errors.New("-threads, -rounds and -sample must be positive")
	}
	if o.threads > 1 {
		o.rule.Pause = pause
	}
	var err error
	o.peers, err = choosePeers(*names)
	return o, err
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(o.threads)
	r := newReport(out, o.peers)
	for _, w := range suite.Match(strings.Split(o.only, ",")) {
		m, err := o.measure(ctx, w)
		if err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		r.add(w, m)
	}
	r.end()
	return ctx.Err()
}

// dtype is what models are lowered to: Float32 is none.
func (o options) dtype() graph.DType {
	if o.autocast {
		return graph.BFloat16
	}
	return graph.Float32
}

// measurement is the measurement of a side on a workload.
type measurement struct {
	sidebyside.Timing
	first, compilation float64 // seconds
	peak               int     // bytes; 0 where the side does not tell
	missing            error   // why nothing was measured, or nil
}

// measure measures a workload on all sides, Broadloom's first.
func (o options) measure(ctx context.Context, w suite.Workload) (m []measurement, err error) {
	in := w.Inputs()
	start := time.Now()
	ours, err := broadloom.NewIn(o.dtype(), w, in)
	if err != nil {
		return nil, err
	}
	if err := ours.Step(); err != nil {
		return nil, err
	}
	m = make([]measurement, 1+len(o.peers))
	m[0].first, m[0].compilation = time.Since(start).Seconds(), ours.Compilation().Seconds()
	if m[0].peak, err = ours.Peak(); err != nil {
		return nil, err
	}
	sides, places := []sidebyside.Side{sidebyside.Func(ours.Step)}, []int{0}
	var remotes []*remote
	defer func() {
		for _, r := range remotes {
			err = errors.Join(err, r.Close())
		}
	}()
	for i, p := range o.peers {
		r, failed := o.start(ctx, p, w, in)
		if failed != nil {
			m[1+i].missing = failed
			continue
		}
		remotes = append(remotes, r)
		if err := o.agree(w, ours, r); err != nil {
			return nil, err
		}
		m[1+i].first, m[1+i].compilation = r.first, r.compilation
		sides, places = append(sides, r), append(places, 1+i)
	}
	timings, err := o.rule.ByTurns(sides...)
	if err != nil {
		return nil, err
	}
	for i, t := range timings {
		m[places[i]].Timing = t
		if i > 0 {
			if m[places[i]].peak, err = remotes[i-1].peak(); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// start starts a peer, and gives up if it takes too long.
func (o options) start(ctx context.Context, p peer, w suite.Workload, in *suite.Inputs) (*remote, error) {
	ctx, stop := context.WithCancel(ctx)
	timer := time.AfterFunc(o.patience, stop)
	r, err := p.start(ctx, o, w, in)
	if !timer.Stop() {
		return nil, unable{reason: fmt.Sprintf("no first result within %v", o.patience)}
	}
	return r, err
}
