// Package scoreaxes brings the axes of scores into the order that chains of kernels want, as one pass.
//
// [Arrange] (arrange.go) is the pass. roles.go finds which axes of values meet, as a union of sets: such axes have one role.
// factors.go first has products read scores as their first factor; split.go splits axes that are several elsewhere, by the roles
// of splitroles.go; then axes are moved, and biases.go lays out what is added across the rows.
package scoreaxes
