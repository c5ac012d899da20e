package engine

import "github.com/broadloom/broadloom/exec/internal/pool"

// workers are those of the process, which all sessions share.
var workers = pool.New(func() pool.Workspace { return new(Workspace) })

// tiledTask is work in tiles that may be computed in any order and at once.
type tiledTask interface {
	// Tile computes one of them.
	Tile(i int, ws *Workspace)
}

// shared is such work as the pool knows it.
type shared struct{ task tiledTask }

func (s *shared) Tile(i int, ws pool.Workspace) { s.task.Tile(i, ws.(*Workspace)) }

// ParallelFor computes the tiles of a task on the session's threads. cost is an estimate of
// the whole work in nanoseconds.
func (s *State) ParallelFor(t tiledTask, tiles, cost int) {
	s.shared.task = t
	s.job.Task, s.job.Tiles, s.job.Observer = &s.shared, tiles, s.Observer
	workers.Share(&s.job, s.Threads, cost, &s.Ws)
}

// pays reports whether threads are worth asking for tiles.
func (s *State) pays(tiles, cost int) bool {
	return s.Threads > 1 && tiles > 1 && cost >= pool.ParallelCost
}

// each computes the tiles of a task, on the session's threads if that pays.
func (s *State) each(t tiledTask, tiles, cost int) {
	if s.pays(tiles, cost) {
		s.ParallelFor(t, tiles, cost)
		return
	}
	for i := range tiles {
		t.Tile(i, &s.Ws)
	}
}
