// Package alias tells which values lie in one memory, and what in-place writes do to them.
//
// storage.go follows views and writes to the value whose memory they show; view.go makes layouts
// of views; overlap.go judges whether two layouts meet. writes.go orders writes behind the reads of
// what they destroy, and hazards.go finds those for which there is no order.
package alias
