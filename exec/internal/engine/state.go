package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/memory"
	"github.com/broadloom/broadloom/exec/internal/params"
	"github.com/broadloom/broadloom/exec/internal/pool"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/hugepage"
)

// State is the memory of a program's runs. Only one goroutine at a time uses it.
type State struct {
	prog   *Code
	Params []*params.Value // in the order of the program's parameters
	Store  *params.Store   // that owns them; may be nil
	consts []memory.Value
	Fed    []memory.Value // the inputs of the run
	packed params.Packed  // weights, other than parameters, as products read them
	kept   keptValues

	Arena      []byte
	later      hugepage.Later // makes huge pages of the arena, in runs that have time for it
	credit     time.Duration  // that runs may spend on huge pages, of the arena and of parameters
	generation int            // counts the arena's moves
	laidOut    int            // bytes of weights that the run has packed for products

	Ws      Workspace
	job     pool.Job
	shared  shared // the job's task
	Threads int
	ctx     context.Context // of the run
	ended   func() bool     // whether ctx has ended; see stop.go
	mayStop bool            // whether the current launch may stop in the middle

	Flushes        bool      // kernels flush denormal numbers to zero
	Print          io.Writer // where ordered operations print
	GuardsOperands bool      // Go functions that write their operands are reported
	Observer       Observer  // nil unless kernels are timed

	bodies map[*lower.Repeat]*State

	// The state of a loop's body has its outputs' addresses, the number of runs of the loop, and how many bytes there
	// are from each input on: see repeatTask.place.
	Out   []unsafe.Pointer
	loops int
	rooms []int
}

// Observer is notified when a run reaches kernels. With an observer, each kernel runs separately.
type Observer interface {
	// Begin is called before the first kernel of a run, or of each step of a loop's body.
	Begin()
	Start(kernel int)
	Stop(kernel int)
	// Body returns the observer for the body of the current loop.
	Body() Observer
	pool.Observer // for the kernel's tiles, before Stop
}

// Prepare allocates what runs need for any sizes.
func (s *State) Prepare(prog *Code) {
	s.prog, s.Fed = prog, make([]memory.Value, prog.numInputs)
	for _, n := range prog.consts {
		s.consts = append(s.consts, memory.OfConstant(n))
	}
	s.kept.reserve(prog.keptBuffers)
	s.Ws.scratch.Reserve(prog.Compiled...)
	for r, body := range prog.bodies {
		if s.bodies == nil {
			s.bodies = map[*lower.Repeat]*State{}
		}
		s.bodies[r] = &State{Out: make([]unsafe.Pointer, len(r.Body.Results))}
		s.bodies[r].Prepare(body)
	}
}

// Execute runs the kernels in order.
func (s *State) Execute(ctx context.Context, b *Specialization) (err error) {
	if len(s.Arena) < b.Arena {
		s.makeArena(b.Arena)
		s.credit = 0
		s.generation++
	} else if s.hasSmallPages() {
		defer s.enlarge(time.Now())
	}
	s.setPointers(b)
	s.job.PendingCost, s.job.Flushes, s.ctx, s.laidOut = 0, s.Flushes, ctx, 0
	if s.Flushes {
		defer cpu.FlushDenormals().End()
	}
	for _, i := range s.prog.Written {
		s.Params[i].Version++
	}
	if s.Observer != nil {
		s.Observer.Begin()
	}
	i := 0
	defer func() {
		if v := recover(); v != nil {
			s.forget()
			err = bug.Panicked(s.prog.Kernels[b.Launches[i].kernel].Computes().Nodes[0], v)
		}
	}()
	for i < len(b.Launches) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("exec: the run was stopped before kernel %d of %d: %w", i+1, len(b.Launches), err)
		}
		n, err := s.launch(b, i)
		if errors.Is(err, errStopped) {
			return fmt.Errorf("exec: the run was stopped in kernel %d of %d: %w", i+1, len(b.Launches), ctx.Err())
		} else if err != nil {
			return err
		}
		i += n
	}
	return nil
}

// launch runs a launch, and returns how many launches that includes: those of a chain, and those of a batch unless
// kernels are timed.
func (s *State) launch(b *Specialization, i int) (n int, err error) {
	l, timed := &b.Launches[i], s.Observer != nil
	switch {
	case l.kept != nil && s.isKept(l.kernel, l.kept), l.Fused && !timed:
		return 1, nil
	case l.Batch != nil && !timed:
		l.Batch.Run()
		return l.Batch.Len(), nil
	}
	if timed {
		s.Observer.Start(l.kernel)
	}
	s.mayStop = l.mayStop
	if l.Chain != nil {
		n, err = len(l.Chain.members), l.Chain.Run(s)
	} else {
		n, err = 1, l.Task.Run(s)
	}
	if err == nil && s.hasStopped() {
		err = errStopped
	}
	if err != nil {
		delete(s.kept.versions, l.kernel)
		return n, err
	}
	if timed {
		s.Observer.Stop(l.kernel)
	}
	b.keep(s, i+n-1)
	return n, nil
}

// forget cleans up after a run that panicked.
func (s *State) forget() {
	s.Ws.Reset()
	s.Ws.scratch.Reserve(s.prog.Compiled...)
	s.packed.Clear()
	clear(s.kept.versions)
	for _, body := range s.bodies {
		body.forget()
	}
}

// setPointers sets the addresses of the launches' operands: of all if the arena has moved, otherwise of those in
// inputs, if an input has moved since the specialization's last run.
func (s *State) setPointers(b *Specialization) {
	all, moved := b.generation != s.generation, false
	for i := range s.Fed {
		if b.fed[i] != s.Fed[i].Ptr {
			b.fed[i], moved = s.Fed[i].Ptr, true
		}
	}
	for i, at := range s.Out {
		if b.out[i] != at {
			b.out[i], moved = at, true
		}
	}
	b.generation = s.generation
	if !all && !moved {
		return
	}
	for i := range b.Launches {
		l := &b.Launches[i]
		if l.Chain != nil && all {
			l.Chain.setPointer(unsafe.Pointer(&s.Arena[l.Chain.at]))
		}
		if all || l.needsIn {
			for operand, pl := range l.Operands {
				if pl.Slot != inChain {
					l.Task.SetPointer(operand, s.Pointer(b, pl))
				}
			}
		}
	}
}

// Pointer returns the address of a location.
func (s *State) Pointer(b *Specialization, pl Location) unsafe.Pointer {
	switch {
	case pl.Slot >= 0:
		return unsafe.Pointer(&b.sizeSlots[pl.Slot])
	case pl.Slot == inNothing:
		return unsafe.Pointer(&nothing)
	}
	var base unsafe.Pointer
	switch pl.Buffer.Kind {
	case lower.InArena:
		if len(s.Arena) == 0 {
			return nil
		}
		base = unsafe.Pointer(&s.Arena[b.Offsets[pl.Buffer.Index]])
	case lower.InInput:
		if s.rooms != nil && pl.Offset >= s.rooms[pl.Buffer.Index] {
			return unsafe.Pointer(&nothing)
		}
		base = s.Fed[pl.Buffer.Index].Ptr
	case lower.InResult:
		base = s.Out[pl.Buffer.Index]
	case lower.InParam:
		base = s.Params[pl.Buffer.Index].Ptr
	case lower.InKept:
		base = s.kept.pointer(pl.Buffer.Index)
	case lower.InConst:
		base = s.consts[pl.Buffer.Index].Ptr
	}
	if base == nil {
		return nil
	}
	return unsafe.Add(base, pl.Offset)
}
