// Package opref generates the reference of operations: facts stated by the entries of package ops,
// and facts derived from them.
//
// row.go derives one row: it runs the entry's example with every dtype and reads shapes, dtypes and the gradient from
// the nodes. cost.go counts arithmetic. page.go writes rows as text and as the page docs/operations.md, and find.go
// finds them by names and words. layers.go derives the rows of layertable.go, celltable.go and optimtable.go, which are
// the page docs/layers.md. answers.go uses answers.txt to suggest alternatives for names that have no row. calls.go has
// the examples as calls of other libraries. Tests check the rows against the libraries: testdata/libraries.py with the
// calls of testdata/calls; and they look up all names of the libraries, which are in testdata/names.
package opref

//go:generate go run ./gen ../../docs/operations.md ../../docs/layers.md
