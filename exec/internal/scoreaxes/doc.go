// Package scoreaxes puts the axes of scores in the order that chains of kernels need, as one pass.
//
// [Arrange] (arrange.go) is the pass. roles.go finds which axes of values meet, as a union of sets: such axes have one role.
// factors.go first makes products read scores as their first factor; split.go splits axes that are several axes elsewhere, by the
// roles of splitroles.go; then axes are moved, and biases.go lays out the values that are added across the rows.
package scoreaxes
