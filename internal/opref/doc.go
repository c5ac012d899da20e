// Package opref makes the reference of operations: what the entries of package ops say of themselves,
// and what follows from them.
//
// row.go derives one row: it runs the entry's example with every dtype and reads shapes, dtypes and
// the gradient off the nodes. cost.go counts arithmetic. page.go writes rows as text and as the page
// docs/operations.md, and find.go finds them by names and words. layers.go derives the rows of layertable.go,
// celltable.go and optimtable.go, which are the page docs/layers.md. answers.go says by answers.txt what there is
// instead of names that have no row. calls.go has the examples as calls of other libraries. Tests ask the libraries whether the rows are
// true: testdata/libraries.py with the calls of testdata/calls; and look up all names of the libraries, which testdata/names has.
package opref

//go:generate go run ./gen ../../docs/operations.md ../../docs/layers.md
