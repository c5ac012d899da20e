package pool

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/kernels/clock"
	"github.com/broadloom/broadloom/kernels/cpu"
)

// Task is work in tiles that may be computed in any order and at once.
type Task interface {
	// Tile computes one of them, with the memory of the goroutine.
	Tile(i int, ws Workspace)
}

// Workspace is the memory that a goroutine needs for tiles.
type Workspace interface {
	// Release forgets what need not be kept from job to job.
	Release()
	// Reset drops what a tile that panicked may have left half done.
	Reset()
}

// Observer is told who computes tiles.
type Observer interface {
	// TookPart tells that a thread has computed some tiles: 0 is the caller of [Pool.Share], others are
	// workers. Each thread calls it itself, before Share returns.
	TookPart(thread, tiles int, began, ended time.Duration)
}

// Job is a task on offer. It can be shared again, with another task.
type Job struct {
	Task        Task
	Tiles       int
	Observer    Observer // nil unless there is one
	Flushes     bool     // whether tiles take denormal numbers for zero
	PendingCost int      // the work so far, in nanoseconds, for which sleeping workers were not woken

	shares   []tileShare  // of each thread, the caller first
	finished atomic.Int64 // workers that have taken part and are done
	helpers  []*worker
	fault    atomic.Pointer[bug.Panic]
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
func (j *Job) divide(threads int) {
	if cap(j.shares) < threads {
		j.shares = make([]tileShare, threads)
	}
	j.shares = j.shares[:threads]
	for i := range j.shares {
		j.shares[i].left.Store(uint64(i*j.Tiles/threads)<<32 | uint64((i+1)*j.Tiles/threads))
	}
}

// take has a thread take part, and tells the observer of it. The caller is thread 0.
func (j *Job) take(thread int, ws Workspace) {
	if j.Flushes && thread > 0 { // the caller does already
		defer cpu.FlushDenormals().End()
	}
	if j.Observer == nil {
		j.work(thread, ws)
		return
	}
	began := clock.Now()
	if tiles := j.work(thread, ws); tiles > 0 {
		j.Observer.TookPart(thread, tiles, began, clock.Now())
	}
}

// work computes tiles until none is left, and returns how many it took. A panic ends the work of
// all, and is the caller's.
func (j *Job) work(thread int, ws Workspace) (tiles int) {
	defer func() {
		if v := recover(); v != nil {
			j.fault.Store(bug.Caught(v))
			for i := range j.shares {
				j.shares[i].left.Store(0)
			}
			ws.Reset()
		}
	}()
	for i := range j.shares {
		s := &j.shares[(thread+i)%len(j.shares)]
		for tile, ok := s.next(i > 0); ok; tile, ok = s.next(i > 0) {
			j.Task.Tile(tile, ws)
			tiles++
		}
	}
	return tiles
}

// spin is how long a worker looks for work before it sleeps. Waking it takes longer than
// most kernels.
const spin = 100 * time.Microsecond

// wakeCost is the work, in nanoseconds, from which on a sleeping worker is worth waking,
// be it of several jobs one after the other.
const wakeCost = 150_000

// ParallelCost is the work, in nanoseconds, from which on workers that are awake are worth asking.
const ParallelCost = 4_000

// Pool is worker goroutines.
type Pool struct {
	workspace func() Workspace // makes one
	mu        sync.Mutex
	workers   atomic.Pointer[[]*worker]
}

// New returns a pool, which starts workers when they are asked for, each with a workspace.
func New(workspace func() Workspace) *Pool { return &Pool{workspace: workspace} }

// worker is a goroutine of the pool.
type worker struct {
	number int                 // from 1 on
	offer  atomic.Pointer[Job] // work to be taken; busy while the worker is at work
	asleep atomic.Bool
	wake   chan struct{}
	ws     Workspace
}

// busy marks a worker that has taken an offer.
var busy = new(Job)

// first returns n workers, starting them as need be.
func (p *Pool) first(n int) []*worker {
	if list := p.workers.Load(); list != nil && len(*list) >= n {
		return (*list)[:n]
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []*worker
	if old := p.workers.Load(); old != nil {
		list = append(list, *old...)
	}
	for len(list) < n {
		w := &worker{number: len(list) + 1, wake: make(chan struct{}, 1), ws: p.workspace()}
		list = append(list, w)
		go w.run()
	}
	p.workers.Store(&list)
	return list[:n]
}

// run has a worker take jobs.
func (w *worker) run() {
	idle := time.Now()
	for {
		if j := w.offer.Load(); j != nil && w.offer.CompareAndSwap(j, busy) {
			j.take(w.number, w.ws)
			w.ws.Release()
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

// Share computes a job on the caller and on up to threads-1 workers. cost is an estimate
// of all its work in nanoseconds.
func (p *Pool) Share(j *Job, threads, cost int, ws Workspace) {
	j.divide(threads)
	j.finished.Store(0)
	j.helpers = j.helpers[:0]
	j.PendingCost += cost
	wake := j.PendingCost >= wakeCost
	if wake {
		j.PendingCost = 0
	}
	for _, w := range p.first(threads - 1) {
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
