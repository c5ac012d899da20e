package codegen

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// Align is the alignment of code, in bytes.
const Align = asm.DataAlign

// Code is the machine code of a program.
type Code struct {
	Layout Layout
	// Bytes is the code, followed by its constants. It must be aligned to [Align]. Its entry point is its beginning.
	Bytes []byte
	// Length is the number of bytes of code without the constants.
	Length int
	// NonTemporal reports whether the code can write results with non-temporal stores, which bypass the caches.
	NonTemporal bool
	// Prefetches lists the operands that the code can prefetch.
	Prefetches []int
	// MaxRow is the most elements of a row, 0 for any number.
	MaxRow int
	// Stages says how to process rows in chunks. Elementwise programs of one stage have none, since their operands'
	// addresses can be moved along the row.
	Stages []Stage
	// Work estimates the processor cycles per element of a row.
	Work float64
}

// Stage is a stage that processes the elements of a row. With Layout.Halt set, a call at the beginning of the code ends
// after the first stage. From there on, Chunk is the offset in the code to call for another chunk of the row. Next is
// the offset for the code between this stage and the next, together with the first chunk of the next stage.
type Stage struct {
	Number      int // in the program
	Chunk, Next int
	Reductions  []Reduction
}

// Reduction says where a stage puts the result of a chunk's reduction: the element, or the mask of a Bool, in all lanes
// of the vector at Slot. For ArgMax and ArgMin that is an index. The element of index i is in the 256 bytes at Lanes,
// in lane i modulo the number of lanes.
type Reduction struct {
	Kind        rowprog.Reduction
	Type        rowprog.Type // of the elements
	Slot, Lanes int          // in the block of arguments
}

// compiler holds the state of a compilation.
type compiler struct {
	p          *rowprog.Program
	target     Target
	a          *asm.Asm
	e          emitter
	layout     Layout
	liveOut    []*slot // of each value that is used outside of its section
	consts     map[constant]*slot
	iotaConsts [2]*slot
	orders     map[int]*slot // that put in order the elements of operands with a step
	twoOverPi  *slot         // the pieces of 1/2π
	turns      *slot         // those for float32, and π/2
	narrow     bool          // some indices within the row are narrow
	masks      asm.Label
	bases      []asm.Reg // of the first operands' addresses
	stubs      []stub
	exit       asm.Label // the end of the call
	streams    bool
	fetches    []int    // operands that a loop is able to fetch ahead
	atEnd      []func() // write what stands behind the rest of the code
	chunked    bool     // rows can be worked on chunk by chunk
	signed     bool     // what tells NaNs is a sum of elements, in place of magnitudes
	// Rows are those of tiles: they have one or two vectors.
	ofTiles bool
	ofBlock bool // sections are those of blocks of rows
	stages  []stageLabels
	work    float64
	stage   int // at hand
	blocks  []*block
	used    int // how many of the blocks
}

// constant is an element's size and bits.
type constant struct {
	size int
	bits uint64
}

// Compile makes the machine code of a program. The error names what has no machine code.
func Compile(p *rowprog.Program, target Target) (code *Code, err error) {
	defer func() {
		if r := recover(); r != nil {
			code, err = nil, refused(r)
		}
	}()
	c := newCompiler(p, target, p.Outer)
	c.exit = c.a.NewLabel()
	c.streams = canStream(p)
	c.chunked = !p.Elementwise() || p.Stages > 1
	c.findLiveOut()
	c.program()
	return c.finish(), nil
}

// compilers are unused ones: a graph has hundreds of programs, and each needs the same memory.
var compilers = sync.Pool{New: func() any { return new(compiler) }}

// newCompiler prepares for a program with some outer axes.
func newCompiler(p *rowprog.Program, target Target, outer int) *compiler {
	c := compilers.Get().(*compiler)
	a := c.a
	if a == nil || c.target.Machine() != target.Machine() {
		a = asm.New(target.Machine())
	}
	a.Rewind(asm.Mark{})
	*c = compiler{p: p, target: target, a: a, e: emitter{c: c, a: a, lists: c.e.lists}, blocks: c.blocks,
		consts: map[constant]*slot{}, masks: asm.NoLabel, bases: pointerRegs[:]}
	c.layout = Layout{Outer: outer, Operands: len(p.Operands)}
	c.layout.Size = c.layout.fixed()
	return c
}

// finish returns the code and gives the compiler back for reuse.
func (c *compiler) finish() *Code {
	defer compilers.Put(c)
	n, bytes := c.a.Finish()
	bytes = slices.Clone(bytes)
	c.layout.Size = (c.layout.Size + BlockAlign - 1) &^ (BlockAlign - 1)
	code := &Code{Layout: c.layout, Bytes: bytes, Length: n, NonTemporal: c.streams, Prefetches: c.fetches,
		Work: c.work}
	if c.narrow {
		code.MaxRow = MostNarrow
	}
	for _, st := range c.stages {
		code.Stages = append(
			code.Stages, Stage{st.number, c.a.Offset(st.chunkEntry), c.a.Offset(st.nextEntry), st.reductions})
	}
	return code
}

// canStream reports whether a program can be bound by memory alone: elementwise, in one stage, without guards of
// elements, and with results that fill vectors.
func canStream(p *rowprog.Program) bool {
	if !p.Elementwise() || p.Stages > 1 || len(p.Insts) > memoryBody {
		return false
	}
	for i := range p.Insts {
		if p.Insts[i].Op == rowprog.OpGuard && p.Insts[i].Domain == rowprog.Vec {
			return false
		}
	}
	for i := range p.Operands {
		if o := &p.Operands[i]; o.Access == rowprog.InOut ||
			o.Access == rowprog.Out && o.Type.Size() < laneSize(o.Type) {
			return false
		}
	}
	return true
}

// findLiveOut gives slots to the values that are used outside of their section.
func (c *compiler) findLiveOut() {
	c.liveOut = make([]*slot, len(c.p.Insts))
	for v := range c.p.Insts {
		in := &c.p.Insts[v]
		if in.Op == rowprog.OpConst {
			c.liveOut[v] = c.constant(in.Type, in.Bits)
		}
		for _, x := range in.Uses() {
			if def := &c.p.Insts[x]; c.liveOut[x] == nil && (def.Section != in.Section || def.Op == rowprog.OpReduce) {
				c.liveOut[x] = &slot{mem: inBlock(c.layout.room(vectorBytes))}
			}
		}
		if in.Op == rowprog.OpReduce && c.liveOut[v] == nil {
			c.liveOut[v] = &slot{mem: inBlock(c.layout.room(vectorBytes))}
		}
	}
}

// slotOf is where a value from another section is.
func (c *compiler) slotOf(v rowprog.Value) *slot { return c.liveOut[v] }

// constant is the slot of a constant: a mask if it is a Bool.
func (c *compiler) constant(t rowprog.Type, bits uint64) *slot {
	if t.Computed() != t {
		t, bits = t.Computed(), scalar.Convert(t.Computed(), t, bits)
	}
	key := constant{t.Size(), bits}
	if t == rowprog.Bool {
		key = constant{4, -bits & (1<<32 - 1)}
	}
	h, ok := c.consts[key]
	if !ok {
		b := make([]byte, c.target.bytes())
		for i := 0; i < len(b); i += key.size {
			if key.size == 4 {
				binary.LittleEndian.PutUint32(b[i:], uint32(key.bits))
			} else {
				binary.LittleEndian.PutUint64(b[i:], key.bits)
			}
		}
		h = &slot{mem: asm.Labelled(c.a.Data(b, len(b))), bits: key.bits, cons: true}
		c.consts[key] = h
	}
	return h
}

// iotaConst is the constant 0, 1, 2, … of integers of a size.
func (c *compiler) iotaConst(size int) *slot {
	h := &c.iotaConsts[size/8]
	if *h == nil {
		b := make([]byte, c.target.bytes())
		for i := range len(b) / size {
			b[i*size] = byte(i)
		}
		*h = &slot{mem: asm.Labelled(c.a.Data(b, len(b)))}
	}
	return *h
}

// program writes the code of all sections and of the loops over the outer axes.
func (c *compiler) program() {
	a, p := c.a, c.p
	c.loadPointers()
	c.emitStraight(c.section(rowprog.CallSection))
	a.Align(16)
	top, behind := a.Here(), a.NewLabel() // behind the last axis
	c.columnLoop(behind)
	c.blockLoop(behind)
	for s := range p.Stages {
		c.emitStraight(c.section(rowprog.RowSection(s)))
		c.loop(s)
	}
	c.emitStraight(c.section(rowprog.RowSection(p.Stages)))
	for axis := p.Outer - 1; axis >= 0; axis-- {
		c.advance(axis)
		a.Dec(inBlock(c.layout.Counter(axis)))
		a.JumpIf(asm.NotEqual, top)
		a.MovLoad(temp, inBlock(c.layout.Count(axis)))
		a.MovStore(inBlock(c.layout.Counter(axis)), temp)
		if axis == p.Outer-1 {
			a.Bind(behind)
		}
	}
	a.Bind(c.exit)
	if c.streams {
		a.StoreFence()
	}
	a.Zeroupper()
	a.Return()
	for _, write := range c.atEnd {
		write()
	}
	c.writeStubs()
	c.writeEntries()
}

// loadPointers loads the operands' addresses into registers.
func (c *compiler) loadPointers() {
	for i := range min(len(c.p.Operands), len(c.bases)) {
		c.a.MovLoad(c.bases[i], inBlock(c.layout.Pointer(i)))
	}
}

// keepPointers stores the operands' addresses at a place in the block of arguments.
func (c *compiler) keepPointers(at int) {
	for i := range c.p.Operands {
		r := temp
		if i < len(c.bases) {
			r = c.bases[i]
		} else {
			c.a.MovLoad(r, inBlock(c.layout.Pointer(i)))
		}
		c.a.MovStore(inBlock(at+8*i), r)
	}
}

// bringPointers loads the operands' addresses from a place in the block of arguments.
func (c *compiler) bringPointers(at int) {
	for i := range c.p.Operands {
		if i < len(c.bases) {
			c.a.MovLoad(c.bases[i], inBlock(at+8*i))
			continue
		}
		c.a.MovLoad(temp, inBlock(at+8*i))
		c.a.MovStore(inBlock(c.layout.Pointer(i)), temp)
	}
}

// advance moves all operands along an outer axis.
func (c *compiler) advance(axis int) {
	a := c.a
	for i := range c.p.Operands {
		switch {
		case c.p.Operands[i].Domain == rowprog.Uniform:
		case i < len(c.bases):
			a.AddLoad(c.bases[i], inBlock(c.layout.Delta(axis, i)))
		default:
			a.MovLoad(temp, inBlock(c.layout.Delta(axis, i)))
			a.AddStore(inBlock(c.layout.Pointer(i)), temp)
		}
	}
}
