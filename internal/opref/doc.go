// Package opref makes the reference of operations: what the entries of package ops say of themselves,
// and what follows from them.
//
// row.go derives one row: it runs the entry's example with every dtype and reads shapes, dtypes and
// the gradient off the nodes. cost.go counts arithmetic. page.go writes rows as text and as the page
// docs/operations.md, and finds them by words. Tests ask the libraries whether the rows are true: testdata/libraries.py
// with the calls of testdata/calls.
package opref

//go:generate go run ./gen ../../docs/operations.md
