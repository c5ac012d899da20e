// The growth command measures how the time and the memory of compilation grow with a graph. It builds graphs of some
// shapes and sizes, checks, compiles and runs each once, in a separate process, and prints seconds, processor seconds,
// and the peak memory of the process.
//
//	go run -C bench ./growth                                  # 10,000, 100,000 and 1,000,000 nodes
//	go run -C bench ./growth -only flip,sum -nodes 10000,40000
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

func main() {
	os.Exit(sidebyside.Command(func(_ context.Context, args []string) error { return run(args, os.Stdout) }))
}

// options are the values of the flags.
type options struct {
	only, nodes []string
	timeout     time.Duration
	child       bool
	profile     string
}

func run(args []string, out io.Writer) error {
	var o options
	flags := flag.NewFlagSet("growth", flag.ContinueOnError)
	only := flags.String("only", "", "shapes whose name contains one of these")
	nodes := flags.String("nodes", "10000,100000,1000000", "numbers of nodes")
	flags.DurationVar(&o.timeout, "timeout", time.Minute, "give a graph up after so long")
	flags.BoolVar(&o.child, "child", false, "measure one graph in this process")
	flags.StringVar(&o.profile, "cpuprofile", "", "with -child, write a profile of the processor's time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	o.only, o.nodes = strings.Split(*only, ","), strings.Split(*nodes, ",")
	if !o.child {
		fmt.Fprintf(out, "%-10s %9s %9s %8s %8s %8s %8s %8s %8s %8s\n", "shape", "asked", "nodes", "build", "check",
			"compile", "run", "s", "CPU s", "MB")
	}
	for _, s := range shapes {
		if !slices.ContainsFunc(o.only, func(part string) bool { return strings.Contains(s.name, part) }) {
			continue
		}
		for _, text := range o.nodes {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return fmt.Errorf("%q is no number of nodes", text)
			}
			if o.child {
				return o.measure(s, n, out)
			}
			fmt.Fprintf(out, "%-10s %9d %s\n", s.name, n, o.inChild(s, n))
		}
	}
	return nil
}

// inChild measures a graph in a separate process and returns a row of the table.
func (o *options) inChild(s shape, n int) string {
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout)
	defer cancel()
	c := osexec.CommandContext(ctx, os.Args[0], "-child", "-only", s.name, "-nodes", strconv.Itoa(n))
	var problem strings.Builder
	c.Stderr = &problem
	row, err := c.Output()
	peak := ""
	if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = fmt.Sprintf("%8d", usage.Maxrss>>10)
	}
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("not done in %s", o.timeout)
		}
		first, _, _ := strings.Cut(problem.String(), "\n")
		return fmt.Sprintf("%v %s, %s MB", err, first, strings.TrimSpace(peak))
	}
	spent := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return fmt.Sprintf("%s %8.2f %s", strings.TrimRight(string(row), "\n"), spent.Seconds(), peak)
}

// measure builds, checks, compiles and runs a graph once.
func (o *options) measure(s shape, n int, out io.Writer) error {
	if o.profile != "" {
		f, err := os.Create(o.profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	start := time.Now()
	last := start
	lap := func() float64 {
		now := time.Now()
		defer func() { last = now }()
		return now.Sub(last).Seconds()
	}
	g := graph.New(s.name)
	request := s.build(g, n)
	build := lap()
	if err := shapeinfer.Check(g).Err(); err != nil {
		return err
	}
	check := lap()
	p, err := exec.Compile(g, request...)
	if err != nil {
		return err
	}
	compile := lap()
	if _, err := p.NewSession().Run(context.Background(), feed(g)); err != nil {
		return err
	}
	first := lap()
	_, err = fmt.Fprintf(out, "%9d %8.2f %8.2f %8.2f %8.2f %8.2f\n", len(g.Nodes()), build, check, compile, first,
		time.Since(start).Seconds())
	return err
}

// feed returns every input zeros; named sizes are 2.
func feed(g *graph.Graph) exec.Feed {
	f := exec.Feed{}
	for _, x := range g.Inputs() {
		shape, count := make([]int, x.Rank()), 1
		for axis, d := range x.Shape() {
			size, _ := d.Eval(func(string) (int64, bool) { return 2, true })
			shape[axis] = int(size)
			count *= int(size)
		}
		f[x] = exec.Array{Shape: shape, Data: make([]float32, count)}
	}
	return f
}
