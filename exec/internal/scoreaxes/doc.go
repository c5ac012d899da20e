// Package scoreaxes permutes the axes of scores into the order that chains of kernels need, as one pass.
//
// [Arrange] (arrange.go) is the pass. roles.go finds which axes of values meet, with a union-find structure: such axes
// have one role. factors.go first makes scores the first factor of the products that read them. split.go splits axes
// that are several axes elsewhere, by the roles of splitroles.go. Then axes are permuted, and biases.go copies the
// values that are added across the rows.
package scoreaxes
