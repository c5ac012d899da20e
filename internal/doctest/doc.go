// Package doctest finds the Go programs in the project's documents. Its test compiles and
// runs them, so that documents cannot fall behind the code:
//
//   - A block of ```go with a package clause is a whole file. Its main function is run, or
//     if it has none its tests; a block of ```text right below is what it prints.
//   - One without a package clause is made of declarations, or of statements of a function
//     that has a context ctx, a graph g, values x and y of it, a compiled program prog and
//     an io.Writer file. It is compiled only, with the imports that it needs.
//   - One whose functions are models, under //broadloom:model, is run too: a block of ```text right
//     below is what their check prints, with the block's own lines.
//   - One of ```go in=PACKAGE is compiled as part of that package of this module.
package doctest
