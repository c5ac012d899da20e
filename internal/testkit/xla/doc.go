// Package xla runs programs in StableHLO by jaxlib, for tests that compare what XLA computes with what a program does.
//
// xla.go starts run.py, one process for all programs of a test. iree.go has programs judged by another compiler.
package xla
