// Package suite says what is measured: the table of workloads, the data that
// each of them computes with, and the interface by which a library takes part.
//
// It knows no library. The data of a workload come from a fixed seed, so every
// library in this module computes with the same numbers and the results can be
// compared.
package suite
