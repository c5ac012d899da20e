// Command gen writes the reference of operations, docs/operations.md. main.go is all of it.
package main

import (
	"log"
	"os"

	"github.com/broadloom/broadloom/internal/opref"
)

func main() {
	rows, err := opref.Rows()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[1], []byte(opref.Page(rows)), 0o644); err != nil {
		log.Fatal(err)
	}
}
