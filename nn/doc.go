// Package nn has layers and the first values of their parameters: plain functions
// from nodes to nodes. A layer declares its parameters in a scope of its own, so that
// they are named after it ("hidden/weight") and pictures can fold it.
//
// linear.go is layers, init.go first values.
package nn
