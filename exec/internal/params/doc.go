// Package params holds the values of parameters, which sessions of all programs of one graph can share.
//
// A [Store] (store.go) has those of one graph, and controls who may read or write them. If huge pages are slow to
// obtain, values start in small pages, which enlarge.go replaces by huge ones. packed.go has packed weights, which
// products read instead of the originals.
package params
