// Command gen writes the reference of operations and of layers, docs/operations.md and docs/layers.md. main.go is all
// of it.
package main

import (
	"log"
	"os"

	"github.com/broadloom/broadloom/internal/opref"
)

func main() {
	write(os.Args[1], opref.Page, opref.Rows)
	write(os.Args[2], opref.LayerPage, opref.LayerRows)
}

func write(name string, page func([]opref.Row) string, derive func() ([]opref.Row, error)) {
	rows, err := derive()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(page(rows)), 0o644); err != nil {
		log.Fatal(err)
	}
}
