// Package prove judges statements about named sizes for all values that they may take.
//
// A [Prover] (prove.go) asks, in this order, what the normal forms say, some assignments
// (sample.go), and a system of constraints (sizes.go) that package diophantine solves.
package prove
