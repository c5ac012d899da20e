// Package placement gives memory that is in use during different times places side by side, in few bytes.
//
// placement.go chooses the order in which blocks are placed, each at the lowest place that is free; taken.go knows what is free.
package placement
