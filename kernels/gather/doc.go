// Package gather picks elements by index and unites elements by index, over flat
// memory. Elements are handled in the order in which they lie, so that sums are the
// same in every run.
//
// gather.go makes values of what is picked or added up, unite.go of products, greatest and least
// elements; rows.go adds up for the rows of a value
// alone that indices name, in place.
package gather
