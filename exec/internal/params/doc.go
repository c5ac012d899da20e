// Package params holds the values of parameters, which sessions of any programs of a graph can share.
//
// A [Store] (store.go) has those of one graph, and says who may read or write them. Where large pages are slow to come by, the values begin with
// small ones, which enlarge.go makes large. packed.go has what products read in place of weights.
package params
