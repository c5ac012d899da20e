package engine

import "github.com/broadloom/broadloom/exec/internal/pool"

// workers are the process's worker threads, which all sessions share.
var workers = pool.New(func() pool.Workspace { return new(Workspace) })

// tiledTask is work in tiles that may be computed in any order and in parallel.
type tiledTask interface {
	// Tile computes one tile.
	Tile(i int, ws *Workspace)
}

// shared adapts a tiledTask to the pool.
type shared struct{ task tiledTask }

func (s *shared) Tile(i int, ws pool.Workspace) { s.task.Tile(i, ws.(*Workspace)) }

// ParallelFor computes the tiles of a task on the session's threads, or some of them if the launch is to stop. cost is
// an estimate of the whole work in nanoseconds.
func (s *State) ParallelFor(t tiledTask, tiles, cost int) {
	s.shared.task = t
	s.job.Task, s.job.Tiles, s.job.Observer, s.job.Stopped = &s.shared, tiles, s.Observer, s.stopped()
	workers.Share(&s.job, s.Threads, cost, &s.Ws)
}

// pays reports whether it is worth asking threads for tiles.
func (s *State) pays(tiles, cost int) bool {
	return s.Threads > 1 && tiles > 1 && cost >= pool.ParallelCost
}

// each is [State.ParallelFor] if that pays, and else computes the tiles on this thread.
func (s *State) each(t tiledTask, tiles, cost int) {
	if s.pays(tiles, cost) {
		s.ParallelFor(t, tiles, cost)
		return
	}
	stopped := s.stopped()
	for i := 0; i < tiles && (stopped == nil || !stopped()); i++ {
		t.Tile(i, &s.Ws)
	}
}
