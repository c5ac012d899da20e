// Package axislint finds axes of the right size but the wrong meaning: most often a transpose, a KeepDims or an axis
// of size 1 was forgotten.
//
// lint.go visits the nodes of a graph and applies each rule that may be relevant. Package axisflow tells a rule from
// which axes of inputs and parameters an axis of a value comes. There are rules for vectors aligned with the wrong
// axis (under.go, and both.go for intended ones), softmax, attention, loops and means along the axis of examples
// (softmax.go, recurrence.go, pooled.go), weights that do not belong to the summed values (kept.go), losses over
// other classes (classes.go), masks of whole rows (masked.go), positions taken from the wrong axis (positions.go,
// oneposition.go), and values that were flattened in different orders (order.go). table.go withdraws warnings about
// intended tables. axis.go describes one axis and its origin, examples.go finds the axes of examples, follow.go goes
// from a value to its users, and words.go writes messages.
package axislint
