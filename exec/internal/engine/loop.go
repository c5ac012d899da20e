package engine

import (
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// LoopTask is a row program with its arguments. It is a task: its tiles are ranges of
// rows, pieces of all rows, or the chunks of a sum over the outermost axis.
type LoopTask struct {
	b         *Specialization
	Loop      *lower.Loop
	Args      *launch.Args
	call      *backend.Call // of the whole
	cost      int           // an estimate of the time of a run, in nanoseconds
	partition partition
	size      int // of a tile: rows, or elements of each row
	tiles     int

	first  int                 // the chunk of the first tile
	sums   []launch.Partial    // of chunks
	long   *backend.ChunkedRow // whose chunks of a row are the tiles, but for the first
	faults faults
}

// partition is how a kernel is divided into tiles.
type partition uint8

const (
	byRows partition = iota
	byElements
	byChunks
	byRowChunks
)

// faults keeps the failed check at the first element that has one.
type faults struct {
	sync.Mutex
	fault launch.Fault
	found bool
}

// note keeps a fault unless there is one before it.
func (f *faults) note(fault launch.Fault) {
	f.Lock()
	defer f.Unlock()
	if !f.found || fault.Position < f.fault.Position {
		f.fault, f.found = fault, true
	}
}

func (k *LoopTask) SetPointer(operand int, p unsafe.Pointer) { k.call.Point(operand, p) }

func (k *LoopTask) Run(s *State) error {
	if s.Threads <= 1 || k.tiles <= 1 || k.cost < parallelCost {
		if fault, ok := k.call.Run(&s.Ws.scratch); !ok {
			return s.faultError(k, fault)
		}
		return nil
	}
	k.faults.found = false
	switch k.partition {
	case byChunks:
		k.runChunks(s)
	case byRowChunks:
		k.runRowChunks(s)
	default:
		s.ParallelFor(k, k.tiles, k.cost)
	}
	if k.faults.found {
		return s.faultError(k, k.faults.fault)
	}
	return nil
}

// waveChunks is the number of chunks whose sums are kept before they are combined.
const waveChunks = 32

// runChunks computes the chunks of a sum over the outermost axis a wave at a time, and
// combines them in their order.
func (k *LoopTask) runChunks(s *State) {
	if k.sums == nil {
		k.sums = make([]launch.Partial, min(waveChunks, k.tiles))
	}
	for k.first = 0; k.first < k.tiles && !k.faults.found; k.first += len(k.sums) {
		count := min(len(k.sums), k.tiles-k.first)
		for i := range count {
			k.sums[i].Reset(k.Loop.Program, k.Args)
		}
		s.ParallelFor(k, count, k.cost*count/k.tiles)
		for i := range count {
			if k.first+i > 0 && !k.faults.found {
				k.sums[i].AddTo(k.Args)
			}
			k.sums[i].Release()
		}
	}
}

// runRowChunks computes long rows one after the other, each stage of a row in its chunks.
func (k *LoopTask) runRowChunks(s *State) {
	for k.long.Start(0, k.Args.Rows()); k.long.Begin(); k.long.End() {
		s.ParallelFor(k, k.tiles, k.cost)
	}
	if fault, ok := k.long.Result(); !ok {
		k.faults.note(fault)
	}
}

// Tile computes one tile.
func (k *LoopTask) Tile(i int, ws *Workspace) {
	var fault launch.Fault
	ok := true
	switch lo := i * k.size; k.partition {
	case byRows:
		fault, ok = k.Loop.Kernel.RunRange(k.Args, lo, min(lo+k.size, k.Args.Rows()), &ws.scratch)
	case byElements:
		k.runElements(lo, min(lo+k.size, k.Args.N), ws)
	case byChunks:
		chunk, a := k.first+i, k.Args
		if chunk > 0 { // the first one goes into the result itself
			a = k.sums[i].Args(a)
		}
		lo, hi := launch.Chunk(k.Loop.Program, a, chunk)
		fault, ok = k.Loop.Kernel.RunRange(a, lo, hi, &ws.scratch)
	case byRowChunks:
		for chunk := 1 + lo; chunk < min(1+lo+k.size, k.long.Chunks()); chunk++ {
			k.long.Chunk(chunk, &ws.scratch)
		}
	}
	if !ok {
		k.faults.note(fault)
	}
}

// runElements computes some elements of each row.
func (k *LoopTask) runElements(lo, hi int, ws *Workspace) {
	a := ws.argsOf(k.Loop.Program.Outer, len(k.Loop.Program.Operands))
	k.Args.SliceRow(k.Loop.Program, lo, hi, a)
	if fault, ok := k.Loop.Kernel.Run(a, &ws.scratch); !ok {
		fault.Position = fault.Position/a.N*k.Args.N + lo + fault.Position%a.N // in whole rows
		k.faults.note(fault)
	}
}

// bindPart binds a row program.
func (b *Specialization) bindPart(p *Code, part *lower.Loop) Launch {
	s := b.newLaunch(p, part.Operands)
	k := &LoopTask{b: b, Loop: part, Args: backend.Coalesce(part.Kernel, b.argsOf(part))}
	k.call = backend.Prepare(part.Kernel, k.Args)
	k.long = backend.PrepareChunked(part.Kernel, k.Args)
	k.divide()
	s.Task = k
	return s
}

// argsOf evaluates the sizes and strides of a row program.
func (b *Specialization) argsOf(part *lower.Loop) *launch.Args {
	a := launch.New(part.Program)
	last := len(part.Axes) - 1
	a.N = 1
	for at, axes := range part.Axes {
		size := 1
		for _, axis := range axes {
			size *= b.Eval(part.Space[axis])
		}
		if at == last {
			a.N = size
		} else {
			a.Outer[at] = size
		}
	}
	for i, o := range part.Operands {
		if o.Base == nil || b.hasNothing(o) {
			continue
		}
		strides := b.strides(o)
		for at, axes := range part.Axes {
			if len(axes) > 0 {
				a.Stride[i][at] = strides[axes[len(axes)-1]]
			}
		}
		if last < 0 && part.Program.Operands[i].Domain == rowprog.Vec {
			a.Stride[i][0] = 1 // of one element
		}
	}
	return a
}

// tileCost is the work of a tile, in nanoseconds: enough that taking it does not count,
// and so little that the last one is not long waited for.
const tileCost = 40_000

// divide chooses the tiles.
func (k *LoopTask) divide() {
	elements := k.Args.Elements()
	k.cost = elementCost(k.Loop.Program) * elements / 1024
	rows := k.Args.Rows()
	switch {
	case launch.Chunks(k.Loop.Program, k.Args) > 1:
		k.partition, k.tiles = byChunks, launch.Chunks(k.Loop.Program, k.Args)
	case k.long != nil && elements < 8*k.Args.N:
		k.partition = byRowChunks
		k.size = grainSize(k.long.Chunks()-1, k.cost, 1)
		k.tiles = ceilDiv(k.long.Chunks()-1, k.size)
	case k.Loop.Program.ReducesOutermost():
		k.tiles = 1
	case rows < 8 && k.Loop.Program.Elementwise() && k.Loop.Program.Stages == 1:
		k.partition = byElements
		k.size = grainSize(k.Args.N, k.cost, 1024)
		k.tiles = ceilDiv(k.Args.N, k.size)
	default:
		k.size = grainSize(rows, k.cost, 1)
		k.tiles = ceilDiv(rows, k.size)
	}
}

// grainSize returns the size of tiles that cut n elements of some work: a multiple of unit.
func grainSize(n, cost, unit int) int {
	count := max(1, cost/tileCost)
	if cost >= parallelCost {
		count = max(count, 8)
	}
	return max((n/count+unit-1)/unit*unit, unit)
}

// elementCost estimates the time of an element of a program, in 1/1024 nanoseconds.
func elementCost(p *rowprog.Program) int { return max(elementCosts(p)) }

// elementCosts estimates the times of an element's instructions, on vectors, and of moving
// its operands, in 1/1024 nanoseconds.
func elementCosts(p *rowprog.Program) (work, moved int) {
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Domain == rowprog.Vec || in.Op == rowprog.OpReduce {
			work += 40 * max(1, lower.OpCosts[in.Op])
		}
	}
	for _, o := range p.Operands {
		if o.Domain == rowprog.Vec {
			moved += 80 * o.Type.Size()
		}
	}
	return work, moved
}
