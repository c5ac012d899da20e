package engine

import (
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/pool"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// LoopTask is a row program with its arguments. It is a task: its tiles are ranges of an axis, or chunks of a sum.
type LoopTask struct {
	b         *Specialization
	Loop      *lower.Loop
	Args      *launch.Args
	call      *backend.Call // of the whole kernel
	cost      int           // an estimate of the time of a run, in nanoseconds
	partition partition
	axis      int // the axis that is split, if byAxis
	size      int // of a tile along that axis
	tiles     int

	first  int                 // the chunk of the first tile
	sums   []launch.Partial    // of chunks
	long   *backend.ChunkedRow // a row whose chunks, except the first, are the tiles
	faults faults
}

// partition says how a kernel is divided into tiles.
type partition uint8

const (
	byAxis partition = iota
	byChunks
	byRowChunks
)

// faults keeps the failed check with the lowest position.
type faults struct {
	sync.Mutex
	fault launch.Fault
	found bool
}

// note records a fault, unless one at a lower position is recorded.
func (f *faults) note(fault launch.Fault) {
	f.Lock()
	defer f.Unlock()
	if !f.found || fault.Position < f.fault.Position {
		f.fault, f.found = fault, true
	}
}

func (k *LoopTask) SetPointer(operand int, p unsafe.Pointer) { k.call.Point(operand, p) }

func (k *LoopTask) asCall() backend.Entry {
	if k.cost >= pool.ParallelCost {
		return nil
	}
	return k.call
}

func (k *LoopTask) Run(s *State) error {
	if !s.pays(k.tiles, k.cost) && !(k.tiles > 1 && s.inParts(k.cost)) {
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
		if s.Threads == 1 {
			k.runParts(s)
		} else {
			s.ParallelFor(k, k.tiles, k.cost)
		}
	}
	if k.faults.found {
		return s.faultError(k, k.faults.fault)
	}
	return nil
}

// runParts computes ranges of the axis that is split, each of several tiles, on one thread.
func (k *LoopTask) runParts(s *State) {
	size := k.size * max(1, k.tiles*partCost/k.cost)
	for lo := 0; lo < k.Args.Size(k.axis) && !s.hasStopped(); lo += size {
		if fault, ok := k.runPart(k.axis, lo, min(lo+size, k.Args.Size(k.axis)), &s.Ws); !ok {
			k.faults.note(fault)
		}
	}
}

// waveChunks is the number of chunks whose sums are kept before they are combined.
const waveChunks = 32

// runChunks computes the chunks of a sum over the outermost axis, some at a time, and combines them in order.
func (k *LoopTask) runChunks(s *State) {
	if k.sums == nil {
		k.sums = make([]launch.Partial, min(waveChunks, k.tiles))
	}
	for k.first = 0; k.first < k.tiles && !k.faults.found && !s.hasStopped(); k.first += len(k.sums) {
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

// runRowChunks computes long rows one after the other, each stage of a row in chunks.
func (k *LoopTask) runRowChunks(s *State) {
	for k.long.Start(0, k.Args.Rows()); k.long.Begin(); k.long.End() {
		s.ParallelFor(k, k.tiles, k.cost)
		if s.hasStopped() { // parts of the stage may be missing
			return
		}
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
	case byAxis:
		fault, ok = k.runPart(k.axis, lo, min(lo+k.size, k.Args.Size(k.axis)), ws)
	case byChunks:
		chunk, a := k.first+i, k.Args
		if chunk > 0 { // the first one adds directly to the result
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

// runPart computes a range of an axis.
func (k *LoopTask) runPart(axis, lo, hi int, ws *Workspace) (launch.Fault, bool) {
	if axis == 0 && len(k.Args.Outer) > 0 {
		return k.Loop.Kernel.RunRange(k.Args, lo, hi, &ws.scratch)
	}
	prog := k.Loop.Program
	a := ws.argsOf(prog.Outer, len(prog.Operands))
	k.Args.Slice(prog, axis, lo, hi, a)
	var fault launch.Fault
	var ok bool
	if prog.ReducesOutermost() {
		ws.accumulated.Reset(prog, a)
		fault, ok = k.Loop.Kernel.RunRange(ws.accumulated.Args(a), 0, a.Rows(), &ws.scratch)
		ws.accumulated.CopyTo(a)
		ws.accumulated.Release()
	} else {
		fault, ok = k.Loop.Kernel.Run(a, &ws.scratch)
	}
	if !ok {
		fault.Position = k.Args.Position(axis, lo, hi, fault.Position)
	}
	return fault, ok
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
			a.Stride[i][0] = 1 // the row has one element
		}
	}
	return a
}

// tileCost is the work of a tile, in nanoseconds: large compared with the cost of taking a tile, and small enough that
// threads do not wait long for the last one.
const tileCost = 40_000

// divide chooses the tiles.
func (k *LoopTask) divide() {
	k.cost = callCost(k.Loop.Program, k.Args)
	switch {
	case launch.Chunks(k.Loop.Program, k.Args) > 1:
		k.partition, k.tiles = byChunks, launch.Chunks(k.Loop.Program, k.Args)
	case k.long != nil && k.Args.Elements() < 8*k.Args.N:
		k.partition = byRowChunks
		k.size = grainSize(k.long.Chunks()-1, k.cost, 1)
		k.tiles = ceilDiv(k.long.Chunks()-1, k.size)
	default:
		k.cutAxis()
	}
}

// A kernel is split along the outermost axis that gives enoughTiles, so that the elements of a tile are close together.
// Along an inner axis, at least minTileElements elements of a tile are contiguous: with fewer, threads would prefetch
// each other's cache lines.
const (
	enoughTiles     = 8
	minTileElements = 768
)

// cutAxis chooses the axis that is split into tiles, and their size.
func (k *LoopTask) cutAxis() {
	k.tiles = 1
	together := k.Args.Elements() // elements for each index of the axis
	for axis := range len(k.Args.Outer) + 1 {
		size, unit := k.Args.Size(axis), 1
		if together /= max(size, 1); axis > 0 || len(k.Args.Outer) == 0 {
			unit = ceilDiv(minTileElements, max(together, 1))
		}
		if k.tiles < enoughTiles && k.Loop.Program.Separable(axis) && ceilDiv(size, unit) > k.tiles {
			k.axis, k.size = axis, grainSize(size, k.cost, unit)
			k.tiles = ceilDiv(size, k.size)
		}
	}
}

// grainSize returns the size of tiles for n elements of some total cost: a multiple of unit.
func grainSize(n, cost, unit int) int {
	count := max(1, cost/tileCost)
	if cost >= pool.ParallelCost {
		count = max(count, enoughTiles)
	}
	return max(ceilDiv(n/count, unit)*unit, unit)
}

// callCost estimates the time of a call, in nanoseconds. Summing over a row's lanes takes the same time for rows of any
// length.
func callCost(p *rowprog.Program, a *launch.Args) int {
	const ofRow, ofSum = 4, 12
	row := ofRow
	for i := range p.Insts {
		if p.Insts[i].Op == rowprog.OpReduce {
			row += ofSum
		}
	}
	elements := a.Elements()
	return max(elementCosts(p))*elements/1024 + row*(elements/max(a.N, 1))
}

// elementCosts estimates the time for an element's instructions, in vectors, and for moving its operands, in 1/1024
// nanoseconds.
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
