// Package difftest compares Broadloom with an evaluator of its own, package eager, on random
// programs. A program is plain data: it is drawn from a number, built as a graph, compiled,
// run at several sizes on several threads, compared element by element, and, where the answers
// differ, made smaller and written as a Go program. Package cmd runs it on every instruction
// set and beside PyTorch.
package difftest
