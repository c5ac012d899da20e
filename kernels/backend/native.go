package backend

import (
	"runtime"
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/interp"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// nativeKernel is a kernel of machine code.
type nativeKernel struct {
	prog          *rowprog.Program
	code          executable
	layout        codegen.Layout
	offset        int // in the code
	nonTemporal   bool
	prefetches    []int // operands that can be fetched ahead
	prefetchSizes sizes // of operands for which it is done
	guards        bool
	maxRow        int // elements of a row, 0 for any number
	accs          []accumulated
	elementwise   bool // elements depend on nothing but those at the same place
	callElements  int  // elements of a call at most, if they can be cut so
	stages        []chunkStage
	rows          []int // operands of which rows are picked
	copied        copied
	stepped       *steppedKernels
}

// executable is code that can be called: a *jit.Code.
type executable interface {
	Call(offset int, args unsafe.Pointer)
}

// accumulated is an operand that is accumulated into, with the neutral element of its reduction.
type accumulated struct {
	operand int
	neutral uint64
	fill    *nativeKernel // that writes it, for lists of calls; nil where there is no code for that
}

// newNativeKernel records what calls need to know of a program and its code, which begins at an offset.
func newNativeKernel(p *rowprog.Program, c *codegen.Code, offset int) *nativeKernel {
	k := &nativeKernel{prog: p, layout: c.Layout, offset: offset, nonTemporal: c.NonTemporal, prefetches: c.Prefetches,
		prefetchSizes: usualPrefetchSizes, maxRow: c.MaxRow,
		elementwise: p.Elementwise() && p.Stages == 1, callElements: callElementsOf(c),
		stages: chunkStages(p, c.Stages), stepped: &steppedKernels{}}
	k.copied = copiedBy(p)
	for i := range p.Operands {
		if p.Operands[i].Domain == rowprog.Vec && p.Picks(i) {
			k.rows = append(k.rows, i)
		}
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		k.guards = k.guards || in.Op == rowprog.OpGuard
		if in.Op != rowprog.OpAccumulate {
			continue
		}
		k.accs = append(k.accs,
			accumulated{operand: in.Operand, neutral: scalar.Neutral(in.Reduction, p.Operands[in.Operand].Type)})
	}
	return k
}

// copied are the operand that a program loads and the one that it stores, if it does nothing else.
type copied struct{ from, to int }

func (c copied) isAll() bool { return c.from != c.to }

func copiedBy(p *rowprog.Program) copied {
	if len(p.Operands) != 2 || len(p.Insts) != 2 || p.Insts[0].Op != rowprog.OpLoad ||
		p.Insts[1].Op != rowprog.OpStore {
		return copied{}
	}
	c := copied{p.Insts[0].Operand, p.Insts[1].Operand}
	from, to := p.Operands[c.from], p.Operands[c.to]
	if from.Access != rowprog.In || to.Access != rowprog.Out || from.Domain != rowprog.Vec ||
		to.Domain != rowprog.Vec || from.Type != to.Type {
		return copied{}
	}
	return c
}

func (k *nativeKernel) Program() *rowprog.Program { return k.prog }
func (k *nativeKernel) Machine() bool             { return true }

func (k *nativeKernel) Run(a *launch.Args, s *Scratch) (fault launch.Fault, ok bool) {
	return s.partial.Run(k.prog, a, func(a *launch.Args, lo, hi int) (launch.Fault, bool) {
		return k.RunRange(a, lo, hi, s)
	})
}

func (k *nativeKernel) RunRange(a *launch.Args, lo, hi int, s *Scratch) (fault launch.Fault, ok bool) {
	if k.maxRow > 0 && a.N > k.maxRow {
		return k.interpret(a, lo, hi, s)
	}
	if a.Origin != nil && !k.isPlain(a) || !k.canPick(a) {
		return k.interpret(a, lo, hi, s)
	}
	if k.isChunked(a) {
		return k.runChunked(a, lo, hi, s)
	}
	if m := k.suited(a); m != k {
		return m.RunRange(a, lo, hi, s)
	}
	k.setNeutral(a, lo, hi)
	if empty(a, lo, hi) {
		k.setEmpty(a, lo, hi)
		return launch.Fault{}, true
	}
	s.frame.reserve(k.layout.Size)
	switch {
	case k.isPlain(a) && !k.isBetterFlat(a):
		fault, ok = k.call(a, lo, hi, s)
	case k.isFlat(a):
		k.runFlat(a, lo, hi, s)
		ok = true
	default:
		fault, ok = k.runPacked(a, lo, hi, s)
	}
	runtime.KeepAlive(a)
	return fault, ok
}

// interpret runs calls that the code cannot handle.
func (k *nativeKernel) interpret(a *launch.Args, lo, hi int, s *Scratch) (launch.Fault, bool) {
	c, err := interp.Compile(k.prog)
	if err != nil {
		panic("backend: " + err.Error()) // the program has been verified
	}
	return c.RunRange(a, lo, hi, &s.portable)
}

// empty reports whether a range has no row.
func empty(a *launch.Args, lo, hi int) bool {
	for axis, n := range a.Outer {
		if axis > 0 && n == 0 {
			return true
		}
	}
	return lo >= hi
}

// isPlain reports whether the elements of all rows are where the code reads them: contiguous, but for operands' steps.
func (k *nativeKernel) isPlain(a *launch.Args) bool {
	inner := len(a.Outer)
	if a.N <= 1 {
		return true
	}
	for i := range k.prog.Operands {
		if o := &k.prog.Operands[i]; o.Domain == rowprog.Vec && a.Stride[i][inner] != max(o.Step, 1) {
			return false
		}
	}
	return true
}

// canPick reports whether the code can pick rows in place: they are contiguous.
func (k *nativeKernel) canPick(a *launch.Args) bool {
	return a.N <= 1 || !slices.ContainsFunc(k.rows, func(i int) bool { return a.Stride[i][len(a.Outer)] != 1 })
}

// largeBytes is the size of an operand from which its elements are written past the caches: they would be evicted
// before anything reads them.
const largeBytes = 8 << 20

// wholeBytes is the size of an operand with all elements of the iteration space. Its parts are processed one after the
// other.
func wholeBytes(a *launch.Args, t rowprog.Type) int {
	return max(a.Elements(), a.Whole) * t.Size()
}

// worthStreaming reports whether the written operands are large, aligned, and not read as well.
func (k *nativeKernel) worthStreaming(a *launch.Args) bool {
	for i := range k.prog.Operands {
		o := &k.prog.Operands[i]
		if o.Access == rowprog.In {
			continue
		}
		offsets := uintptr(a.Ptr[i])
		for axis, n := range a.Outer {
			if n > 1 {
				offsets |= uintptr(a.Stride[i][axis] * o.Type.Size())
			}
		}
		if wholeBytes(a, o.Type) < largeBytes || offsets&(codegen.StreamAlign-1) != 0 {
			return false
		}
		for j, p := range a.Ptr {
			if j != i && p == a.Ptr[i] {
				return false
			}
		}
	}
	return true
}

// frame is the argument frame of machine code, see codegen.Layout.
type frame struct {
	words []uint64
	base  unsafe.Pointer
}

func (b *frame) reserve(size int) {
	if len(b.words)*8 >= size+codegen.BlockAlign {
		return
	}
	b.words = make([]uint64, (size+codegen.BlockAlign)/8)
	p := unsafe.Pointer(&b.words[0])
	b.base = unsafe.Add(p, -uintptr(p)&(codegen.BlockAlign-1))
}

func (b *frame) put(offset, v int)  { *(*int)(unsafe.Add(b.base, offset)) = v }
func (b *frame) get(offset int) int { return *(*int)(unsafe.Add(b.base, offset)) }

// set writes sizes and steps.
func (b *frame) set(k *nativeKernel, a *launch.Args) {
	l := &k.layout
	b.put(l.N(), a.N)
	b.put(l.Fault(), 0)
	b.put(l.Stream(), 0)
	b.put(l.From(), k.from(a))
	b.put(l.Halt(), 0)
	b.put(l.Fetch(), k.fetched(a)+1)
	if k.nonTemporal && k.worthStreaming(a) {
		b.put(l.Stream(), 1)
	}
	if l.Columns != 0 {
		b.put(l.Columns, 0)
		if k.isBetterInColumns(a) {
			b.put(l.Columns, 1)
		}
	}
	if l.Blocks != nil {
		b.put(l.Blocks.At, k.blocks(a))
		for i := range k.prog.Operands {
			b.put(l.Blocks.Repeated(i), 0)
			if k.isRepeatedInBlocks(a, i) {
				b.put(l.Blocks.Repeated(i), 1)
			}
		}
	}
	for axis, n := range a.Outer {
		b.put(l.Count(axis), n)
		b.put(l.Counter(axis), n)
		b.put(l.End(axis), a.First(axis)+n)
		for i := range k.prog.Operands {
			step := a.Stride[i][axis]
			if axis+1 < len(a.Outer) {
				step -= a.Stride[i][axis+1] * a.Outer[axis+1]
			}
			b.put(l.Delta(axis, i), step*k.prog.Operands[i].Type.Size())
		}
	}
}

// mostColumnBytes is the most bytes of a row, as it is accumulated, that is processed in columns. On an AMD Zen 4, rows
// of 2 to 16 elements then take a quarter to a third of the time, of 31 a third, of 100 to 128 two thirds, of 256 nine
// tenths, and of 512 the same. Up to fewColumnRows rows of any length take a third to nine tenths, since their sums
// would come from a cache each time. More rows gain or lose depending on their layout.
const (
	mostColumnBytes = 1 << 10
	fewColumnRows   = 64
)

// isBetterInColumns reports whether rows that are accumulated over the last outer axis are so short, or so few, that
// they are better processed in columns.
func (k *nativeKernel) isBetterInColumns(a *launch.Args) bool {
	last := len(a.Outer) - 1
	rows, bytes := a.Outer[last], a.N*k.prog.Operands[k.accs[0].operand].Type.Size()
	return rows > 1 && (bytes <= mostColumnBytes || rows <= fewColumnRows)
}

// sizes is a range of numbers of bytes.
type sizes struct{ least, most int }

// usualPrefetchSizes are the sizes of operands that come from the third-level cache.
var usualPrefetchSizes = sizes{8 << 20, 24 << 20}

// fetched is the operand to prefetch, or -1. Its elements are contiguous, and arrive more slowly than they are
// processed. If there are several such operands, the processor itself prefetches enough. Larger operands arrive as fast
// as memory allows.
func (k *nativeKernel) fetched(a *launch.Args) int {
	found := -1
	for _, i := range k.prefetches {
		bytes := wholeBytes(a, k.prog.Operands[i].Type)
		if bytes >= k.prefetchSizes.least && bytes <= k.prefetchSizes.most && isDense(a, i) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// point writes the addresses of the operands at an index of axis 0 and of the row.
func (b *frame) point(k *nativeKernel, a *launch.Args, row, at int) {
	inner := len(a.Outer)
	for i, s := range a.Stride {
		offset := at * s[inner]
		if inner > 0 {
			offset += row * s[0]
		}
		size := k.prog.Operands[i].Type.Size()
		*(*uintptr)(unsafe.Add(b.base, k.layout.Pointer(i))) = uintptr(a.Ptr[i]) + uintptr(offset*size)
	}
}

// pointers writes the addresses of the operands at index 0 of all axes.
func (b *frame) pointers(k *nativeKernel, a *launch.Args) {
	at := unsafe.Add(b.base, k.layout.Pointer(0))
	for _, p := range a.Ptr {
		*(*uintptr)(at) = uintptr(p)
		at = unsafe.Add(at, 8)
	}
}

// rows writes the range of axis 0.
func (b *frame) rows(k *nativeKernel, lo, hi int) {
	if k.layout.Outer == 0 {
		return
	}
	l := &k.layout
	b.put(l.Count(0), hi-lo)
	b.put(l.Counter(0), hi-lo)
	b.put(l.End(0), hi)
}

// from is the index in the row at which a call begins.
func (k *nativeKernel) from(a *launch.Args) int {
	if len(k.stages) == 0 { // which does not matter to the code
		return 0
	}
	return a.First(len(a.Outer))
}

func (b *frame) faulted(k *nativeKernel) bool { return b.get(k.layout.Fault()) != 0 }

// fault reads a guard's fault. The counters are those of its row.
func (b *frame) fault(k *nativeKernel, a *launch.Args) launch.Fault {
	l := &k.layout
	row := 0
	for axis, n := range a.Outer {
		row = row*n + b.get(l.End(axis)) - b.get(l.Counter(axis)) - a.First(axis)
	}
	at := l.Fault()
	return launch.Fault{Code: rowprog.FaultCode(b.get(at + 16)), Position: row*a.N + b.get(at+8),
		Value: uint64(b.get(l.Culprit))}
}
