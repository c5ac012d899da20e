// Command shapes makes five mistakes and shows the messages about them, before there are
// any data:
//
//	go run ./examples/shapes
//
// mistakes.go makes the mistakes.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/broadloom/broadloom/shapeinfer"
)

func main() {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "shapes:", err)
		os.Exit(1)
	}
	report(os.Stdout, dir)
}

// report writes the findings of the check; file names are relative to a directory.
func report(w io.Writer, dir string) {
	for i, m := range mistakes {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "# %s\n%s\n", m.title, shapeinfer.Check(m.build()).Text(dir))
	}
}
