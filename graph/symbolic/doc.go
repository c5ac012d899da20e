// Package symbolic computes with sizes that may be unknown: a [Dim] is a whole number, or an expression over named
// sizes such as 2*batch+1 or floor((h-1)/2)+1.
//
// Expressions are polynomials with whole coefficients in normal form. Each form has one entry in a table, and a Dim is
// its handle, so that two sizes are equal for all values of their names if they are ==. Two expressions that are equal
// in value can still have different normal forms, since division rounds.
//
// All functions may be called from any number of goroutines.
//
// # Files
//
//   - dim.go is sizes, normal forms and their sums and products, memo.go remembers results
//   - table.go is the table of normal forms, lifetime.go decides which of them may be dropped
//   - divide.go divides and rounds down, quotient.go divides without remainder, residue.go finds remainders
//   - factor.go keeps long products as factors, factorize.go finds the factors of a sum
//   - eval.go computes values and substitutes names, terms.go lists terms
//   - parse.go and text.go read and print sizes
//   - bounds.go is what is declared of a name, facts.go what is known of sizes while a program is built
//   - misuse.go recognises numbers that are no sizes
package symbolic
