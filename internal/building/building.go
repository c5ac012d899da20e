// Package building lets the broadloom command see the graphs that a function creates before it
// returns one: if it panics, the mistakes recorded until then are the ones to report.
package building

import "sync"

var watched struct {
	sync.Mutex
	watchers int
	made     []any
}

// Made notes that a graph was made, if somebody watches.
func Made(g any) {
	watched.Lock()
	defer watched.Unlock()
	if watched.watchers > 0 {
		watched.made = append(watched.made, g)
	}
}

// Watch begins to note the graphs that are made. stop ends it and returns those.
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
