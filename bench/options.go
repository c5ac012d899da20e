package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/broadloom/broadloom/bench/broadloom"
	"github.com/broadloom/broadloom/bench/gomlx"
	"github.com/broadloom/broadloom/bench/gorgonia"
	"github.com/broadloom/broadloom/bench/suite"
)

// allPeers lists the libraries that this command knows.
var allPeers = []suite.Peer{broadloom.Peer{}, gomlx.Peer{}, gorgonia.Peer{}}

// options is the command line.
type options struct {
	config    suite.Config
	peers     []suite.Peer
	workloads []suite.Workload
	minTime   time.Duration
	timeout   time.Duration

	versions bool
	// profiled asks for a profile of Broadloom's kernels instead of measurements.
	profiled bool
	// bandwidth asks for the rate at which memory is copied.
	bandwidth bool
	// child asks for one measurement in this process: of the only peer, on the
	// workload with this exact name.
	child bool
}

// parse reads the command line. Usage and complaints go to the writer.
func parse(args []string, usage io.Writer) (options, error) {
	var opts options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.IntVar(&opts.config.Threads, "threads", runtime.NumCPU(), "threads that a library may use; also GOMAXPROCS")
	flags.StringVar(&opts.config.ISA, "isa", "",
		"Broadloom's instruction set: avx512, avx2 or portable (default the best there is)")
	only := flags.String("only", "", "measure workloads whose name contains one of these, comma-separated")
	peers := flags.String("peer", "broadloom",
		"libraries to measure, comma-separated: "+strings.Join(peerNames(), ", "))
	seconds := flags.Float64("min-time", 1, "least seconds of timed calls for a workload")
	flags.DurationVar(&opts.timeout, "timeout", time.Minute, "give a workload up after so long, besides -min-time")
	flags.BoolVar(&opts.versions, "versions", false, "print versions and build settings, and measure nothing")
	flags.BoolVar(&opts.profiled, "profile", false,
		"print where Broadloom's time goes in each workload, kernel by kernel, and measure nothing else")
	flags.BoolVar(&opts.bandwidth, "bandwidth", false,
		"print how fast memory is copied, and how near add_16M comes to that, and measure nothing else")
	name := flags.String("child", "", "measure this one workload in this process (used by the command itself)")
	if err := flags.Parse(args); err != nil {
		return opts, err
	}
	if flags.NArg() > 0 {
		return opts, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}

	opts.minTime = time.Duration(*seconds * float64(time.Second))
	if opts.config.Threads < 1 {
		return opts, errors.New("-threads must be at least 1")
	}
	if !slices.Contains([]string{"", "avx512", "avx2", "portable"}, opts.config.ISA) {
		return opts, fmt.Errorf("unknown -isa %q", opts.config.ISA)
	}
	var err error
	if opts.peers, err = findPeers(split(*peers)); err != nil {
		return opts, err
	}
	if *name != "" {
		return opts, opts.asChild(*name)
	}
	if opts.workloads = suite.Match(split(*only)); len(opts.workloads) == 0 {
		return opts, fmt.Errorf("no workload matches -only %q", *only)
	}
	return opts, nil
}

// asChild narrows the options to one measurement.
func (opts *options) asChild(name string) error {
	w, ok := suite.Lookup(name)
	if !ok {
		return fmt.Errorf("unknown workload %q", name)
	}
	opts.child, opts.workloads = true, []suite.Workload{w}
	return nil
}

// childArgs is the command line of the process that measures one workload.
func (opts options) childArgs(p suite.Peer, w suite.Workload) []string {
	return []string{
		"-child", w.Name,
		"-peer", p.Name(),
		"-threads", strconv.Itoa(opts.config.Threads),
		"-isa", opts.config.ISA,
		"-min-time", strconv.FormatFloat(opts.minTime.Seconds(), 'g', -1, 64),
	}
}

// findPeers looks libraries up by name.
func findPeers(names []string) ([]suite.Peer, error) {
	var found []suite.Peer
	for _, name := range names {
		i := slices.IndexFunc(allPeers, func(p suite.Peer) bool { return p.Name() == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown -peer %q; there are %s", name, strings.Join(peerNames(), ", "))
		}
		found = append(found, allPeers[i])
	}
	return found, nil
}

// peerNames lists the names that -peer takes.
func peerNames() []string {
	names := make([]string, len(allPeers))
	for i, p := range allPeers {
		names[i] = p.Name()
	}
	return names
}

// split cuts a comma-separated list, dropping empty parts.
func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}
