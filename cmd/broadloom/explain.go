package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

var explainCommand = command{
	name: "explain", args: "[code...]", summary: "explain a code such as BL101, with an example and a fix",
	help: "Explain explains the codes of errors, warnings and notes. Without a code, it\nlists all of them.",
	run:  explain,
}

func explain(f *flag.FlagSet, args []string, stdout, stderr io.Writer) int {
	if status, stop := parse(f, args, stdout, stderr); stop {
		return status
	}
	all := graph.Explanations()
	if f.NArg() == 0 {
		for _, e := range all {
			fmt.Fprintf(stdout, "%s  %s\n", e.Code, firstSentence(e.Meaning))
		}
		return exitOK
	}
	status := exitOK
	for i, code := range f.Args() {
		at := slices.IndexFunc(all, func(e graph.Explanation) bool { return strings.EqualFold(string(e.Code), code) })
		if at < 0 {
			fmt.Fprintf(stderr, "broadloom: there is no code %q; broadloom explain lists all\n", code)
			status = exitFailed
			continue
		}
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		e := all[at]
		example := strings.ReplaceAll(e.Example, "\n", "\n\t")
		fmt.Fprintf(stdout, "%s\n\n%s\n\nExample:\n\n\t%s\n\nCure: %s\n", e.Code, e.Meaning, example, e.Cure)
	}
	return status
}

func firstSentence(text string) string {
	text = strings.ReplaceAll(text, "\n", " ")
	if at := strings.Index(text, ". "); at >= 0 {
		return text[:at+1]
	}
	return text
}
