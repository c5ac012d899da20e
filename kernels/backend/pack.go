package backend

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Code processes rows with contiguous elements. Other rows are copied to separate memory before a call and, if they are
// written, back after it. A few rows and columns are copied at a time, which stay in the first-level cache. Elementwise
// programs take a multiple of packRows rows, as many as a transposed block has, and up to packColumns columns.
const (
	packRows     = 8
	packColumns  = 512
	mostRows     = 64 // that are copied at a time
	leastColumns = 4  // that are transposed
)

// packedRows is how many rows of some columns are copied at a time; they are pitch apart.
func packedRows(pitch int) int {
	return max(packRows, min(mostRows, packRows*packColumns/pitch/packRows*packRows))
}

// pitchOf is the number of elements from row to row: no power of two, since rows would then share cache sets.
func pitchOf(columns int) int { return (columns+15)&^15 + 16 }

// rows are the packed rows of a call.
type rows struct {
	args  launch.Args
	words []uint64
	row   []unsafe.Pointer // of each operand that is packed
	index []int
	room  copyRoom
}

// prepare allocates memory and sets the steps of a call that processes tiles.
func (r *rows) prepare(k *nativeKernel, a *launch.Args, columns int) {
	inner := len(a.Outer)
	r.args.Outer = append(r.args.Outer[:0], a.Outer...)
	for axis := range r.args.Outer {
		r.args.Outer[axis] = 1
	}
	r.index = append(r.index[:0], a.Outer...)
	clear(r.index)
	r.args.Ptr = append(r.args.Ptr[:0], a.Ptr...)
	r.row = append(r.row[:0], a.Ptr...)
	if cap(r.args.Stride) < len(a.Stride) {
		r.args.Stride = make([][]int, len(a.Stride))
	}
	r.args.Stride = r.args.Stride[:len(a.Stride)]
	pitch := pitchOf(columns)
	room := packedRows(pitch) * pitch // words that are enough for any type
	if len(r.words) < room*len(a.Stride) {
		r.words = make([]uint64, room*len(a.Stride))
	}
	for i, st := range a.Stride {
		r.args.Stride[i] = append(r.args.Stride[i][:0], st...)
		r.row[i] = nil
		if k.prog.Operands[i].Domain != rowprog.Vec || st[inner] == 1 {
			continue
		}
		r.args.Stride[i][inner] = 1
		if inner > 0 && st[inner-1] != 0 {
			r.args.Stride[i][inner-1] = pitch
		}
		if r.row[i] = r.shared(k.prog, a, i); r.row[i] == nil {
			r.row[i] = unsafe.Pointer(&r.words[i*room])
		}
	}
}

// shared returns the rows of an operand before i that is the same memory, or nil.
func (r *rows) shared(p *rowprog.Program, a *launch.Args, i int) unsafe.Pointer {
	for j := range i {
		if r.row[j] != nil && isSame(p, a, i, j) {
			return r.row[j]
		}
	}
	return nil
}

// runPacked calls the code tile by tile.
func (k *nativeKernel) runPacked(a *launch.Args, lo, hi int, s *Scratch) (launch.Fault, bool) {
	inner := len(a.Outer)
	columns := a.N
	if k.elementwise {
		columns = min(columns, packColumns)
	}
	rows := packedRows(pitchOf(columns))
	switch {
	case columns < packRows && k.isDenseCopy(a):
		rows = packColumns
	case !k.elementwise:
		rows = max(1, min(rows, k.callElements/max(1, columns)))
	case k.guards && columns < a.N:
		rows = 1 // the first row's fault is the one that counts
	}
	r := &s.rows
	r.prepare(k, a, columns)
	defer clear(r.args.Ptr)
	if k.copiesAlong(a) {
		columns = a.N
	}
	first, end := 0, 1
	switch {
	case inner == 1:
		first, end = lo, hi
	case inner > 1:
		r.index[0] = lo
		end = a.Outer[inner-1]
	}
	for {
		for row := first; row < end; row += rows {
			for at := 0; at < a.N; at += columns {
				t := tile{row, min(rows, end-row), at, min(columns, a.N-at)}
				if f, ok := k.runTile(a, s, t); !ok {
					return f, false
				}
			}
		}
		if inner < 2 || !next(r.index[:inner-1], a, lo, hi) {
			return launch.Fault{}, true
		}
	}
}

// tile is a part of the rows of the last outer axis.
type tile struct{ row, rows, column, columns int }

// offset is where an operand's first element of a tile is, in elements.
func (r *rows) offset(a *launch.Args, i int, t tile) int {
	inner := len(a.Outer)
	offset := t.column * a.Stride[i][inner]
	if inner > 0 {
		offset += t.row * a.Stride[i][inner-1]
		for axis, at := range r.index[:inner-1] {
			offset += at * a.Stride[i][axis]
		}
	}
	return offset
}

// runTile packs, calls and unpacks.
func (k *nativeKernel) runTile(a *launch.Args, s *Scratch, t tile) (launch.Fault, bool) {
	r, inner := &s.rows, len(a.Outer)
	if k.copied.isAll() && (t.columns >= packRows || k.isDenseCopy(a)) {
		// fewer are transposed into packed rows, which bear what is written behind them
		size := k.prog.Operands[k.copied.from].Type.Size()
		dst, src := unsafe.Add(a.Ptr[k.copied.to], r.offset(a, k.copied.to, t)*size),
			unsafe.Add(a.Ptr[k.copied.from], r.offset(a, k.copied.from, t)*size)
		copyTile(size, dst, stepsOf(a, k.copied.to), src, stepsOf(a, k.copied.from), t, &r.room)
		return launch.Fault{}, true
	}
	r.args.N = t.columns
	if inner > 0 {
		r.args.Outer[inner-1] = t.rows
	}
	for i := range a.Stride {
		o := &k.prog.Operands[i]
		p := unsafe.Add(a.Ptr[i], r.offset(a, i, t)*o.Type.Size())
		r.args.Ptr[i] = p
		if r.row[i] != nil {
			r.args.Ptr[i] = r.row[i]
			if o.Access != rowprog.Out {
				copyTile(o.Type.Size(), r.row[i], r.steps(i), p, stepsOf(a, i), t, &r.room)
			}
		}
	}
	b := &s.frame
	b.set(k, &r.args)
	b.point(k, &r.args, 0, 0)
	for axis, at := range r.index {
		if axis < inner-1 {
			b.put(k.layout.End(axis), at+1)
		} else {
			b.put(k.layout.End(axis), t.row+t.rows)
		}
	}
	k.code.Call(k.offset, b.base)
	if b.faulted(k) {
		f := b.fault(k, a)
		f.Position += t.column
		return f, false
	}
	for i := range a.Stride {
		if o := &k.prog.Operands[i]; r.row[i] != nil && o.Access.Writes() {
			p := unsafe.Add(a.Ptr[i], r.offset(a, i, t)*o.Type.Size())
			copyTile(o.Type.Size(), p, stepsOf(a, i), r.row[i], r.steps(i), t, &r.room)
		}
	}
	return launch.Fault{}, true
}

// copiesAlong reports whether a call copies along rows alone, such as backwards: whole rows are then copied one after
// the other, as the processor's own prefetching expects. Along columns, it copies in blocks.
func (k *nativeKernel) copiesAlong(a *launch.Args) bool {
	if !k.copied.isAll() {
		return false
	}
	from, to := stepsOf(a, k.copied.from), stepsOf(a, k.copied.to)
	return from.row*from.row != 1 && to.row*to.row != 1 && a.N >= packRows
}

// isDenseCopy reports whether a call copies to contiguous rows, as [blockCopy.dense] does.
func (k *nativeKernel) isDenseCopy(a *launch.Args) bool {
	if !k.copied.isAll() || len(a.Outer) == 0 {
		return false
	}
	from, to := stepsOf(a, k.copied.from), stepsOf(a, k.copied.to)
	return k.prog.Operands[k.copied.to].Type.Size() == 4 && from.row == 1 && to == steps{a.N, 1}
}

func (r *rows) steps(i int) steps { return stepsOf(&r.args, i) }

// next advances to the next row of a range.
func next(index []int, a *launch.Args, lo, hi int) bool {
	for axis := len(index) - 1; axis >= 0; axis-- {
		first, end := 0, a.Outer[axis]
		if axis == 0 {
			first, end = lo, hi
		}
		if index[axis]++; index[axis] < end {
			return true
		}
		index[axis] = first
	}
	return false
}
