// Package axisflow follows the axes of values through a program.
//
// flow.go goes through nodes and finds, for each value, how it depends on the axes of others
// (dependence.go, value.go): from what operations state of themselves. access.go reads the
// element rules, reductions, products and gathers; movement.go the views and what is put together
// of operands, where linear.go asks a view which position it reads, and regroup.go brings
// positions to other axes of the same elements; loop.go goes through the bodies of loops; expand.go writes composite operations with
// others, and apart.go puts a node into a graph of its own. normalizer.go finds operations such as softmax,
// picked.go those that pick a class by index, positions.go values that are positions,
// indices.go indices that are made of positions, and weights.go what comes from parameters. From this, independence.go proves that each example
// of a value is computed from that example alone.
//
// mixing.go finds reshapes that have elements of one axis inside of another, from sizes alone
// (view.go), and unmix.go the order of axes that was meant.
package axisflow
