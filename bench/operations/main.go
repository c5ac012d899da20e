// The operations command measures single operations with Broadloom and with PyTorch by turns, after it has compared
// their results: the examples of the reference of operations, with large operands, and a table of shapes, dtypes, draws
// and steps of optimisers, each forward and with its gradients. It prints a Markdown table, worst first, what differs,
// and what took long to compile.
//
//	go run -C bench ./operations -python python3
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/graph"
)

func main() { os.Exit(sidebyside.Command(run)) }

// options is the command line.
type options struct {
	runner
	python       string
	only, except *regexp.Regexp
	dtype        graph.DType
	elements     int
	from         string
	profiles     bool
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("operations", flag.ContinueOnError)
	flags.StringVar(&o.python, "python", "python3", "Python `interpreter` that has PyTorch")
	only := flags.String("only", "", "measure what this regular `expression` matches")
	except := flags.String("except", "^$", "do not measure what this regular `expression` matches")
	dtype := flags.String("dtype", "float32", "of operands of the reference's examples")
	flags.StringVar(&o.from, "from", "", "measure the reference's examples or the table alone: `reference` or table")
	flags.IntVar(&o.elements, "elements", 1<<19, "most elements of an operand, or a result, of an example")
	flags.IntVar(&o.threads, "threads", 1, "threads that a side may use")
	flags.IntVar(&o.rule.Rounds, "rounds", 5, "samples of each side for each operation")
	flags.DurationVar(&o.rule.Sample, "sample", 5*time.Millisecond, "length of a sample")
	flags.BoolVar(&o.profiles, "profile", false,
		"print Broadloom's kernels of each operation, in place of measurements")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	at := slices.IndexFunc(graph.DTypes(), func(t graph.DType) bool { return t.String() == *dtype })
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.threads < 1 || o.rule.Rounds < 1 || o.rule.Sample <= 0 || o.elements < 1:
		return o, errors.New("-threads, -rounds, -sample and -elements must be positive")
	case at < 0:
		return o, fmt.Errorf("-dtype has %q", *dtype)
	}
	o.dtype = graph.DTypes()[at]
	o.only, err = regexp.Compile(*only)
	if err == nil {
		o.except, err = regexp.Compile(*except)
	}
	return o, err
}

// tasks are those that are to be measured.
func (o *options) tasks() (list []task, err error) {
	if o.from != "table" {
		if list, err = examples(o.dtype, o.elements); err != nil {
			return nil, err
		}
	}
	if o.from != "reference" {
		list = append(list, table()...)
	}
	return slices.DeleteFunc(list, func(t task) bool {
		return !o.only.MatchString(t.name) || o.except.MatchString(t.name)
	}), nil
}

func run(ctx context.Context, args []string) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(o.threads)
	tasks, err := o.tasks()
	if err != nil {
		return err
	}
	if o.profiles {
		for i := range tasks {
			err = errors.Join(err, o.profile(&tasks[i]))
		}
		return err
	}
	if o.runner.python, err = sidebyside.StartAnswering(ctx, o.python, o.threads, side); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.runner.python.Close()) }()
	var rep report
	for i := range tasks {
		m, note, failed := o.measure(&tasks[i])
		rep.add(tasks[i].name, m, note, failed)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return rep.write(os.Stdout)
}
