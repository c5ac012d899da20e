package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/broadloom/broadloom/bench/broadloom"
	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// bandwidthWorkload is the workload that only memory limits.
const bandwidthWorkload = "add_16M_fwd"

// mover is something that reads and writes so many bytes in each call.
type mover struct {
	name  string
	bytes int
	call  sidebyside.Func
}

// bandwidth writes the rate at which arrays as large as those of add_16M_fwd are copied and added, in gigabytes (10⁹)
// read and written per second, and the sum's share of the fastest copy.
func bandwidth(ctx context.Context, opts options, out io.Writer) error {
	runtime.GOMAXPROCS(opts.config.Threads)
	w, _ := suite.Lookup(bandwidthWorkload)
	in := w.Inputs()
	x := in.Tensors[0]
	size := 4 * len(x.Float)
	sum, err := broadloom.Peer{}.Prepare(w, in, opts.config)
	if err != nil {
		return err
	}
	copied, _, err := copyProgram(ctx, x)
	if err != nil {
		return err
	}
	dst := make([]float32, len(x.Float))
	movers := []mover{
		{"copy by Go", 2 * size, func() error { copy(dst, x.Float); return nil }},
		{"copy by Broadloom", 2 * size, copied},
		{w.Name, 3 * size, sum.Step},
	}
	timings, err := timeMovers(movers, sidebyside.Rule{Rounds: 9, Sample: max(opts.minTime/30, time.Millisecond)})
	if err != nil {
		return err
	}
	return writeBandwidths(out, movers, timings)
}

// copyProgram copies a tensor with a compiled program, and returns the latest copy.
func copyProgram(ctx context.Context, x *suite.Tensor) (step sidebyside.Func, result func() ([]float32, error),
	err error) {
	g := graph.New("copy")
	n := g.Input("x", graph.Float32, graph.MakeShape(x.Shape...)...)
	y := ops.Copy(n)
	prog, err := exec.Compile(g, exec.Outputs(y))
	if err != nil {
		return nil, nil, err
	}
	session, feed := prog.NewSession(), exec.Feed{n: exec.Array{Shape: x.Shape, Data: x.Float}}
	var out *exec.Results
	step = func() error {
		out, err = session.Run(ctx, feed)
		return err
	}
	return step, func() ([]float32, error) { return exec.Values[float32](out, y) }, nil
}

// timeMovers times movers in turn.
func timeMovers(movers []mover, rule sidebyside.Rule) ([]sidebyside.Timing, error) {
	sides := make([]sidebyside.Side, len(movers))
	for i, m := range movers {
		sides[i] = m.call
	}
	return rule.ByTurns(sides...)
}

// writeBandwidths writes a table of the times of movers. The last one is compared with the best of the others.
func writeBandwidths(out io.Writer, movers []mover, timings []sidebyside.Timing) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tMB\tleast ms\tmedian ms\tGB/s\t")
	best, last := 0.0, 0.0
	for i, m := range movers {
		best = max(best, last)
		last = float64(m.bytes) / timings[i].Min / 1e9
		fmt.Fprintf(table, "%s\t%.0f\t%.2f\t%.2f\t%.1f\t\n", m.name, float64(m.bytes)/1e6, 1e3*timings[i].Min,
			1e3*timings[i].Median, last)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%s reaches %.0f %% of the fastest copy\n", movers[len(movers)-1].name, 100*last/best)
	return err
}
