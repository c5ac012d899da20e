// Package peak measures the arithmetic peak of a machine: the rate of multiply-adds whose operands
// never leave the registers. No product of matrices is faster.
//
// # Files
//
// peak.go counts the operations of a loop on registers, which peak_amd64.go calls and peak_amd64.s
// has, and peak_arm64.go and peak_arm64.s; peak_other.go is for processors without one. rate.go measures the loop on some threads.
package peak
