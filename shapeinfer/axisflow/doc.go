// Package axisflow follows the axes of values through a program.
//
// flow.go visits nodes and determines how each value depends on the axes of others (dependence.go, value.go), from the
// facts that operations state. access.go handles elementwise operations, reductions, products and gathers. movement.go
// handles views and assembled values: linear.go determines which position a view reads, and regroup.go maps positions
// to other axes of the same elements. loop.go visits the bodies of loops. expand.go expands composite operations, and
// apart.go copies a node into a separate graph. normalizer.go finds operations such as softmax, picked.go those that
// pick a class by index, positions.go values that are positions, indices.go indices computed from positions, and
// weights.go values that come from parameters. From this, independence.go proves that each example of a value is
// computed only from that example.
//
// mixing.go finds reshapes that have elements of one axis inside another, from sizes alone (view.go), and unmix.go
// finds the intended order of axes.
package axisflow
