package exec

import (
	"context"
	"runtime/pprof"
	"time"
)

// mostSpans bounds the kernels whose times a trace has: those of later runs are left out.
const mostSpans = 100_000

// span is a stretch of time, from the first run's beginning on.
type span struct {
	kernel       int // or the number of a run
	tiles        int // of the kernel, if it was shared
	began, ended time.Duration
}

// recorder notes when kernels run, for a profile. It is the engine's observer.
type recorder struct {
	labels []context.Context // of the kernels
	times  []time.Duration   // of the kernels in the run that goes on

	origin  time.Time
	kernel  int       // that runs
	began   time.Time // of the kernel that runs
	traced  bool      // spans are kept of this run
	runs    []span
	kernels []span
	parts   [][]span // of kernels, by the thread that took part
}

func newRecorder(labels []context.Context, threads int) *recorder {
	return &recorder{labels: labels, times: make([]time.Duration, len(labels)), parts: make([][]span, max(threads, 1))}
}

func (r *recorder) beginRun() {
	clear(r.times)
	now := time.Now()
	if r.origin.IsZero() {
		r.origin = now
	}
	if r.traced = len(r.kernels) < mostSpans; r.traced {
		r.runs = append(r.runs, span{kernel: len(r.runs), began: now.Sub(r.origin)})
	}
}

func (r *recorder) endRun() {
	if r.traced {
		r.runs[len(r.runs)-1].ended = time.Since(r.origin)
	}
}

// Start begins the time of a kernel.
func (r *recorder) Start(kernel int) {
	pprof.SetGoroutineLabels(r.labels[kernel])
	r.kernel, r.began = kernel, time.Now()
}

// Stop ends the time of a kernel. One of several launches adds them up.
func (r *recorder) Stop(kernel int) {
	now := time.Now()
	r.times[kernel] += now.Sub(r.began)
	if r.traced {
		r.kernels = append(r.kernels, r.span(0, r.began, now))
	}
}

// TookPart notes what a thread has done of the kernel that runs.
func (r *recorder) TookPart(thread, tiles int, began, ended time.Time) {
	if r.traced {
		r.parts[thread] = append(r.parts[thread], r.span(tiles, began, ended))
	}
}

func (r *recorder) span(tiles int, began, ended time.Time) span {
	return span{r.kernel, tiles, began.Sub(r.origin), ended.Sub(r.origin)}
}
