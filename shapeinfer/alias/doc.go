// Package alias determines which values share memory, and how in-place writes affect them.
//
// storage.go follows views and writes to the value that owns the memory; view.go computes layouts of views;
// overlap.go decides whether two layouts overlap. writes.go orders writes after the reads of the values that they
// destroy, and hazards.go finds those for which there is no order.
package alias
