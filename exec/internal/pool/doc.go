// Package pool distributes the tiles of tasks to worker goroutines, in pool.go.
//
// The owner of a task offers its tiles to workers and
// computes tiles itself until none is left; it does not wait for workers that are busy or slow to
// wake. So nothing ever waits for a worker to become free, and tiles
// never wait for anything: no number of callers and processors can deadlock.
//
// Each thread starts with its own share of the tiles, at the same position in every task,
// so it mostly reads what it has written, which is in its processor's cache. A thread that has finished its
// share takes tiles from the ends of other shares.
package pool
