// Package building gives the broadloom command access to the graphs that a function creates before it returns one: if
// it panics, their mistakes are the ones to report.
package building

import "sync"

var watched struct {
	sync.Mutex
	watchers int
	made     []any
}

// Made records a new graph, if somebody watches.
func Made(g any) {
	watched.Lock()
	defer watched.Unlock()
	if watched.watchers > 0 {
		watched.made = append(watched.made, g)
	}
}

// Watch starts to record new graphs. stop ends it and returns them.
func Watch() (stop func() []any) {
	watched.Lock()
	defer watched.Unlock()
	watched.watchers++
	first := len(watched.made)
	return func() []any {
		watched.Lock()
		defer watched.Unlock()
		made := append([]any{}, watched.made[first:]...)
		if watched.watchers--; watched.watchers == 0 {
			watched.made = nil
		}
		return made
	}
}
