// Package gather selects elements by index and combines elements by index, over flat
// memory. Elements are processed in storage order, so sums are the same in every run.
//
// gather.go computes values from selected elements, and stores rows in their destination, with short.go for rows of a
// few bytes; outside_amd64.go and outside_amd64.s check many indices at once, for which outside_other.go has no code.
// unite.go computes sums, products, maxima and minima by index, with unite_amd64.go, unite_amd64.s and unite_other.go
// for sums of rows, and bags.go computes sums of selected rows; rows.go adds in place, only to the rows that indices
// name. code.go is for slices that are read and stored by machine code that other machine code calls: code_amd64.go
// declares that of code_amd64.s, and code_other.go has none.
package gather
