package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/broadloom/broadloom/kernels/cpu"
)

var versionCommand = command{
	name: "version", summary: "print the version, for bug reports",
	help: "Version prints the version of the command, that of Go, the system, and the instruction set that programs use here.",
	run: func(f *flag.FlagSet, args []string, stdout, stderr io.Writer) int {
		if status, stop := parse(f, args, stdout, stderr); stop {
			return status
		}
		if f.NArg() > 0 {
			fmt.Fprintf(stderr, "broadloom: version takes no arguments, but got %s\n", f.Arg(0))
			return exitFailed
		}
		fmt.Fprintf(stdout, "broadloom %s, %s %s/%s, %s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
			cpu.Chosen())
		return exitOK
	},
}

// version is that of the module that the command was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return cmp.Or(info.Main.Version, "(devel)")
}
