package engine

import (
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/pool"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/gather"
)

// movesSlices is a task that takes or puts slices at positions that are only known at run time.
type movesSlices interface {
	Task
	// slices returns the arguments of machine code for it. The code is nil if there is none.
	slices() (args gather.Args, code unsafe.Pointer)
}

// stepSlices is such a task as one call in many steps.
type stepSlices struct {
	task     Task
	args     *gather.Args
	call     *backend.Static
	operands int // of the launch
}

// bytesAtOnce is roughly how many bytes are moved in the time of one element of a kernel.
const bytesAtOnce = 16

// newStepSlices makes a call that sets a word if an index is out of range. It returns nil if threads should share the
// work, or there is no code.
func newStepSlices(k movesSlices, operands int, stop *uint64) *stepSlices {
	args, code := k.slices()
	moved := args.Outer * args.Count * args.Slice
	if code == nil || moved/4 >= pool.ParallelCost {
		return nil
	}
	args.Stop = stop
	s := &stepSlices{task: k, args: &args, operands: operands}
	s.call = backend.NewStatic(code, unsafe.Pointer(s.args), args.Outer*args.Count+(moved+args.Whole)/bytesAtOnce)
	return s
}

// failed returns the error of the index that stopped the steps, if any. The task itself reports it.
func (t *bodySteps) failed(body *State) error {
	if *t.steps.Stop() == 0 {
		return nil
	}
	*t.steps.Stop() = 0
	for _, s := range t.slices {
		if s.args.Bad == 0 {
			continue
		}
		s.args.Bad = 0
		for operand := range s.operands {
			s.task.SetPointer(operand, s.call.Operand(operand))
		}
		return s.task.Run(body)
	}
	return nil
}

func (k *gatherTask) slices() (args gather.Args, code unsafe.Pointer) {
	t := k.spec.Node.DType()
	if k.spec.Fold != graph.NoFold || t.Size() == 0 {
		return args, nil
	}
	s := k.shape
	return gather.Args{Outer: s.Outer, Size: s.Size, Count: s.Count, Slice: s.Inner * t.Size(),
		IndexSize: k.spec.Node.In(1).DType().Size()}, gather.TakeCode()
}

func (k *putRowsTask) slices() (args gather.Args, code unsafe.Pointer) {
	s := k.rows
	return gather.Args{Outer: s.Outer, Size: s.Size, Count: s.Count, Slice: s.Inner, Whole: s.Outer * s.Size * s.Inner,
		IndexSize: 8}, gather.PutCode()
}

func (k *functionTask) slices() (args gather.Args, code unsafe.Pointer) {
	if !rewrite.PutsSlices(k.spec.Node) {
		return args, nil
	}
	whole := k.arrays[0]
	return gather.Args{Outer: k.count, Size: whole.Shape[0], Count: k.arrays[1].Shape[0],
		Slice: k.bytes[0] / max(whole.Shape[0], 1), Whole: k.count * k.bytes[0], IndexSize: 8}, gather.PutCode()
}
