// Package gomlx runs the workloads with GoMLX on its Go backend.
//
// Each workload is compiled once and run many times. Graphs are written as its
// users write them, with its layers' functions (nn.Dense, nn.LayerNorm,
// attention.Core, …) wherever there is one, so that its fused operations are
// used. Parameters are donated to the training step, which is how its own
// trainer avoids keeping two copies.
package gomlx
