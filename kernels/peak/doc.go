// Package peak measures the arithmetic peak of a machine: the rate of multiply-adds whose operands
// never leave the registers. No matrix product is faster.
//
// # Files
//
// peak.go counts the operations of a loop on registers. The loop is in peak_amd64.s and peak_arm64.s, called by
// peak_amd64.go and peak_arm64.go; peak_other.go is for processors without one. rate.go measures the loop on several
// threads.
package peak
