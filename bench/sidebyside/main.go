package sidebyside

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/peak"
)

// Options is the command line of a command that measures tasks by turns.
type Options struct {
	Python  string // an interpreter; empty for Broadloom alone
	Threads int    // that a side may use
	Rule    Rule
	only    string
}

// Main is the command that measures tasks in turn with Broadloom and the Python library of that name, and prints a
// table. It returns the status of the process.
func Main(library string, tasks []Task) int {
	return Command(func(ctx context.Context, args []string) error {
		opts, err := ParseOptions("bench", 10*time.Millisecond, args, os.Stderr)
		if err != nil {
			return err
		}
		return run(ctx, opts, library, tasks, os.Stdout)
	})
}

// Command runs a command on its arguments until it ends or is interrupted, prints its error, and returns the status of
// the process.
func Command(run func(ctx context.Context, args []string) error) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return 0
}

// ParseOptions reads the command line of a command of some name, which takes samples of a length if it is not told
// another one, and writes its usage.
func ParseOptions(name string, sample time.Duration, args []string, usage io.Writer) (Options, error) {
	var opts Options
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.StringVar(&opts.Python, "python", "",
		"Python `interpreter` that has NumPy and PyTorch; without it only Broadloom is measured")
	flags.IntVar(&opts.Threads, "threads", 1, "threads that a side may use")
	flags.IntVar(&opts.Rule.Rounds, "rounds", 9, "samples of each side for each task")
	flags.DurationVar(&opts.Rule.Sample, "sample", sample, "length of a sample")
	flags.StringVar(&opts.only, "only", "", "measure tasks whose name contains one of these, comma-separated")
	if err := flags.Parse(args); err != nil {
		return opts, err
	}
	switch {
	case flags.NArg() > 0:
		return opts, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case opts.Threads < 1 || opts.Rule.Rounds < 1 || opts.Rule.Sample <= 0:
		return opts, errors.New("-threads, -rounds and -sample must be positive")
	}
	return opts, nil
}

// Wants reports whether a task of some name is to be measured.
func (opts Options) Wants(task string) bool {
	for part := range strings.SplitSeq(opts.only, ",") {
		if strings.Contains(task, part) {
			return true
		}
	}
	return false
}

func run(ctx context.Context, opts Options, library string, tasks []Task, out io.Writer) (err error) {
	runtime.GOMAXPROCS(opts.Threads)
	var python *Python
	if opts.Python != "" {
		if python, err = StartPython(ctx, opts.Python, opts.Threads); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, python.Close()) }()
	}
	if python == nil {
		library = ""
	}
	report := newReport(out, library)
	for i := range tasks {
		if t := &tasks[i]; opts.Wants(t.Name) {
			r, err := measure(t, opts, python)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
			report.add(t, r)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	report.end()
	return nil
}

// tolerance is the greatest relative difference of the sides' results: some ways to compute a convolution are not exact
// for integers.
const tolerance = 1e-4

// result is the measurement of a task.
type result struct {
	ours, theirs Timing
	// loop is the operations per second of the loop on registers on all threads; 0 if there is none.
	loop float64
}

// measure times a task. The peak is measured in the same rounds, since a processor's clock
// changes with time.
func measure(t *Task, opts Options, python *Python) (result, error) {
	p, err := t.compile(opts.Threads)
	if err != nil {
		return result{}, err
	}
	check, err := p.check()
	if err != nil {
		return result{}, err
	}
	sides := []Side{Func(p.step), Func(peak.Loop)}
	if python != nil {
		want, err := python.Prepare(t.Request)
		if err != nil {
			return result{}, err
		}
		if math.Abs(check-want) > tolerance*want {
			return result{}, fmt.Errorf("the mean magnitude of the results is %v, and %v in Python", check, want)
		}
		sides = append(sides, python)
	}
	timings, err := opts.Rule.ByTurns(sides...)
	if err != nil {
		return result{}, err
	}
	r := result{ours: timings[0], loop: float64(opts.Threads) * peak.Flops(bytesOf(t.DType)) / timings[1].Min}
	if python != nil {
		r.theirs = timings[2]
	}
	return r, nil
}

func bytesOf(dtype graph.DType) int {
	if dtype == graph.Float64 {
		return 8
	}
	return 4
}
