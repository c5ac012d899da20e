// Package gorgonia runs the workloads with Gorgonia on its tape machine.
//
// Graphs are written as its users write them: broadcasts by explicit patterns,
// targets as one-hot rows, gradients by Grad, updates by its solvers. Results
// are fetched with Read, since the tape machine reuses the memory of a node's
// value before a run ends.
package gorgonia
