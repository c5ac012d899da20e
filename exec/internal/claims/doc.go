// Package claims tests what users' operations claim about themselves, before a program relies on it. A claim that fails
// for one of several numbers is a mistake of the operation. The numbers are the limits of the dtypes, at which laws
// that almost hold fail, and some in between.
//
// claims.go visits the nodes of a program, laws.go has a trial for each claim, numbers.go has the numbers, and trial.go
// computes.
package claims
