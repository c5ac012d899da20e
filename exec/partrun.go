package exec

import (
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/bind"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// boundPart is a row program with its arguments. It is a task: its tiles are ranges of
// rows, pieces of all rows, or the chunks of a sum over the outermost axis.
type boundPart struct {
	b     *binding
	part  *part
	args  *bind.Args
	call  *backend.Call // of the whole
	cost  int           // an estimate of the time of a run, in nanoseconds
	cut   cut
	size  int // of a tile: rows, or elements of each row
	tiles int

	first  int            // the chunk of the first tile
	sums   []bind.Partial // of chunks
	long   *backend.Long  // whose chunks of a row are the tiles, but for the first
	faults faults
}

// cut is how a kernel is divided into tiles.
type cut uint8

const (
	byRows cut = iota
	byElements
	byChunks
	byRowChunks
)

// faults keeps the failed check at the first element that has one.
type faults struct {
	sync.Mutex
	fault bind.Fault
	found bool
}

// note keeps a fault unless there is one before it.
func (f *faults) note(fault bind.Fault) {
	f.Lock()
	defer f.Unlock()
	if !f.found || fault.Position < f.fault.Position {
		f.fault, f.found = fault, true
	}
}

func (k *boundPart) point(operand int, p unsafe.Pointer) { k.call.Point(operand, p) }

func (k *boundPart) run(s *state) error {
	if s.threads <= 1 || k.tiles <= 1 || k.cost < offerCost {
		if fault, ok := k.call.Run(&s.ws.scratch); !ok {
			return s.faultError(k, fault)
		}
		return nil
	}
	k.faults.found = false
	switch k.cut {
	case byChunks:
		k.runChunks(s)
	case byRowChunks:
		k.runRowChunks(s)
	default:
		s.share(k, k.tiles, k.cost)
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
func (k *boundPart) runChunks(s *state) {
	if k.sums == nil {
		k.sums = make([]bind.Partial, min(waveChunks, k.tiles))
	}
	for k.first = 0; k.first < k.tiles && !k.faults.found; k.first += len(k.sums) {
		count := min(len(k.sums), k.tiles-k.first)
		for i := range count {
			k.sums[i].Reset(k.part.prog, k.args)
		}
		s.share(k, count, k.cost*count/k.tiles)
		for i := range count {
			if k.first+i > 0 && !k.faults.found {
				k.sums[i].AddTo(k.args)
			}
			k.sums[i].Release()
		}
	}
}

// runRowChunks computes long rows one after the other, each stage of a row in its chunks.
func (k *boundPart) runRowChunks(s *state) {
	for k.long.Start(0, k.args.Rows()); k.long.Begin(); k.long.End() {
		s.share(k, k.tiles, k.cost)
	}
	if fault, ok := k.long.Result(); !ok {
		k.faults.note(fault)
	}
}

// tile computes one tile.
func (k *boundPart) tile(i int, ws *workspace) {
	var fault bind.Fault
	ok := true
	switch lo := i * k.size; k.cut {
	case byRows:
		fault, ok = k.part.kernel.RunRange(k.args, lo, min(lo+k.size, k.args.Rows()), &ws.scratch)
	case byElements:
		k.runElements(lo, min(lo+k.size, k.args.N), ws)
	case byChunks:
		chunk, a := k.first+i, k.args
		if chunk > 0 { // the first one goes into the result itself
			a = k.sums[i].Args(a)
		}
		lo, hi := bind.Chunk(k.part.prog, a, chunk)
		fault, ok = k.part.kernel.RunRange(a, lo, hi, &ws.scratch)
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
func (k *boundPart) runElements(lo, hi int, ws *workspace) {
	a := ws.argsOf(k.part.prog.Outer, len(k.part.prog.Operands))
	k.args.SliceRow(k.part.prog, lo, hi, a)
	if fault, ok := k.part.kernel.Run(a, &ws.scratch); !ok {
		fault.Position = fault.Position/a.N*k.args.N + lo + fault.Position%a.N // in whole rows
		k.faults.note(fault)
	}
}

// bindPart binds a row program.
func (b *binding) bindPart(p *code, part *part) step {
	s := b.newStep(p, part.operands)
	k := &boundPart{b: b, part: part, args: backend.Coalesce(part.kernel, b.argsOf(part))}
	k.call = backend.Prepare(part.kernel, k.args)
	k.long = backend.PrepareLong(part.kernel, k.args)
	k.divide()
	s.kernel = k
	return s
}

// argsOf evaluates the sizes and strides of a row program.
func (b *binding) argsOf(part *part) *bind.Args {
	a := bind.New(part.prog)
	last := len(part.axes) - 1
	a.N = 1
	for at, axes := range part.axes {
		size := 1
		for _, axis := range axes {
			size *= b.eval(part.domain[axis])
		}
		if at == last {
			a.N = size
		} else {
			a.Outer[at] = size
		}
	}
	for i, o := range part.operands {
		if o.base == nil {
			continue
		}
		strides := b.strides(o)
		for at, axes := range part.axes {
			if len(axes) > 0 {
				a.Stride[i][at] = strides[axes[len(axes)-1]]
			}
		}
		if last < 0 && part.prog.Operands[i].Domain == rowprog.Vec {
			a.Stride[i][0] = 1 // of one element
		}
	}
	return a
}

// tileCost is the work of a tile, in nanoseconds: enough that taking it does not count,
// and so little that the last one is not long waited for.
const tileCost = 40_000

// divide chooses the tiles.
func (k *boundPart) divide() {
	elements := k.args.Elements()
	k.cost = elementCost(k.part.prog) * elements / 1024
	rows := k.args.Rows()
	switch {
	case bind.Chunks(k.part.prog, k.args) > 1:
		k.cut, k.tiles = byChunks, bind.Chunks(k.part.prog, k.args)
	case k.long != nil && elements < 8*k.args.N:
		k.cut = byRowChunks
		k.size = pieces(k.long.Chunks()-1, k.cost, 1)
		k.tiles = ceilDiv(k.long.Chunks()-1, k.size)
	case k.part.prog.ReducesOutermost():
		k.tiles = 1
	case rows < 8 && k.part.prog.Elementwise() && k.part.prog.Stages == 1:
		k.cut = byElements
		k.size = pieces(k.args.N, k.cost, 1024)
		k.tiles = ceilDiv(k.args.N, k.size)
	default:
		k.size = pieces(rows, k.cost, 1)
		k.tiles = ceilDiv(rows, k.size)
	}
}

// pieces gives the size of tiles that cut n elements of some work: a multiple of unit.
func pieces(n, cost, unit int) int {
	count := max(1, cost/tileCost)
	if cost >= offerCost {
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
			work += 40 * max(1, opCosts[in.Op])
		}
	}
	for _, o := range p.Operands {
		if o.Domain == rowprog.Vec {
			moved += 80 * o.Type.Size()
		}
	}
	return work, moved
}
