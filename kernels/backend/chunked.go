package backend

import (
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// ChunkedRow runs a kernel row by row on rows that are longer than [rowprog.RowChunk], each stage of a row in chunks,
// which several goroutines may share:
//
//	for l.Start(0, rows); l.Begin(); l.End() {
//		for i := 1; i < l.Chunks(); i++ {
//			l.Chunk(i, scratch) // at once, each with a scratch of its own
//		}
//	}
//	fault, ok := l.Result()
type ChunkedRow struct {
	k      *nativeKernel
	args   *launch.Args
	lo, hi int
	index  []int // of the row
	stage  int
	frame  frame // what outlives a stage
	rows   rows
	parts  []part // of each chunk, for each reduction of the stage
	faults []launch.Fault
	failed bool
}

// part is the result of a reduction of a chunk. An index comes with its element.
type part struct{ result, element uint64 }

// chunkStage is a stage with the operands whose row elements it reads and writes.
type chunkStage struct {
	codegen.Stage
	loads, stores []int
}

// chunkStages finds the operands of stages.
func chunkStages(p *rowprog.Program, stages []codegen.Stage) (list []chunkStage) {
	for _, st := range stages {
		l := chunkStage{Stage: st}
		lo, hi := p.Span(rowprog.VecSection(st.Number))
		for v := lo; v < hi; v++ {
			switch in := &p.Insts[v]; in.Op {
			case rowprog.OpLoad:
				l.loads = append(l.loads, in.Operand)
			case rowprog.OpStore:
				l.stores = append(l.stores, in.Operand)
			case rowprog.OpAccumulate:
				l.loads = append(l.loads, in.Operand)
				l.stores = append(l.stores, in.Operand)
			}
		}
		list = append(list, l)
	}
	return list
}

// isChunked reports whether rows are processed in chunks.
func (k *nativeKernel) isChunked(a *launch.Args) bool {
	return len(k.stages) > 0 && a.N > rowprog.RowChunk
}

// PrepareChunked prepares to run a kernel on long rows. The arguments' sizes and steps must not change after it. It
// returns nil if the rows are not long, or the kernel has no code for their chunks.
func PrepareChunked(k Kernel, a *launch.Args) *ChunkedRow {
	m, ok := k.(*nativeKernel)
	if !ok || !m.isChunked(a) || !m.canPick(a) || m.maxRow > 0 && a.N > m.maxRow {
		return nil
	}
	l := &ChunkedRow{}
	l.prepare(m, a)
	return l
}

func (l *ChunkedRow) prepare(k *nativeKernel, a *launch.Args) {
	l.k, l.args = k, a
	reductions := 0
	for _, st := range k.stages {
		reductions = max(reductions, len(st.Reductions))
	}
	l.parts = grow(l.parts, l.Chunks()*reductions)
	l.faults = grow(l.faults, l.Chunks())
	l.index = grow(l.index, len(a.Outer))
	l.frame.reserve(k.layout.Size)
}

// grow returns n elements of any values, in s if it has room for them.
func grow[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// Chunks is the number of chunks of a row.
func (l *ChunkedRow) Chunks() int { return (l.args.N + rowprog.RowChunk - 1) / rowprog.RowChunk }

// Start begins a run on the part [lo, hi) of outer axis 0.
func (l *ChunkedRow) Start(lo, hi int) {
	l.lo, l.hi, l.stage, l.failed = lo, hi, 0, false
	l.k.setNeutral(l.args, lo, hi)
	if empty(l.args, lo, hi) {
		l.k.setEmpty(l.args, lo, hi)
		l.stage = len(l.k.stages)
		return
	}
	clear(l.index)
	if len(l.index) > 0 {
		l.index[0] = lo
	}
	l.setRow()
}

// setRow writes the sizes and addresses of the current row.
func (l *ChunkedRow) setRow() {
	k, a := l.k, l.args
	l.frame.set(k, a)
	l.frame.put(k.layout.Halt(), 1)
	for axis, at := range l.index {
		l.frame.putRange(&k.layout, a, axis, at, at+1)
	}
	for i, st := range a.Stride {
		offset := 0
		for axis, at := range l.index {
			offset += at * st[axis]
		}
		l.frame.pointTo(k, a, i, offset)
	}
}

// Begin runs the code before the next stage and that stage's first chunk. It reports whether there is such a stage.
func (l *ChunkedRow) Begin() bool {
	if l.failed || l.stage == len(l.k.stages) {
		return false
	}
	offset := l.k.offset
	if l.stage > 0 {
		offset += l.k.stages[l.stage-1].Next
	}
	l.run(offset, 0, &l.frame, &l.rows)
	return true
}

// Chunk runs another chunk of the stage.
func (l *ChunkedRow) Chunk(i int, s *Scratch) {
	size := l.k.layout.Size
	s.frame.reserve(size)
	copy(unsafe.Slice((*byte)(s.frame.base), size), unsafe.Slice((*byte)(l.frame.base), size))
	l.run(l.k.offset+l.k.stages[l.stage].Chunk, i, &s.frame, &s.rows)
}

// run runs the code at an offset on a chunk and keeps its results.
func (l *ChunkedRow) run(offset, i int, b *frame, r *rows) {
	k, st := l.k, &l.k.stages[l.stage]
	from := i * rowprog.RowChunk
	n := min(rowprog.RowChunk, l.args.N-from)
	b.put(k.layout.From(), k.from(l.args)+from)
	b.put(k.layout.N(), n)
	l.pack(st, b, r, from, n)
	k.code.Call(offset, b.base)
	l.faults[i].Position = -1
	if b.faulted(k) {
		l.faults[i] = b.fault(k, l.args)
		return
	}
	l.unpack(st, r, from, n)
	for j, red := range st.Reductions {
		p := &l.parts[i*len(st.Reductions)+j]
		p.result = b.lane(red.Type, red.Slot, 0)
		if red.Kind.GivesIndex() {
			p.result = uint64(b.get(red.Slot))
			size := laneSize(red.Type)
			p.element = b.lane(red.Type, red.Lanes, int(p.result)%(laneBytes/size)*size)
		}
	}
}

// laneBytes is the size of the lanes of a reduction.
const laneBytes = 256

// laneSize is the size of an element of a reduction; a Bool is a mask.
func laneSize(t rowprog.Type) int { return max(4, t.Size()) }

// lane reads an element of a reduction; a Bool is a mask.
func (b *frame) lane(t rowprog.Type, offset, at int) uint64 {
	p := unsafe.Add(b.base, offset+at)
	switch {
	case t == rowprog.Bool:
		return uint64(*(*uint32)(p) & 1)
	case t.Size() == 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// End combines the results of the chunks of a stage, in order. After the last stage it runs the rest of the row's code
// and advances to the next row.
func (l *ChunkedRow) End() {
	k, st := l.k, &l.k.stages[l.stage]
	for _, f := range l.faults[:l.Chunks()] {
		if l.failed = f.Position >= 0; l.failed {
			return
		}
	}
	for j, red := range st.Reductions {
		all := l.parts[j]
		for i := 1; i < l.Chunks(); i++ {
			all = combine(red, all, l.parts[i*len(st.Reductions)+j])
		}
		l.frame.fill(red, all.result)
	}
	if l.stage++; l.stage < len(k.stages) {
		return
	}
	k.code.Call(k.offset+st.Next, l.frame.base)
	if l.frame.faulted(k) {
		l.faults[0], l.failed = l.frame.fault(k, l.args), true
		return
	}
	if next(l.index, l.args, l.lo, l.hi) {
		l.stage = 0
		l.setRow()
	}
}

// combine is one step from chunk to chunk.
func combine(red codegen.Reduction, x, y part) part {
	if !red.Kind.GivesIndex() {
		return part{result: scalar.Combine(red.Kind, red.Type, x.result, y.result)}
	}
	beats := rowprog.OpGt
	if red.Kind == rowprog.ArgMin {
		beats = rowprog.OpLt
	}
	nan := func(x uint64) bool { return scalar.Apply(rowprog.OpNe, red.Type, x, x, 0) != 0 }
	if !nan(x.element) && (nan(y.element) || scalar.Apply(beats, red.Type, y.element, x.element, 0) != 0) {
		return y
	}
	return x
}

// fill writes a result to all lanes of its slot.
func (b *frame) fill(red codegen.Reduction, v uint64) {
	size := laneSize(red.Type)
	switch {
	case red.Kind.GivesIndex():
		size = 8
	case red.Type == rowprog.Bool:
		v = -v
	}
	for at := 0; at < codegen.StreamAlign; at += size {
		p := unsafe.Add(b.base, red.Slot+at)
		if size == 4 {
			*(*uint32)(p) = uint32(v)
		} else {
			*(*uint64)(p) = v
		}
	}
}

// Result reports the first fault of a run.
func (l *ChunkedRow) Result() (fault launch.Fault, ok bool) {
	if l.failed {
		for _, f := range l.faults {
			if f.Position >= 0 {
				return f, false
			}
		}
	}
	return launch.Fault{}, true
}

// pack copies operands of a chunk whose elements are not contiguous, and points to the copies.
func (l *ChunkedRow) pack(st *chunkStage, b *frame, r *rows, from, n int) {
	l.strided(r, st.loads, from, func(i, size int, copy, p unsafe.Pointer, step int) {
		copyTile(size, copy, steps{0, 1}, p, steps{0, step}, tile{rows: 1, columns: n}, nil)
	})
	for _, list := range [2][]int{st.loads, st.stores} {
		l.strided(r, list, from, func(i, size int, copy, _ unsafe.Pointer, _ int) {
			*(*uintptr)(unsafe.Add(b.base, l.k.layout.Pointer(i))) = uintptr(copy) -
				uintptr(b.get(l.k.layout.From())*size)
		})
	}
}

// unpack copies back what was written.
func (l *ChunkedRow) unpack(st *chunkStage, r *rows, from, n int) {
	l.strided(r, st.stores, from, func(i, size int, copy, p unsafe.Pointer, step int) {
		copyTile(size, p, steps{0, step}, copy, steps{0, 1}, tile{rows: 1, columns: n}, nil)
	})
}

// strided calls a function for each operand whose row elements are not contiguous, with the place for a copy and that
// of the chunk's first element.
func (l *ChunkedRow) strided(r *rows, list []int, from int, f func(i, size int, copy, p unsafe.Pointer, step int)) {
	inner := len(l.args.Outer)
	for _, i := range list {
		o, st := &l.k.prog.Operands[i], l.args.Stride[i]
		if o.Domain != rowprog.Vec || st[inner] == 1 {
			continue
		}
		r.words = grow(r.words, rowprog.RowChunk*len(l.args.Stride))
		offset := from * st[inner]
		for axis, at := range l.index {
			offset += at * st[axis]
		}
		f(i, o.Type.Size(), unsafe.Pointer(&r.words[i*rowprog.RowChunk]),
			unsafe.Add(l.args.Ptr[i], offset*o.Type.Size()), st[inner])
	}
}

// runChunked runs rows in chunks, on this goroutine alone.
func (k *nativeKernel) runChunked(a *launch.Args, lo, hi int, s *Scratch) (launch.Fault, bool) {
	l := &s.chunked
	l.prepare(k, a)
	for l.Start(lo, hi); l.Begin(); l.End() {
		for i := 1; i < l.Chunks(); i++ {
			l.run(k.offset+k.stages[l.stage].Chunk, i, &l.frame, &l.rows)
		}
	}
	fault, ok := l.Result()
	l.args = nil // which would otherwise stay in use
	return fault, ok
}
