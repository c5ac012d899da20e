// Package prove decides statements about named sizes for all values that they may take.
//
// A [Prover] (prove.go) tries, in this order, the normal forms, some assignments
// (sample.go), and a system of constraints (sizes.go) that package diophantine solves.
package prove
