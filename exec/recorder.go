package exec

import (
	"context"
	"fmt"
	"runtime/pprof"
	"time"

	"github.com/broadloom/broadloom/exec/internal/engine"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/kernels/clock"
)

// mostSpans is the most kernel runs in a trace. It leaves out later runs, and later steps of loops within a run.
const mostSpans = 100_000

// span is a period of time, relative to the start of the first run.
type span struct {
	kernel       int // an index in the recording, or the number of a run
	tiles        int // of the kernel, if threads shared it
	began, ended time.Duration
}

// recording is when kernels ran, including those of loops' bodies.
type recording struct {
	measured []measured

	origin  time.Duration
	traced  bool // whether this run is traced
	runs    []span
	kernels []span
	parts   [][]span // of kernels, by thread
}

// measured is a kernel and its measurements.
type measured struct {
	kernel lower.Kernel
	number string          // of Plan.Kernels; "3.1" is kernel 1 of the body of loop 3
	label  context.Context // in CPU profiles
	in     *recorder
	time   time.Duration // in the current run
	best   time.Duration // the shortest of all runs
	passes int           // in that run: how often the kernel ran
}

// recorder is the engine's observer of a program's kernels, or of a loop body's, for a profile.
type recorder struct {
	*recording
	at     []int                  // by kernel: its index in the recording
	bodies map[int]*recorder      // of kernels that are loops, by index in the recording
	b      *engine.Specialization // of the runs, set after them

	passes int           // how often the first kernel has begun in this run
	kernel int           // the current kernel's index in the recording
	began  time.Duration // when the current kernel began
	kept   bool          // whether its span is kept
}

// newRecorder makes a recorder for kernels, including those in loop bodies.
func newRecorder(ctx context.Context, kernels []lower.Kernel, threads int) *recorder {
	return (&recording{parts: make([][]span, max(threads, 1))}).add(ctx, kernels, "")
}

// add makes a recorder for kernels, whose numbers begin with those of the loops around them.
func (r *recording) add(ctx context.Context, kernels []lower.Kernel, loops string) *recorder {
	made := &recorder{recording: r, bodies: map[int]*recorder{}}
	for i, k := range kernels {
		number := fmt.Sprint(loops, i)
		made.at = append(made.at, len(r.measured))
		r.measured = append(r.measured, measured{kernel: k, number: number, in: made,
			label: pprof.WithLabels(ctx, pprof.Labels("kernel", number+" "+operations(k.Computes())))})
		if loop, is := k.(*lower.Repeat); is {
			made.bodies[made.at[i]] = r.add(ctx, loop.Body.Kernels, number+".")
		}
	}
	return made
}

func (r *recording) beginRun() {
	for i := range r.measured {
		r.measured[i].time, r.measured[i].in.passes = 0, 0
	}
	now := clock.Now()
	if r.origin == 0 {
		r.origin = now
	}
	if r.traced = len(r.kernels) < mostSpans; r.traced {
		r.runs = append(r.runs, span{kernel: len(r.runs), began: now - r.origin})
	}
}

// endRun ends a run. isFirst says that there are no earlier measurements.
func (r *recording) endRun(isFirst bool) {
	if r.traced {
		r.runs[len(r.runs)-1].ended = clock.Now() - r.origin
	}
	for i := range r.measured {
		if k := &r.measured[i]; isFirst || k.time < k.best {
			k.best, k.passes = k.time, k.in.passes
		}
	}
}

// bind records the specialization of the runs.
func (r *recorder) bind(b *engine.Specialization) {
	r.b = b
	for at, body := range r.bodies {
		body.bind(b.Body(r.measured[at].kernel.(*lower.Repeat)))
	}
}

// Begin counts how often the kernels run.
func (r *recorder) Begin() { r.passes++ }

// Start starts the time of a kernel.
func (r *recorder) Start(kernel int) {
	r.kernel = r.at[kernel]
	pprof.SetGoroutineLabels(r.measured[r.kernel].label)
	r.kept = r.traced && len(r.kernels) < mostSpans
	r.began = clock.Now()
}

// Stop stops the time of a kernel. Several launches of one kernel add up.
func (r *recorder) Stop(int) {
	now := clock.Now()
	r.measured[r.kernel].time += now - r.began
	if r.kept {
		r.kernels = append(r.kernels, r.span(0, r.began, now))
	}
}

// Body returns the recorder for the body of the current loop.
func (r *recorder) Body() engine.Observer { return r.bodies[r.kernel] }

// TookPart records a thread's part of the current kernel.
func (r *recorder) TookPart(thread, tiles int, began, ended time.Duration) {
	if r.kept {
		r.parts[thread] = append(r.parts[thread], r.span(tiles, began, ended))
	}
}

func (r *recorder) span(tiles int, began, ended time.Duration) span {
	return span{r.kernel, tiles, began - r.origin, ended - r.origin}
}
