// Command broadloom works on the graphs of a user's packages: it checks their shapes, explains mistakes, draws,
// profiles, exports and runs them.
//
//	broadloom check ./models/...     checks every marked model
//	broadloom shapes -markdown       prints the shapes of all values, next to their source
//	broadloom draw -o model.html     writes a page of a model
//	broadloom profile -size batch=64 runs models and prints the cost of their kernels
//	broadloom explain BL101          explains a code
//	broadloom ops torch.matmul       finds operations by their names in other libraries
//	broadloom weights model.gguf     lists the tensors of a file
//	broadloom lsp                    shows mistakes and shapes in an editor
//	broadloom export -size batch=64  writes models for XLA
//	broadloom launch gpt.export      runs an exported program on this machine's devices
//	broadloom version                prints the version, the system and the instruction set
//
// "broadloom help command" says more.
//
// main.go has the table of commands, and flags.go their flags. check.go, shapes.go, draw.go, profile.go, explain.go,
// ops.go and weights.go are commands. formats.go writes mistakes in several formats, vet.go is the tool for go vet,
// lsp.go the language server, export.go exports models, onnxfiles.go reads ONNX files, launch.go runs exported
// programs, version.go prints the version, and terminal.go escapes what a terminal would obey.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/vettool"
)

// Exit statuses.
const (
	exitOK     = 0
	exitErrors = 1 // errors were found
	exitFailed = 2 // the command could not do its work
)

// command is a sub-command: one row of the table below.
type command struct {
	name    string
	args    string // what follows the name
	summary string
	help    string // further lines
	data    bool   // it writes data, such as pictures, to standard output, and not text for a terminal
	run     func(f *flag.FlagSet, args []string, stdout, stderr io.Writer) (status int)
}

var commands = []command{checkCommand, shapesCommand, drawCommand, profileCommand, explainCommand, opsCommand,
	weightsCommand, lspCommand, exportCommand, launchCommand, versionCommand}

func main() {
	if vettool.IsAsked(os.Args[1:]) {
		vettool.Main(vetPackage)
	}
	stdout := &output{to: os.Stdout}
	status := run(os.Args[1:], stdout, os.Stderr)
	if status != exitFailed && stdout.err != nil && !errors.Is(stdout.err, syscall.EPIPE) {
		// a reader that has enough is none
		fmt.Fprintln(os.Stderr, "broadloom:", stdout.err)
		status = exitFailed
	}
	os.Exit(status)
}

// output remembers that something could not be written, such as on a disk that is full: a report that is cut off must
// not look like one that is whole.
type output struct {
	to  io.Writer
	err error
}

// Write writes to the file.
func (o *output) Write(p []byte) (n int, err error) {
	n, err = o.to.Write(p)
	o.err = cmp.Or(o.err, err)
	return n, err
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stderr)
		return exitFailed
	}
	name, rest := args[0], args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		if len(rest) == 0 || rest[0] == "help" {
			usage(stdout)
			return exitOK
		}
		name, rest = rest[0], []string{"-help"}
	case "-version", "--version":
		name = "version"
	}
	for _, c := range commands {
		if c.name == name {
			stderr = &terminal{to: stderr}
			if !c.data {
				stdout = &terminal{to: stdout}
			}
			return c.run(newFlags(c), rest, stdout, stderr)
		}
	}
	fmt.Fprintf(stderr, "broadloom: there is no command %q\n", name)
	usage(stderr)
	return exitFailed
}

func usage(w io.Writer) {
	fmt.Fprint(w, "usage: broadloom command [arguments]\n\n")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-28s %s\n", strings.TrimSpace(c.name+" "+c.args), c.summary)
	}
	fmt.Fprint(w, "\nbroadloom help command says more about one of them.\n")
}
