// Package gather picks elements by index and adds elements up by index, over flat
// memory. Elements are handled in the order in which they lie, so that sums are the
// same in every run.
//
// gather.go makes values of what is picked or added up; rows.go adds up for the rows of a value
// alone that indices name, in place.
package gather
