// Package placement assigns addresses to blocks of memory with different live ranges, using few bytes.
//
// placement.go chooses the order in which blocks are placed, each at the lowest free address. taken.go keeps track of
// free memory.
package placement
