package exec

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/pages"
)

// state is the memory of runs of a program: one goroutine at a time uses it.
type state struct {
	prog       *code
	params     []*paramValue // in the order of the program's parameters
	consts     []memory
	fed        []memory          // of the inputs of the run
	packed     map[packedKey]any // the weights of products: each a *packedWeight of their type
	arena      []byte
	generation int
	ws         workspace
	job        job
	threads    int
	observer   observer // nil unless the times of kernels are taken
}

// observer is told when a run comes to kernels. Each then runs by itself.
type observer interface {
	start(kernel int)
	stop(kernel int)
}

// prepare makes room for all that runs need whatever the sizes.
func (s *state) prepare(prog *code) {
	s.prog, s.packed, s.fed = prog, map[packedKey]any{}, make([]memory, prog.numInputs)
	for _, n := range prog.consts {
		s.consts = append(s.consts, constMemory(n))
	}
	s.ws.scratch.Reserve(prog.compiled...)
}

// execute runs the kernels in order, those of a list as one unless their times are taken.
func (s *state) execute(ctx context.Context, b *binding) (err error) {
	if len(s.arena) < b.arena {
		s.arena = pages.Make[byte](b.arena)
		s.generation++
	}
	s.point(b)
	s.job.alone = 0
	for _, i := range s.prog.written {
		s.params[i].version++
	}
	i := 0
	defer func() {
		if v := recover(); v != nil {
			s.forget()
			err = panicAt(s.prog.kernels[b.steps[i].of].of().nodes[0], v)
		}
	}()
	for ; i < len(b.steps); i++ {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("exec: the run was stopped before kernel %d of %d: %w", i+1, len(b.steps), err)
		}
		st := &b.steps[i]
		if s.observer != nil {
			s.observer.start(st.of)
			if err := st.kernel.run(s); err != nil {
				return err
			}
			s.observer.stop(st.of)
			continue
		}
		switch {
		case st.taken:
		case st.list != nil:
			st.list.Run()
			i += st.list.Len() - 1
		default:
			if err := st.kernel.run(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// forget drops what a run that ended in a panic may have left half done.
func (s *state) forget() {
	s.ws = workspace{}
	s.ws.scratch.Reserve(s.prog.compiled...)
	clear(s.packed)
}

// point sets the addresses of the steps' operands: all of them if the arena has moved,
// those of inputs if they lie elsewhere than in the binding's last run.
func (s *state) point(b *binding) {
	all, moved := b.generation != s.generation, false
	for i := range s.fed {
		if b.fed[i] != s.fed[i].ptr {
			b.fed[i], moved = s.fed[i].ptr, true
		}
	}
	b.generation = s.generation
	if !all && !moved {
		return
	}
	for i := range b.steps {
		if st := &b.steps[i]; all || st.needsIn {
			for operand, pl := range st.operands {
				st.kernel.point(operand, s.pointer(b, pl))
			}
		}
	}
}

// share computes the tiles of a task on the session's threads. cost is an estimate of
// the whole work in nanoseconds.
func (s *state) share(t task, tiles, cost int) {
	s.job.task, s.job.tiles = t, int64(tiles)
	s.job.share(s.threads, cost, &s.ws)
}

// pointer gives the memory at a place.
func (s *state) pointer(b *binding, pl place) unsafe.Pointer {
	if pl.slot >= 0 {
		return unsafe.Pointer(&b.sizeSlots[pl.slot])
	}
	var base unsafe.Pointer
	switch pl.storage.kind {
	case inArena:
		if len(s.arena) == 0 {
			return nil
		}
		base = unsafe.Pointer(&s.arena[b.offsets[pl.storage.index]])
	case inInput:
		base = s.fed[pl.storage.index].ptr
	case inParam:
		base = s.params[pl.storage.index].ptr
	case inConst:
		base = s.consts[pl.storage.index].ptr
	}
	if base == nil {
		return nil
	}
	return unsafe.Add(base, pl.offset)
}
