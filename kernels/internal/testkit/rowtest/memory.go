package rowtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// margin is the number of elements before and after an operand that are compared too, to find writes outside of it.
const margin = 8

// Case is a program with arguments and the memory they point at.
type Case struct {
	Program *rowprog.Program
	Args    *launch.Args
	buffers []buffer // of each operand; an alias has the one of its original
	dense   bool     // operands are row-major, without gaps and turned axes
}

type buffer struct {
	words []uint64
	count int // of elements, margins included
	first int // the index of the element that Ptr points at
}

var (
	outerSizes = []int{0, 1, 2, 3, 5}
	rowSizes   = []int{0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 200}
)

// Bind makes random sizes, strides and contents for a program. Strides may be zero or negative, and some written
// operands are the memory of others that are read.
func Bind(r *rand.Rand, p *rowprog.Program) *Case {
	a := launch.New(p)
	a.N = rowSizes[r.IntN(len(rowSizes))]
	for i := range a.Outer {
		a.Outer[i] = outerSizes[r.IntN(len(outerSizes))]
		if r.IntN(2) == 0 {
			a.Outer[i] = 2
		}
	}
	switch {
	case r.IntN(8) == 0:
		a.N = 1000 + r.IntN(1200) // several blocks
	case r.IntN(6) == 0 && p.Outer > 0:
		a.N = r.IntN(4)
		a.Outer[0] = rowprog.ChunkRows - 1 + r.IntN(2*rowprog.ChunkRows) // several chunks
	}
	return fill(r, p, a)
}

// BindLong is Bind with rows that are reduced in chunks.
func BindLong(r *rand.Rand, p *rowprog.Program) *Case {
	a := launch.New(p)
	a.N = (1+r.IntN(3))*rowprog.RowChunk + rowSizes[r.IntN(len(rowSizes))]
	for i := range a.Outer {
		a.Outer[i] = 1
	}
	if len(a.Outer) > 0 {
		a.Outer[r.IntN(len(a.Outer))] = 1 + r.IntN(3)
	}
	return fill(r, p, a)
}

// ShortRows returns the program with a short row length, unless it has a row length.
func ShortRows(r *rand.Rand, p *rowprog.Program) *rowprog.Program {
	q := *p
	switch {
	case q.Row != 0:
	case r.IntN(4) == 0:
		q.Row = 2 + r.IntN(rowprog.MostShort-1)
	case r.IntN(2) == 0:
		q.Row = 2 + r.IntN(rowprog.MostShortElementwise-1)
	default:
		q.Row = 2 + r.IntN(70)
	}
	return &q
}

// BindBlocks is Bind with short rows, of as many elements as the program notes, or else like the case's program. There
// are mostly enough of them along the last outer axis to form blocks.
func BindBlocks(r *rand.Rand, p *rowprog.Program) *Case {
	p = ShortRows(r, p)
	a := launch.New(p)
	a.N = p.Row
	for i := range a.Outer {
		a.Outer[i] = 1 + r.IntN(3)
	}
	if n := len(a.Outer); n > 0 {
		a.Outer[n-1] = 1 + r.IntN(50)
	}
	c := &Case{Program: p, Args: a, dense: r.IntN(4) > 0}
	return c.fill(r)
}

// fill makes strides and contents.
func fill(r *rand.Rand, p *rowprog.Program, a *launch.Args) *Case {
	c := &Case{Program: p, Args: a}
	return c.fill(r)
}

func (c *Case) fill(r *rand.Rand) *Case {
	p, a := c.Program, c.Args
	c.buffers = make([]buffer, len(p.Operands))
	for i := range p.Operands {
		c.place(r, i)
	}
	taken := make([]bool, len(p.Operands))
	for i := range p.Operands {
		j := r.IntN(len(p.Operands))
		if o, x := &p.Operands[i], &p.Operands[j]; o.Access == rowprog.Out && x.Access == rowprog.In &&
			x.Domain == o.Domain && x.Type == o.Type && !taken[j] && !p.Picks(j) {
			taken[j] = true
			c.buffers[j] = c.buffers[i]
			c.Args.Stride[j] = c.Args.Stride[i]
			c.Args.Ptr[j] = c.Args.Ptr[i]
		}
	}
	if err := launch.Check(p, a); err != nil {
		panic(fmt.Sprintf("rowtest: %v\n%v", err, p))
	}
	return c
}

// place returns an operand strides and memory.
func (c *Case) place(r *rand.Rand, i int) {
	o := &c.Program.Operands[i]
	inner := c.Program.Outer
	order := r.Perm(inner + 1)
	if c.dense || r.IntN(2) == 0 {
		for k := range order {
			order[k] = inner - k // row-major
		}
	}
	span, first := 1, 0
	for _, axis := range order {
		broadcast := o.Access == rowprog.In && r.IntN(4) == 0
		if o.Domain == rowprog.Uniform || axis == inner && o.Domain == rowprog.Row || o.Reduced.Has(axis) || broadcast {
			continue
		}
		size := c.Args.Size(axis)
		stride := span
		if !c.dense && r.IntN(5) == 0 {
			stride += r.IntN(3) // a gap
		}
		span = stride * max(size, 1)
		if !c.dense && r.IntN(5) == 0 {
			first += stride * max(size-1, 0)
			stride = -stride
		}
		c.Args.Stride[i][axis] = stride
	}
	if c.Program.Picks(i) {
		span += pickable - 1
	}
	b := buffer{count: span + 2*margin, first: first + margin}
	b.words = make([]uint64, (b.count*o.Type.Size()+7)/8)
	c.buffers[i] = b
	for k := range b.count {
		loops.Store(o.Type, b.element(o.Type, k), element(r, o.Type))
	}
	c.Args.Ptr[i] = b.element(o.Type, b.first)
}

// element makes a random element.
func element(r *rand.Rand, t rowprog.Type) uint64 {
	switch t {
	case rowprog.Bool:
		return uint64(r.IntN(16)+14) / 15 % 2 // mostly true, so that guards hold at times
	case rowprog.U8, rowprog.I8, rowprog.U16, rowprog.I16, rowprog.U32, rowprog.U64, rowprog.F16, rowprog.BF16,
		rowprog.F8E4M3, rowprog.F8E5M2:
		if r.IntN(3) == 0 {
			return r.Uint64() >> (64 - 8*t.Size())
		}
		return scalar.Convert(t, t.Computed(), element(r, t.Computed()))
	case rowprog.I32, rowprog.I64:
		v := integers[r.IntN(len(integers))]
		if r.IntN(4) > 0 {
			v = int64(r.IntN(41) - 20)
		}
		return scalar.Convert(t, rowprog.I64, uint64(v))
	}
	v := floats[r.IntN(len(floats))]
	if r.IntN(8) > 0 {
		v = r.NormFloat64() * 3
	}
	return scalar.Convert(t, rowprog.F64, math.Float64bits(v))
}

func (b *buffer) element(t rowprog.Type, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(&b.words[0]), i*t.Size())
}

// Clone makes a case with the same contents in other memory.
func (c *Case) Clone() *Case {
	d := &Case{Program: c.Program, Args: c.Args.Clone(), buffers: make([]buffer, len(c.buffers))}
	copies := map[*uint64][]uint64{}
	for i, b := range c.buffers {
		words, ok := copies[&b.words[0]]
		if !ok {
			words = append([]uint64(nil), b.words...)
			copies[&b.words[0]] = words
		}
		b.words = words
		d.buffers[i] = b
		d.Args.Ptr[i] = b.element(c.Program.Operands[i].Type, b.first)
	}
	return d
}

// Tight makes arguments with the same contents in memory that ends where the operands end. place allocates a number of
// bytes.
func (c *Case) Tight(place func(bytes int) unsafe.Pointer) *launch.Args {
	a := c.Args.Clone()
	placed := map[*uint64]unsafe.Pointer{}
	for i, b := range c.buffers {
		o := &c.Program.Operands[i]
		size := o.Type.Size()
		low, high := 0, 1
		for axis, stride := range a.Stride[i] {
			if o.Domain == rowprog.Uniform || o.Domain == rowprog.Row && axis == len(a.Outer) || o.Reduced.Has(axis) {
				continue
			}
			reach := stride * (a.Size(axis) - 1)
			low, high = low+min(reach, 0), high+max(reach, 0)
			if a.Size(axis) == 0 {
				low, high = 0, 0
				break
			}
		}
		if high > low && c.Program.Picks(i) {
			high += pickable - 1
		}
		p, ok := placed[&b.words[0]]
		if !ok {
			p = place((high - low) * size)
			placed[&b.words[0]] = p
			from := unsafe.Slice((*byte)(b.element(o.Type, b.first+low)), (high-low)*size)
			copy(unsafe.Slice((*byte)(p), len(from)), from)
		}
		a.Ptr[i] = unsafe.Add(p, -low*size)
	}
	return a
}

// Diff says where two clones differ; NaNs are equal. It is "" if nowhere.
func (c *Case) Diff(d *Case) string {
	for i := range c.buffers {
		o := &c.Program.Operands[i]
		for k := range c.buffers[i].count {
			x := loops.Load(o.Type, c.buffers[i].element(o.Type, k))
			y := loops.Load(o.Type, d.buffers[i].element(o.Type, k))
			if x != y && !(isNaN(o.Type, x) && isNaN(o.Type, y)) {
				return fmt.Sprintf("operand %s, element %+d: %s and %s", o.Name, k-c.buffers[i].first,
					rowprog.Literal(o.Type, x), rowprog.Literal(o.Type, y))
			}
		}
	}
	return ""
}

func isNaN(t rowprog.Type, bits uint64) bool {
	if u := t.Computed(); u != t {
		t, bits = u, scalar.Convert(u, t, bits)
	}
	return t.IsFloat() && scalar.Apply(rowprog.OpNe, t, bits, bits, 0) != 0
}

// String describes the program and its sizes and strides.
func (c *Case) String() string {
	s := c.Program.String() + fmt.Sprintf("outer %v n %d\n", c.Args.Outer, c.Args.N)
	for i, o := range c.Program.Operands {
		s += fmt.Sprintf("  %s %v at %v\n", o.Name, c.Args.Stride[i], c.Args.Ptr[i])
	}
	return s
}
