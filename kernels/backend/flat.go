package backend

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// If elements depend only on those at the same place, many short rows are processed at once. Operands whose rows are
// not contiguous are copied, so that they form one long row, as the rows of the other operands do in place.

// flatElements is the most elements of a tile, whose copies stay in the first-level cache: all flatCopies of them, or
// parts if there are more. flatPitch, the distance between copies, is no power of two, since copies would then share
// cache sets.
const (
	flatElements = 512
	flatCopies   = 8
	flatPitch    = flatElements + 16
)

// flattened are the copies of a call.
type flattened struct {
	args   launch.Args
	words  []uint64
	copies []unsafe.Pointer // of each operand that is copied
	loads  []flatCopy
	others []flatCopy // of the loads, those of operands that are not the same in all rows
	stores []flatCopy
	index  []int // of a row, along all outer axes
	room   copyRoom
}

// flatCopy is a copy of an operand to or from a tile, or of two operands: see interleaver. odd is -1 if there is no
// second one.
type flatCopy struct{ operand, odd int }

// isFlat reports whether a call is processed in this way. It is not if an operand has one element for a whole row, but
// not for all rows, or is better copied in blocks: see transposed.
func (k *nativeKernel) isFlat(a *launch.Args) bool {
	inner := len(a.Outer)
	if !k.elementwise || k.guards || inner == 0 || len(k.rows) > 0 ||
		k.copied.isAll() && a.N >= leastCopied && !k.isPlain(a) {
		return false
	}
	for i := range k.prog.Operands {
		st, vec := a.Stride[i], k.prog.Operands[i].Domain == rowprog.Vec
		for axis, n := range a.Outer {
			if !vec && st[axis] != 0 && n > 1 {
				return false
			}
		}
		if vec && st[inner] != 1 && st[inner-1] == 1 && (a.N >= packRows || a.N >= leastColumns && !k.isNarrow(i)) &&
			a.Outer[inner-1] >= packRows {
			return false
		}
	}
	return true
}

// isNarrow reports whether [blockCopy.dense] can write an operand: its rows are contiguous and shorter than a block.
func (k *nativeKernel) isNarrow(operand int) bool {
	o := &k.prog.Operands[operand]
	return o.Type.Size() == 4 && o.Access == rowprog.In
}

// leastCopied is how many elements a row must have to be copied directly to its final place.
const leastCopied = 32

// mostFlatRow is the most elements of contiguous rows that are better processed many at once, if only operands that are
// the same in all rows are copied: a call takes 5 ns per row. An operand that is copied row by row costs as much as
// copyRows others. Calls with fewer than leastFlat elements gain less than they lose by not being in a list of calls.
const (
	mostFlatRow = 16
	copyRows    = 8
	leastFlat   = 4 * flatElements
)

// isBetterFlat reports whether contiguous rows are so short that a call is better processed as isFlat says.
func (k *nativeKernel) isBetterFlat(a *launch.Args) bool {
	if a.N < 2 || a.N > mostFlatRow || a.Elements() < leastFlat || a.Origin != nil || !k.isFlat(a) {
		return false
	}
	copied := 0
	for i, o := range k.prog.Operands {
		if o.Domain == rowprog.Vec && !isDense(a, i) && !isRepeated(k.prog, a, i) {
			copied++
		}
	}
	return a.N*(1+copied*copyRows) <= mostFlatRow
}

// Coalesce rewrites arguments as [launch.Coalesce] does, in the way that is best for a kernel. It does not exchange
// rows that can be processed many at once for longer ones, unless they have only a few elements.
func Coalesce(k Kernel, a *launch.Args) *launch.Args {
	if m, ok := k.(*nativeKernel); ok {
		if turned := launch.Turn(m.prog, a, packRows, leastColumns); turned != nil {
			return turned
		}
		switch merged := launch.Merge(m.prog, a); {
		case m.isBetterApart(merged):
			merged.Outer[0], merged.N = merged.N, 1
			for _, step := range merged.Stride {
				step[0], step[len(merged.Outer)] = step[len(merged.Outer)], 0
			}
			return merged
		case merged.N >= leastInterleaved && m.isFlat(merged) || m.isBetterFlat(merged) || m.isBetterInBlocks(merged):
			return merged
		}
	}
	return launch.Coalesce(k.Program(), a)
}

// mostApart is the most elements of a single row that are better processed one by one if they are apart in all
// operands: copying them takes at least 400 ns, and a row of one element takes 3 to 5. Moreover, code that copies
// nothing can be in a list of calls.
const mostApart = 128

// isBetterApart reports whether a call has such a row.
func (k *nativeKernel) isBetterApart(a *launch.Args) bool {
	if !k.elementwise || k.guards || len(a.Outer) == 0 || a.Outer[0] != 1 || a.Elements() != a.N || a.N < 2 ||
		a.N > mostApart || a.Origin != nil {
		return false
	}
	apart := false
	for i, o := range k.prog.Operands {
		switch step := a.Stride[i][len(a.Outer)]; {
		case step == 1:
			return false
		case o.Domain == rowprog.Vec && step != 0:
			apart = true
		}
	}
	return apart
}

// flatSteps are the steps of an operand of a single row: it has none along outer axes.
var flatSteps = func() (s [rowprog.MaxOuter + 1]int) {
	s[rowprog.MaxOuter] = 1
	return s
}()

// prepare decides what is copied and allocates the copies.
func (f *flattened) prepare(k *nativeKernel, a *launch.Args) {
	f.args.Outer = append(f.args.Outer[:0], a.Outer...)
	for axis := range f.args.Outer {
		f.args.Outer[axis] = 1
	}
	f.args.N = 0
	f.index = append(f.index[:0], a.Outer...)
	f.args.Ptr = append(f.args.Ptr[:0], a.Ptr...)
	f.args.Stride = append(f.args.Stride[:0], a.Stride...)
	f.copies = append(f.copies[:0], a.Ptr...)
	f.loads, f.others, f.stores = f.loads[:0], f.others[:0], f.stores[:0]
	if need := flatPitch * (len(a.Ptr) + 1); len(f.words) < need {
		f.words = make([]uint64, need)
	}
	inParts := isPaired(a) && 2*a.N > tileElements(len(a.Ptr), 4) // of parts of two rows all operands are copied
	for i := range a.Ptr {
		f.copies[i] = nil
		o := &k.prog.Operands[i]
		if o.Domain != rowprog.Vec {
			continue
		}
		f.args.Stride[i] = flatSteps[rowprog.MaxOuter-len(a.Outer):]
		if isDense(a, i) && !inParts {
			continue
		}
		f.copies[i] = unsafe.Pointer(&f.words[i*flatPitch])
		loaded := false
		for j := range i {
			if f.copies[j] != nil && isSame(k.prog, a, i, j) {
				f.copies[i] = f.copies[j]
				loaded = loaded || k.prog.Operands[j].Access.Reads()
			}
		}
		if o.Access.Reads() && !loaded {
			f.loads = addCopy(f.loads, k.prog, a, i)
		}
		if o.Access.Writes() {
			f.stores = addCopy(f.stores, k.prog, a, i)
		}
	}
	for _, c := range f.loads {
		if !isRepeated(k.prog, a, c.operand) {
			f.others = append(f.others, c)
		}
	}
}

// isRepeated reports whether an operand is the same in all rows and only read.
func isRepeated(p *rowprog.Program, a *launch.Args, i int) bool {
	if p.Operands[i].Access.Writes() {
		return false
	}
	for axis, n := range a.Outer {
		if n > 1 && a.Stride[i][axis] != 0 {
			return false
		}
	}
	return true
}

// tileElements is the most elements of a tile with a number of copies, of elements of up to size bytes.
func tileElements(copies, size int) int {
	n := min(flatElements, flatElements*flatCopies/max(copies, 1))
	if size < 4 {
		n *= 8 / size // as many bytes
	}
	return n
}

// copiedSize is the most bytes of an element that is copied.
func (f *flattened) copiedSize(p *rowprog.Program) (size int) {
	for _, list := range [][]flatCopy{f.loads, f.stores} {
		for _, c := range list {
			size = max(size, p.Operands[c.operand].Type.Size())
		}
	}
	return max(size, 1)
}

// isPaired reports whether tiles have both of two rows, since their elements may be interleaved: see copyPairs.
func isPaired(a *launch.Args) bool { return a.Outer[len(a.Outer)-1] == 2 }

// isDense reports whether an operand's elements are contiguous in the order of all axes.
func isDense(a *launch.Args, i int) bool {
	step := 1
	for axis := len(a.Outer); axis >= 0; axis-- {
		if n := a.Size(axis); n > 1 {
			if a.Stride[i][axis] != step {
				return false
			}
			step *= n
		}
	}
	return true
}

// isSame reports whether two operands are the same memory.
func isSame(p *rowprog.Program, a *launch.Args, i, j int) bool {
	return a.Ptr[i] == a.Ptr[j] && p.Operands[i].Type == p.Operands[j].Type && haveSameSteps(a, i, j)
}

func haveSameSteps(a *launch.Args, i, j int) bool {
	for axis := range a.Stride[i] {
		if a.Stride[i][axis] != a.Stride[j][axis] && a.Size(axis) > 1 {
			return false
		}
	}
	return true
}

// addCopy adds an operand to a list of copies. If an operand in the list is interleaved with it, they become one copy.
func addCopy(list []flatCopy, p *rowprog.Program, a *launch.Args, i int) []flatCopy {
	const size, step = 4, 2
	if p.Operands[i].Type.Size() == size && a.Stride[i][len(a.Outer)] == step && a.N >= leastInterleaved {
		for at, c := range list {
			j := c.operand
			if c.odd >= 0 || p.Operands[j].Type.Size() != size || !haveSameSteps(a, i, j) {
				continue
			}
			switch uintptr(a.Ptr[i]) - uintptr(a.Ptr[j]) {
			case size:
				list[at].odd = i
				return list
			case ^uintptr(size - 1): // -size
				list[at] = flatCopy{i, j}
				return list
			}
		}
	}
	return append(list, flatCopy{i, -1})
}

// runFlat calls the code tile by tile: on a number of rows, or on a part of one.
func (k *nativeKernel) runFlat(a *launch.Args, lo, hi int, s *Scratch) {
	f := &s.flat
	f.prepare(k, a)
	defer clear(f.args.Ptr)
	s.frame.set(k, &f.args)
	s.frame.rows(k, 0, 1)
	elements := tileElements(len(f.loads)+len(f.stores), f.copiedSize(k.prog))
	columns := min(a.N, elements)
	rows := elements / columns
	if isPaired(a) {
		columns = min(a.N, elements/2)
		rows = elements / columns &^ 1
	}
	each := 1 // rows of an index of axis 0
	for _, n := range a.Outer[1:] {
		each *= n
	}
	loads := f.loads
	for row := lo * each; row < hi*each; row += rows {
		for at := 0; at < a.N; at += columns {
			t := tile{row, min(rows, hi*each-row), at, min(columns, a.N-at)}
			f.copy(k, a, t, loads, false)
			if columns == a.N { // the copies of what is repeated serve all tiles
				loads = f.others
			}
			for i := range a.Ptr {
				if f.copies[i] != nil {
					f.args.Ptr[i] = f.copies[i]
				} else if o := &k.prog.Operands[i]; o.Domain == rowprog.Vec {
					f.args.Ptr[i] = unsafe.Add(a.Ptr[i], (t.row*a.N+t.column)*o.Type.Size())
				}
			}
			s.frame.put(k.layout.N(), t.rows*t.columns)
			s.frame.pointers(k, &f.args)
			k.code.Call(k.offset, s.frame.base)
			f.copy(k, a, t, f.stores, true)
		}
	}
}

// copy copies the elements of a tile, whose rows are counted over all outer axes, to or from memory.
func (f *flattened) copy(k *nativeKernel, a *launch.Args, t tile, list []flatCopy, back bool) {
	if len(list) == 0 {
		return
	}
	inner := len(a.Outer)
	for done := 0; done < t.rows; {
		rest := t.row + done
		for axis := inner - 1; axis > 0; axis-- {
			f.index[axis] = rest % a.Outer[axis]
			rest /= a.Outer[axis]
		}
		f.index[0] = rest
		run := tile{rows: min(t.rows-done, a.Outer[inner-1]-f.index[inner-1]), columns: t.columns}
		for _, c := range list {
			f.copyRun(k, a, c, run, done*t.columns, t.column, back)
		}
		done += run.rows
	}
}

// copyRun copies rows of the last outer axis; at is the place of the first one in copies.
func (f *flattened) copyRun(k *nativeKernel, a *launch.Args, c flatCopy, run tile, at, column int, back bool) {
	inner, size := len(a.Outer), k.prog.Operands[c.operand].Type.Size()
	offset := column * a.Stride[c.operand][inner]
	for axis, i := range f.index {
		offset += i * a.Stride[c.operand][axis]
	}
	memory, from := unsafe.Add(a.Ptr[c.operand], offset*size), stepsOf(a, c.operand)
	side, to := unsafe.Add(f.copies[c.operand], at*size), steps{run.columns, 1}
	code := interleaving()
	if size != 4 || from.column != 2 || run.columns < leastInterleaved {
		code = nil
	}
	odd := unsafe.Pointer(&f.words[len(a.Ptr)*flatPitch]) // of no use
	if c.odd >= 0 {
		odd = unsafe.Add(f.copies[c.odd], at*size)
	}
	args := interleaveArgs{Even: uintptr(side), Odd: uintptr(odd), Both: uintptr(memory),
		PartRow: size * to.row, BothRow: size * from.row, Rows: run.rows, N: run.columns}
	switch {
	case code != nil && c.odd >= 0:
		code.run(&args, back)
		return
	case code != nil && !back && run.rows > 1 && from.row >= 2*run.columns:
		// but for the last row, behind which there may be nothing
		args.Rows--
		code.run(&args, false)
		side, memory = unsafe.Add(side, size*to.row*args.Rows), unsafe.Add(memory, size*from.row*args.Rows)
		run.rows = 1
	case c.odd >= 0:
		f.copyEither(size, odd, to, unsafe.Add(memory, size), from, run, back)
	}
	f.copyEither(size, side, to, memory, from, run, back)
}

// copyEither copies to copies, or back.
func (f *flattened) copyEither(size int, side unsafe.Pointer, to steps, memory unsafe.Pointer, from steps, run tile,
	back bool) {
	if back {
		copyTile(size, memory, from, side, to, run, &f.room)
	} else {
		copyTile(size, side, to, memory, from, run, &f.room)
	}
}
