// Package axislint finds axes that are right in size and wrong in kind: most often a transpose, a
// KeepDims or an axis of size 1 was forgotten.
//
// lint.go goes through the nodes of a graph and asks each rule that can have something to say. A
// rule knows from package axisflow which axes of inputs and parameters an axis of a value comes
// from: vectors that stand under another axis than their own (under.go, and both.go for where that is meant), softmax, attention, loops and
// means along the axis of examples (softmax.go, recurrence.go, pooled.go), weights that are not of what is summed
// (kept.go), losses of other classes (classes.go), masks of whole rows (masked.go), positions taken from the wrong axis (positions.go, oneposition.go), and values that were flattened in
// different orders (order.go). table.go takes back warnings of tables that are meant. axis.go
// knows one axis and what it comes from, examples.go which axes are those of examples, and words.go writes messages.
package axislint
