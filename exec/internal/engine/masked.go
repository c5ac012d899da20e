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

// This file lets products leave out the columns of scores that a mask in memory hides from all queries, such as the
// part of a cache of keys and values that is not yet filled. Each run looks at the mask. It is for chains that do not
// run in blocks: see chainskip.go for those that do.

// maskedColumns are the columns that a mask lets through for some row.
type maskedColumns struct {
	mask     unsafe.Pointer // of booleans
	hides    byte           // the value that hides
	cols     int
	offsets  []int // of its rows, in bytes
	from, to int
}

// find finds the columns from the first to the last one that a row lets through, or the first one if there are none.
func (m *maskedColumns) find() {
	m.from, m.to = m.cols, 0
	for _, at := range m.offsets {
		row := unsafe.Slice((*byte)(unsafe.Add(m.mask, at)), m.cols)
		if i := bytes.IndexByte(row[:m.from], 1-m.hides); i >= 0 {
			m.from = i
		}
		if i := bytes.LastIndexByte(row[m.to:], 1-m.hides); i >= 0 {
			m.to += i + 1
		}
	}
	if m.from >= m.to {
		m.from, m.to = 0, 1
	}
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
	for i := range c.Members {
		if mask, hides, ok := s.maskOf(p, i); ok {
			launch := b.newLaunch(p, []fusion.Operand{mask})
			first.Operands = append(first.Operands, launch.Operands[0])
			first.needsIn = first.needsIn || launch.needsIn
			m := b.newMaskedColumns(mask, hides)
			for i, t := range products {
				if wide := c.Members[i].Wide; t != nil && (wide[0] >= 0 || wide[2] >= 0) {
					t.leaveOut(m, i == 0, wide[2] >= 0)
				}
			}
			return
		}
	}
}

// maskOf returns an operand of a member that is a mask, and its value that hides columns.
func (s *skipper) maskOf(p *Code, member int) (mask fusion.Operand, hides byte, ok bool) {
	l := s.loops[member]
	if l == nil || len(l.loop.Space) != len(s.t.batch)+2 {
		return mask, 0, false
	}
	for i, o := range l.loop.Operands {
		if o.Base == nil || o.Write || l.wide[i] >= 0 || o.Base.DType() != graph.Bool || s.b.hasNothing(o) {
			continue
		}
		buffer, strides := p.BufferOf[o.Base], s.b.strides(o)
		isThere := buffer.Kind == lower.InInput || buffer.Kind == lower.InParam || buffer.First < s.t.First
		if !isThere || strides[len(strides)-1] != 1 {
			continue
		}
		s.mask = o.Base
		for hides := range byte(2) {
			s.hidden = interval.Exactly(float64(hides))
			if s.skips(0, s.b.Eval(s.t.Rows), 0, s.t.cols) {
				return o, hides, true
			}
		}
	}
	return mask, 0, false
}

// newMaskedColumns prepares to look at a mask.
func (b *Specialization) newMaskedColumns(mask fusion.Operand, hides byte) *maskedColumns {
	sizes, strides := b.Shape(mask.Layout.Shape), b.strides(mask)
	last := len(sizes) - 1
	m := &maskedColumns{hides: hides, cols: sizes[last], offsets: []int{0}}
	for axis := range last {
		if strides[axis] != 0 {
			m.offsets = along(m.offsets, sizes[axis], strides[axis])
		}
	}
	return m
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
		l.find()
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
