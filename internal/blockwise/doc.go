// Package blockwise has weights that are held as integers of 8 or 4 bits, with a scale for each block of consecutive
// elements along the last axis: an element is its integer times the scale of its block. In formats with minima, the
// integers have no signs, and the minimum of the block is added.
//
// weight.go declares such a weight in a graph, and quantize.go computes integers, scales and minima.
package blockwise
