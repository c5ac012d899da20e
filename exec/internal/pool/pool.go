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

// Task is work in tiles that may be computed in any order and in parallel.
type Task interface {
	// Tile computes one tile, with the memory of the goroutine.
	Tile(i int, ws Workspace)
}

// Workspace is the memory that a goroutine uses for tiles.
type Workspace interface {
	// Release drops what need not be kept between jobs.
	Release()
	// Reset cleans up after a tile that panicked.
	Reset()
}

// Observer is notified which threads compute tiles.
type Observer interface {
	// TookPart says that a thread has computed some tiles. Thread 0 is the caller of [Pool.Share], others are workers.
	// Each thread calls it itself, before Share returns.
	TookPart(thread, tiles int, began, ended time.Duration)
}

// Job is an offered task. It can be reused for another task.
type Job struct {
	Task        Task
	Tiles       int
	Observer    Observer    // may be nil
	Flushes     bool        // whether tiles flush denormal numbers to zero
	Stopped     func() bool // if not nil: reports whether the tiles that are left are not to be computed
	PendingCost int         // the work so far, in nanoseconds, for which no sleeping worker was woken

	shares   []tileShare  // of each thread, the caller first
	finished atomic.Int64 // workers that took part and are done
	helpers  []*worker
	fault    atomic.Pointer[bug.Panic]
}

// tileShare is the tiles that are left of a thread's share: first<<32 | end.
type tileShare struct {
	left atomic.Uint64
	_    [56]byte // against false sharing
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

// take makes a thread take part, and tells the observer. The caller is thread 0.
func (j *Job) take(thread int, ws Workspace) {
	if j.Flushes && thread > 0 { // the caller already does
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

// work computes tiles until none is left or the job is stopped, and returns how many. After a panic all threads stop,
// and the caller panics.
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
			if j.Stopped != nil && j.Stopped() {
				return tiles
			}
			j.Task.Tile(tile, ws)
			tiles++
		}
	}
	return tiles
}

// spin is how long a worker looks for work before it sleeps. Waking it takes longer than most kernels run.
const spin = 100 * time.Microsecond

// wakeCost is the work, in nanoseconds, that makes it worth waking a worker. Successive jobs add up to it.
const wakeCost = 150_000

// ParallelCost is the work, in nanoseconds, that makes it worth asking workers that are awake.
const ParallelCost = 4_000

// Pool is a set of worker goroutines.
type Pool struct {
	workspace func() Workspace // makes a workspace
	mu        sync.Mutex
	workers   atomic.Pointer[[]*worker]
}

// New returns a pool. It starts workers on demand, each with a workspace.
func New(workspace func() Workspace) *Pool { return &Pool{workspace: workspace} }

// worker is a goroutine of the pool.
type worker struct {
	number int                 // from 1 on
	offer  atomic.Pointer[Job] // the job on offer; busy while the worker computes
	asleep atomic.Bool
	wake   chan struct{}
	ws     Workspace
}

// busy marks a worker that has accepted an offer.
var busy = new(Job)

// first returns n workers, starting them if necessary.
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

// run takes jobs, in a worker's goroutine.
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
		if w.offer.Load() == nil { // a later offer comes with a call to wake
			<-w.wake
		}
		w.asleep.Store(false)
		idle = time.Now()
	}
}

// Share computes a job on the caller and on up to threads-1 workers. cost is an estimate of the whole work in
// nanoseconds.
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
			default: // it was woken already
			}
		}
	}
	j.take(0, ws)
	// Withdraw offers that no worker accepted. The others are at their last tiles.
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
