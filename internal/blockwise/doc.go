// Package blockwise has weights that are held as integers of 8 or 4 bits, with a scale for each block of consecutive
// elements along the last axis: an element is its integer times the scale of its block.
//
// weight.go declares such a weight in a graph, and quantize.go computes integers and scales.
package blockwise
