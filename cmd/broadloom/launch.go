package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/reach/launch"
)

var launchCommand = command{
	name: "launch", args: "[flags] folder", summary: "run an exported program on XLA, on this machine's devices",
	help: "Launch runs a program that was exported for XLA, in one process or several of this\n" +
		"machine, by a launcher in Python: python3, or what " + launch.PythonVariable + " names, must have\n" +
		"jax " + launch.Pinned() + " and safetensors. On many machines, run the launcher itself on each:\n" +
		"-print writes it to standard output.\n",
	run: runLaunch,
}

func runLaunch(f *flag.FlagSet, args []string, stdout, stderr io.Writer) int {
	c := launch.Config{OnStep: func(s launch.Step) { fmt.Fprintln(stdout, stepText(s)) }}
	print := f.Bool("print", false, "write the launcher, a program in Python, and run nothing")
	f.IntVar(&c.Steps, "steps", 1, "how many steps")
	f.StringVar(&c.Data, "data", "", "an .npz file, or a folder of .npz or .npy: an array for each input")
	f.Func("counter", "an input that is fed the number of the step; may be repeated", func(name string) error {
		c.Counters = append(c.Counters, name)
		return nil
	})
	f.IntVar(&c.FirstStep, "first-step", 0, "where data and counters go on")
	f.StringVar(&c.Params, "params", "", "parameters to begin with, as safetensors, in place of the folder's")
	f.StringVar(&c.Save, "save", "", "where parameters are written, as safetensors")
	f.IntVar(&c.SaveEvery, "save-every", 0, "steps between checkpoints; 0 for one at the end")
	f.StringVar(&c.Record, "record", "", "where the outputs of all steps are written, as .npz")
	f.StringVar(&c.HLO, "hlo", "", "where the compiled program is written, as text")
	f.StringVar(&c.Platform, "platform", "", "cpu, cuda or tpu; the best that there is unless given")
	f.IntVar(&c.Devices, "devices", 0, "virtual devices of each process on a CPU")
	f.IntVar(&c.Processes, "processes", 1, "how many processes")
	f.DurationVar(&c.Timeout, "timeout", 0, "after which a process that is gone ends the others (default 1m0s)")
	f.IntVar(&c.ProgressEvery, "progress-every", 10, "steps between lines of progress")
	if status, stop := parse(f, args, stdout, stderr); stop {
		return status
	}
	if *print {
		_, _ = stdout.Write(launch.Script)
		return exitOK
	}
	if f.NArg() != 1 {
		fmt.Fprintf(
			stderr,
			"broadloom: launch needs one folder of an exported program, but got %d\nbroadloom help launch lists the flags\n",
			f.NArg())
		return exitFailed
	}
	c.Folder = f.Arg(0)
	ctx, stop := untilStopped()
	defer stop()
	if err := launch.Run(ctx, c); err != nil {
		fmt.Fprintln(stderr, "broadloom:", err)
		return exitErrors
	}
	return exitOK
}

// stepText is a line about a step.
func stepText(s launch.Step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "step %d/%d", s.Step, s.Of)
	for _, name := range slices.Sorted(maps.Keys(s.Outputs)) {
		fmt.Fprintf(&b, "  %s %.6g", name, s.Outputs[name])
	}
	fmt.Fprintf(&b, "  %.1f ms a step", s.Millis)
	return b.String()
}
