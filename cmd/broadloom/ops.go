package main

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/broadloom/broadloom/internal/opref"
)

var opsCommand = command{
	name: "ops", args: "[query...]",
	summary: "find operations, layers and optimisers by their names here or in PyTorch, NumPy, JAX, Keras, Flax, ONNX or Gorgonia",
	help: "Ops prints the formula, shapes, dtypes, gradient and cost of the operations that contain all words of\n" +
		"the query: \"broadloom ops torch.bmm\", \"broadloom ops none: gradient\". For layers, initialisers, optimisers and\n" +
		"schedules it prints parameters and state: \"broadloom ops torch.nn.LSTM\". If there is no operation, it\n" +
		"says what to use instead: \"broadloom ops torch.save\". Without a query, it lists all.",
	run: listOps,
}

func listOps(f *flag.FlagSet, args []string, stdout, stderr io.Writer) int {
	if status, stop := parse(f, args, stdout, stderr); stop {
		return status
	}
	rows, err := opref.All()
	if err != nil {
		fmt.Fprintln(stderr, "broadloom:", err)
		return exitFailed
	}
	if f.NArg() == 0 {
		for _, r := range rows {
			fmt.Fprintf(stdout, "%-28s %s\n", r.Name, r.Doc)
		}
		return exitOK
	}
	query := strings.Join(f.Args(), " ")
	if kind, _, sentence := opref.Known(rows, query); kind == opref.Answered {
		fmt.Fprintf(stdout, "%s: %s\n", query, sentence)
		return exitOK
	}
	found := opref.Find(rows, query)
	if len(found) == 0 {
		fmt.Fprintf(stderr, "broadloom: no operation has %q; broadloom ops lists all\n", query)
		return exitErrors
	}
	for i, r := range found {
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		fmt.Fprint(stdout, r.Text())
	}
	return exitOK
}
