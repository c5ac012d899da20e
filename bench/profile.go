package main

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/broadloom/broadloom/bench/broadloom"
	"github.com/broadloom/broadloom/exec"
)

// profiledRuns is the number of runs from which a profile takes the shortest times.
const profiledRuns = 20

// profile writes the time of Broadloom's kernels in each workload, next to the machine's peak rates.
func profile(ctx context.Context, opts options, out io.Writer) error {
	runtime.GOMAXPROCS(opts.config.Threads)
	machine, err := exec.MeasureMachine(opts.config.Threads)
	if err != nil {
		return err
	}
	for _, w := range opts.workloads {
		p, err := broadloom.Profile(ctx, w, profiledRuns)
		if err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		fmt.Fprintf(out, "%s, %d thread(s)\n%s\n", w.Name, opts.config.Threads, p.Report(machine))
	}
	return nil
}
