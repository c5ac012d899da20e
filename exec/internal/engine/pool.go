package engine

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/kernels/cpu"
)

// The pool is the process's worker goroutines. A session offers them the tiles of a
// kernel and computes tiles itself until none is left; workers that are busy or slow to
// wake are not waited for. So nothing ever waits for a worker to become free, and tiles
// never wait for anything: no number of sessions and processors can lock up.
//
// Each thread begins with a share of its own of the tiles, that of the same place in every kernel:
// so it mostly reads what it has written, which is in its processor's cache. Who has done his
// share takes tiles from the ends of others'.

// parallel is work in tiles that may be computed in any order and at once.
type parallel interface {
	// Tile computes one of them.
	Tile(i int, ws *Workspace)
}

// job is a task on offer.
type job struct {
	task        parallel
	tiles       int
	shares      []tileShare  // of each thread, the caller first
	finished    atomic.Int64 // workers that have taken part and are done
	helpers     []*worker
	fault       atomic.Pointer[bug.Panic]
	observer    Observer // nil unless the times of kernels are taken
	flushes     bool     // whether tiles take denormal numbers for zero
	pendingCost int      // the work of this run, in nanoseconds, for which sleeping workers were not woken
}

// tileShare is the tiles that are left of a thread's: first<<32 | end.
type tileShare struct {
	left atomic.Uint64
	_    [56]byte // so that threads do not write one cache line
}

// next takes the first tile that is left, or the last one.
func (s *tileShare) next(last bool) (tile int, ok bool) {
	for {
		left := s.left.Load()
		first, end := left>>32, left&math.MaxUint32
		switch {
		case first >= end:
			return 0, false
		case last && s.left.CompareAndSwap(left, left-1):
			return int(end - 1), true
		case !last && s.left.CompareAndSwap(left, left+1<<32):
			return int(first), true
		}
	}
}

// divide gives each thread its share.
func (j *job) divide(threads int) {
	if cap(j.shares) < threads {
		j.shares = make([]tileShare, threads)
	}
	j.shares = j.shares[:threads]
	for i := range j.shares {
		j.shares[i].left.Store(uint64(i*j.tiles/threads)<<32 | uint64((i+1)*j.tiles/threads))
	}
}

// take has a thread take part, and tells the observer of it. The caller is thread 0.
func (j *job) take(thread int, ws *Workspace) {
	if j.flushes && thread > 0 { // the caller does already
		defer cpu.FlushDenormals().End()
	}
	if j.observer == nil {
		j.work(thread, ws)
		return
	}
	began := time.Now()
	if tiles := j.work(thread, ws); tiles > 0 {
		j.observer.TookPart(thread, tiles, began, time.Now())
	}
}

// work computes tiles until none is left, and returns how many it took. A panic ends the work of
// all, and is the caller's.
func (j *job) work(thread int, ws *Workspace) (tiles int) {
	defer func() {
		if v := recover(); v != nil {
			j.fault.Store(bug.Caught(v))
			for i := range j.shares {
				j.shares[i].left.Store(0)
			}
			*ws = Workspace{}
		}
	}()
	for i := range j.shares {
		s := &j.shares[(thread+i)%len(j.shares)]
		for tile, ok := s.next(i > 0); ok; tile, ok = s.next(i > 0) {
			j.task.Tile(tile, ws)
			tiles++
		}
	}
	return tiles
}

// spin is how long a worker looks for work before it sleeps. Waking it takes longer than
// most kernels.
const spin = 100 * time.Microsecond

// WakeCost is the work, in nanoseconds, from which on a sleeping worker is worth waking,
// be it of several kernels one after the other; parallelCost that from which on one that is
// awake is worth asking.
const (
	WakeCost     = 150_000
	parallelCost = 4_000
)

// worker is a goroutine of the pool.
type worker struct {
	number int                 // from 1 on
	offer  atomic.Pointer[job] // work to be taken; busy while the worker is at work
	asleep atomic.Bool
	wake   chan struct{}
	ws     Workspace
}

// busy marks a worker that has taken an offer.
var busy = new(job)

var pool struct {
	sync.Mutex
	workers atomic.Pointer[[]*worker]
}

// workers returns n workers of the pool, starting them as need be.
func workers(n int) []*worker {
	if list := pool.workers.Load(); list != nil && len(*list) >= n {
		return (*list)[:n]
	}
	pool.Lock()
	defer pool.Unlock()
	var list []*worker
	if old := pool.workers.Load(); old != nil {
		list = append(list, *old...)
	}
	for len(list) < n {
		w := &worker{number: len(list) + 1, wake: make(chan struct{}, 1)}
		list = append(list, w)
		go w.run()
	}
	pool.workers.Store(&list)
	return list[:n]
}

func (w *worker) run() {
	idle := time.Now()
	for {
		if j := w.offer.Load(); j != nil && w.offer.CompareAndSwap(j, busy) {
			j.take(w.number, &w.ws)
			w.ws.release()
			w.offer.Store(nil)
			j.finished.Add(1)
			idle = time.Now()
			continue
		}
		if time.Since(idle) < spin {
			runtime.Gosched()
			continue
		}
		w.asleep.Store(true)
		if w.offer.Load() == nil { // an offer since then comes with a call to wake
			<-w.wake
		}
		w.asleep.Store(false)
		idle = time.Now()
	}
}

// share computes a job on the caller and on up to threads-1 workers. cost is an estimate
// of all its work in nanoseconds.
func (j *job) share(threads, cost int, ws *Workspace) {
	j.divide(threads)
	j.finished.Store(0)
	j.helpers = j.helpers[:0]
	j.pendingCost += cost
	wake := j.pendingCost >= WakeCost
	if wake {
		j.pendingCost = 0
	}
	for _, w := range workers(threads - 1) {
		asleep := w.asleep.Load()
		if asleep && !wake || !w.offer.CompareAndSwap(nil, j) {
			continue
		}
		j.helpers = append(j.helpers, w)
		if asleep {
			select {
			case w.wake <- struct{}{}:
			default: // it has been woken already
			}
		}
	}
	j.take(0, ws)
	// Offers that nobody has taken are withdrawn. Who has taken one is computing its last
	// tile.
	taken := int64(0)
	for _, w := range j.helpers {
		if !w.offer.CompareAndSwap(j, nil) {
			taken++
		}
	}
	for j.finished.Load() < taken {
		runtime.Gosched()
	}
	if fault := j.fault.Swap(nil); fault != nil {
		panic(fault)
	}
}
