package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/lsp"
)

var lspCommand = command{
	name: "lsp", args: "[flags]", summary: "serve an editor by the language server protocol",
	help: `Lsp communicates with an editor on standard input and output. It shows shape mistakes while
a model is written, and the shape of every value next to its call. docs/editors.md says how to
set up editors.
`,
	data: true,
	run:  serveEditor,
}

func serveEditor(f *flag.FlagSet, args []string, stdout, stderr io.Writer) int {
	f.Bool("stdio", true, "speak on standard input and output; there is no other way")
	if status, stop := parse(f, args, stdout, stderr); stop {
		return status
	}
	if f.NArg() > 0 {
		fmt.Fprintf(stderr, "broadloom: lsp takes no arguments, but got %s\n", f.Arg(0))
		return exitFailed
	}
	if err := lsp.Serve(context.Background(), stdio{os.Stdin, os.Stdout}); err != nil {
		fmt.Fprintf(stderr, "broadloom: %v\n", err)
		return exitErrors
	}
	return exitOK
}

// stdio is a connection by standard input and output.
type stdio struct {
	io.ReadCloser
	out *os.File
}

// Write writes to standard output.
func (c stdio) Write(p []byte) (int, error) { return c.out.Write(p) }

// Close closes both.
func (c stdio) Close() error { return errors.Join(c.ReadCloser.Close(), c.out.Close()) }
