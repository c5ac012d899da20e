// Package params holds the values of parameters, which sessions of any programs of a graph can share.
//
// A [Store] (store.go) has those of one graph, and controls who may read or write them. If large pages are slow to obtain, the values start in
// small ones, which enlarge.go makes large. packed.go has packed weights, which products read instead of the originals.
package params
