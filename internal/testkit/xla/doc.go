// Package xla runs StableHLO programs with jaxlib, for tests that compare XLA's results with a program's.
//
// xla.go starts run.py, one process for all programs of a test. iree.go checks programs with another compiler.
package xla
