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

// mostSpans bounds the kernels whose times a trace has: those of later runs are left out, and of a run
// those of the later steps of its loops.
const mostSpans = 100_000

// span is a stretch of time, from the first run's beginning on.
type span struct {
	kernel       int // of the recording, or the number of a run
	tiles        int // of the kernel, if it was shared
	began, ended time.Duration
}

// recording is when kernels ran, those of loops' bodies among them.
type recording struct {
	measured []measured

	origin  time.Duration
	traced  bool // spans are kept of this run
	runs    []span
	kernels []span
	parts   [][]span // of kernels, by the thread that took part
}

// measured is a kernel with what was measured of it.
type measured struct {
	kernel lower.Kernel
	number string          // of Plan.Kernels; "3.1" is kernel 1 of the body of loop 3
	label  context.Context // in profiles of the processor
	in     *recorder
	time   time.Duration // in the run that goes on
	best   time.Duration // in the run in which it was the least
	passes int           // in that run: how often the kernel ran
}

// recorder notes when the kernels of a program run, or those of a loop's body, for a profile. It is
// the engine's observer.
type recorder struct {
	*recording
	at     []int                  // by kernel: its place in the recording
	bodies map[int]*recorder      // of the kernels that are loops
	b      *engine.Specialization // of the runs, once they are over

	passes int           // how often the first of the kernels was begun in this run
	kernel int           // of the recording, that runs
	began  time.Duration // of the kernel that runs
	kept   bool          // its span is kept
}

// newRecorder makes the recorder of kernels, with those of the bodies in them.
func newRecorder(ctx context.Context, kernels []lower.Kernel, threads int) *recorder {
	return (&recording{parts: make([][]span, max(threads, 1))}).add(ctx, kernels, "")
}

// add makes the recorder of some kernels, whose numbers begin with those of the loops around them.
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

// endRun ends a run; nothing was measured before the first one.
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

// bind notes the sizes of the runs.
func (r *recorder) bind(b *engine.Specialization) {
	r.b = b
	for at, body := range r.bodies {
		body.bind(b.Body(r.measured[at].kernel.(*lower.Repeat)))
	}
}

// Begin counts how often the kernels run.
func (r *recorder) Begin() { r.passes++ }

// Start begins the time of a kernel.
func (r *recorder) Start(kernel int) {
	r.kernel = r.at[kernel]
	pprof.SetGoroutineLabels(r.measured[r.kernel].label)
	r.kept = r.traced && len(r.kernels) < mostSpans
	r.began = clock.Now()
}

// Stop ends the time of a kernel. One of several launches adds them up.
func (r *recorder) Stop(int) {
	now := clock.Now()
	r.measured[r.kernel].time += now - r.began
	if r.kept {
		r.kernels = append(r.kernels, r.span(0, r.began, now))
	}
}

// Body returns the recorder of the body of the loop that runs.
func (r *recorder) Body() engine.Observer { return r.bodies[r.kernel] }

// TookPart notes what a thread has done of the kernel that runs.
func (r *recorder) TookPart(thread, tiles int, began, ended time.Duration) {
	if r.kept {
		r.parts[thread] = append(r.parts[thread], r.span(tiles, began, ended))
	}
}

func (r *recorder) span(tiles int, began, ended time.Duration) span {
	return span{r.kernel, tiles, began - r.origin, ended - r.origin}
}
