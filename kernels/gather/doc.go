// Package gather picks elements by index and unites elements by index, over flat
// memory. Elements are handled in the order in which they lie, so that sums are the
// same in every run.
//
// gather.go makes values of what is picked, and puts rows where they are to be, those of a few bytes by short.go, unite.go of sums, products, greatest and least elements, with unite_amd64.go, unite_amd64.s and unite_other.go for sums of rows, and bags.go of sums of rows that are picked; rows.go adds up for the rows of a value
// alone that indices name, in place. code.go is slices that are taken and put as machine code
// that other machine code calls: code_amd64.go names that of code_amd64.s, and code_other.go has none.
package gather
