// Command shapes makes five mistakes and shows what is said about them, before any data
// are there:
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

// report writes what the check finds; files are named as seen from a directory.
func report(w io.Writer, dir string) {
	for i, m := range mistakes {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "# %s\n%s\n", m.title, shapeinfer.Check(m.build()).Text(dir))
	}
}
