package engine

import (
	"bytes"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/exec/internal/interval"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// This file finds the columns of scores that a mask in memory hides from all queries, such as the part of a cache of
// keys and values that is not yet filled. Each run looks at the mask. In chains that run in blocks, blocks leave them
// out; in others, products do.

// maskedColumns is a mask in memory, and the columns that it lets through for some row.
type maskedColumns struct {
	loop     *skippedLoop // that reads it
	operand  int
	memory   unsafe.Pointer // of booleans
	hides    byte           // the value that hides
	rows     int
	cols     int
	batch    []int // offsets of its matrices, in bytes
	rowStep  int
	from, to int // the columns of all rows, in this run
}

// find returns the columns from the first to the last one that some rows let through, or none.
func (m *maskedColumns) find(lo, hi int) [2]int {
	memory, from, to := m.memory, m.cols, 0
	if m.loop.task != nil {
		memory = m.loop.task.Args.Ptr[m.operand]
	}
	if m.rowStep == 0 {
		lo, hi = 0, 1
	}
	for _, at := range m.batch {
		for row := lo; row < hi; row++ {
			row := unsafe.Slice((*byte)(unsafe.Add(memory, at+row*m.rowStep)), m.cols)
			if i := bytes.IndexByte(row[:from], 1-m.hides); i >= 0 {
				from = i
			}
			if i := bytes.LastIndexByte(row[to:], 1-m.hides); i >= 0 {
				to += i + 1
			}
		}
	}
	return [2]int{from, to}
}

// masker is a product that can leave out columns.
type masker interface {
	// canLeaveOut reports whether it runs in a way in which it can.
	canLeaveOut() bool
	// leaveOut lets it leave out columns of its result, or else of its first factor. One of the products looks at the
	// mask.
	leaveOut(m *maskedColumns, looks, ofResult bool)
}

// findMasks lets the products of chains that do not run in blocks leave out what masks hide.
func (b *Specialization) findMasks(p *Code) {
	for _, c := range p.Chains {
		if !b.isChained(c.First) && b.Eval(c.Cols) >= b.Thresholds.MaskedColumns {
			b.findMask(p, c)
		}
	}
}

// findMask finds a mask of a chain's scores.
func (b *Specialization) findMask(p *Code, c *lower.Chain) {
	products := make([]masker, len(c.Members))
	var first *Launch
	for i := range b.Launches {
		l := &b.Launches[i]
		at := l.kernel - c.First
		if at < 0 || at >= len(c.Members) {
			continue
		}
		t, isProduct := l.Task.(masker)
		if l.kept != nil || isProduct && !t.canLeaveOut() || c.Members[at].Sums || c.Members[at].Adds {
			return
		}
		if products[at] = t; isProduct && first == nil {
			first = l
		}
	}
	if first == nil || first.kernel != c.First {
		return
	}
	s := skipper{b: b, t: &chainTask{Chain: c, batch: b.Shape(c.Batch), cols: b.Eval(c.Cols)}}
	s.prepare()
	s.findMask(p)
	if s.mask == nil {
		return
	}
	mask := b.newLaunch(p, []fusion.Operand{s.mask.loop.loop.Operands[s.mask.operand]})
	first.Operands = append(first.Operands, mask.Operands[0])
	first.needsIn = first.needsIn || mask.needsIn
	for i, t := range products {
		if wide := c.Members[i].Wide; t != nil && (wide[0] >= 0 || wide[2] >= 0) {
			t.leaveOut(s.mask, i == 0, wide[2] >= 0)
		}
	}
}

// findMask finds an operand of a member that is a mask.
func (s *skipper) findMask(p *Code) {
	for _, l := range s.loops {
		if l == nil || len(l.loop.Space) != len(s.t.batch)+2 {
			continue
		}
		for i, o := range l.loop.Operands {
			if o.Base == nil || o.Write || l.wide[i] >= 0 || o.Base.DType() != graph.Bool || s.b.hasNothing(o) ||
				!s.isThere(p, o.Base) {
				continue
			}
			m := s.newMaskedColumns(l, i)
			for hides := range byte(2) {
				l.known[i] = interval.Exactly(float64(hides))
				if m != nil && s.skips(0, m.rows, 0, m.cols) {
					m.hides, s.mask = hides, m
					return
				}
			}
			l.known[i] = interval.Anything
		}
	}
}

// newMaskedColumns describes a mask; nil if its columns are not contiguous.
func (s *skipper) newMaskedColumns(l *skippedLoop, operand int) *maskedColumns {
	o := l.loop.Operands[operand]
	sizes, strides, rank := s.b.Shape(o.Layout.Shape), s.b.strides(o), len(s.t.batch)
	if strides[rank+1] != 1 {
		return nil
	}
	return &maskedColumns{loop: l, operand: operand, rows: sizes[rank], cols: sizes[rank+1], rowStep: strides[rank],
		batch: s.batchOffsets(o)}
}

// leftOut is what a product leaves out.
type leftOut[T scalar.Number] struct {
	*maskedColumns
	looks    bool // at the mask, for the other products too
	ofResult bool
	part     gemm.Part[T] // of the columns of the first factor, otherwise
}

func (t *MatMulTask[T]) canLeaveOut() bool {
	return t.small == nil && t.sums == nil && t.Reduction == nil && t.Tiles == nil && t.RowConsumer == nil
}

func (t *MatMulTask[T]) leaveOut(m *maskedColumns, looks, ofResult bool) {
	t.masked = &leftOut[T]{maskedColumns: m, looks: looks, ofResult: ofResult}
	if !ofResult {
		t.p.Part = &t.masked.part
	}
}

// beginRun finds what this run leaves out, and sets it to zero in the result: the row program after it reads all
// columns.
func (l *leftOut[T]) beginRun(p *gemm.Product[T]) {
	if l == nil {
		return
	}
	if l.looks {
		if columns := l.find(0, l.rows); columns[0] < columns[1] {
			l.from, l.to = columns[0], columns[1]
		} else {
			l.from, l.to = 0, 1
		}
	}
	if l.part.From, l.part.To = l.from, l.to; !l.ofResult {
		return
	}
	for row := range p.Rows() {
		columns := p.C.Data[p.C.Start+row*p.N:][:p.N]
		clear(columns[:l.from])
		clear(columns[l.to:])
	}
}

// within returns the columns of a part of the result that are not left out.
func (l *leftOut[T]) within(left, right int) (int, int) {
	if l == nil || !l.ofResult {
		return left, right
	}
	left = max(left, l.from)
	return left, max(min(right, l.to), left)
}
