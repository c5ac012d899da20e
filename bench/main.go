// The bench command measures Broadloom and other Go libraries on a table of
// workloads, and prints one JSON object a line. README.md says what is measured
// and how.
//
//	go run -C bench . -threads 1 -peer broadloom,gomlx,gorgonia > go.jsonl
//
// Each measurement is made in a separate process, which is this program again with -child. So caches are empty at its
// start, and a library that hangs or crashes costs no more than its time-out.
package main

import (
	"context"
	"os"
	"os/exec"

	"github.com/broadloom/broadloom/bench/sidebyside"
)

func main() {
	os.Exit(sidebyside.Command(func(ctx context.Context, args []string) error {
		opts, err := parse(args, os.Stderr)
		if err != nil {
			return err
		}
		if isa := opts.config.ISA; isa != "" && isa != os.Getenv(isaVariable) {
			return runWith(ctx, isa)
		}
		return run(ctx, opts)
	}))
}

// isaVariable is the environment variable from which Broadloom reads its instruction set when a process starts.
const isaVariable = "BROADLOOM_ISA"

// runWith runs this program again, with an instruction set.
func runWith(ctx context.Context, isa string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, os.Args[1:]...)
	cmd.Env = append(os.Environ(), isaVariable+"="+isa)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// run does the work that the options give to this process.
func run(ctx context.Context, opts options) error {
	switch {
	case opts.versions:
		return writeVersions(os.Stdout, opts.peers)
	case opts.profiled:
		return profile(ctx, opts, os.Stdout)
	case opts.bandwidth:
		return bandwidth(ctx, opts, os.Stdout)
	case opts.child:
		return child(opts, os.Stdout)
	default:
		return parent(ctx, opts, os.Stdout)
	}
}
