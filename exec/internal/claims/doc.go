// Package claims tries what users' operations claim of themselves, before a program relies on it: a claim that fails on one of some numbers is a
// mistake of the operation. The numbers are the edges of the dtypes, where laws that almost hold fail, and some between.
//
// claims.go goes through the nodes of a program, laws.go has a trial for each claim, numbers.go the numbers, and trial.go computes.
package claims
