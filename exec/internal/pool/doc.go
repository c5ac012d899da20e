// Package pool has worker goroutines share the tiles of tasks, in pool.go.
//
// Who has a task offers its tiles to workers and
// computes tiles itself until none is left; workers that are busy or slow to
// wake are not waited for. So nothing ever waits for a worker to become free, and tiles
// never wait for anything: no number of callers and processors can lock up.
//
// Each thread begins with a share of its own of the tiles, that of the same place in every task:
// so it mostly reads what it has written, which is in its processor's cache. Who has done his
// share takes tiles from the ends of others'.
package pool
