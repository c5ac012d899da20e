package engine

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// chainProduct is a product of a chain.
type chainProduct[T scalar.Number] struct {
	task     *MatMulTask[T]
	sums     bool
	wide     []int // of the two factors and the result: the wide matrix, or -1
	packedAt int   // offset in a thread's memory of the second matrix, packed for all blocks; -1 if it is not
	sumsAt   int   // offset of the sums of a block; -1 if there is only one block

	grid          // of a block, if threads share it
	blockCost int // an estimate of the block's time, in nanoseconds
}

// productState is a thread's state for a product.
type productState[T scalar.Number] struct {
	p    gemm.Product[T] // of a batch matrix
	one  gemm.Product[T] // of a block of rows
	part gemm.Part[T]
}

func (t *MatMulTask[T]) inChain(_ *Specialization, c *chainTask, member int) chainMember {
	c.cost += t.cost
	m := &c.Members[member]
	k := &chainProduct[T]{task: t, sums: m.Sums, wide: m.Wide, packedAt: c.packedAt[member], sumsAt: c.sumsAt[member]}
	if c.isShared {
		k.divideBlocks(c)
	}
	return k
}

func (k *chainProduct[T]) newState(*chainTask) any { return &productState[T]{} }

func (k *chainProduct[T]) begin(c *chainTask, th *chainThread, state any) {
	s := state.(*productState[T])
	k.point(c, th, s)
	p := &s.p
	if n := p.PackedLen(); k.packedAt >= 0 && n > 0 { // pairs are packed as they are read
		packed := unsafe.Slice((*T)(unsafe.Add(th.memory, k.packedAt)), n)
		p.PackB(packed, k.task.scratch(&th.ws.products))
		p.Packed = packed
	}
	if k.sums {
		clear(p.C.Data)
	}
}

// point sets the addresses for the current batch matrix.
func (k *chainProduct[T]) point(c *chainTask, th *chainThread, s *productState[T]) {
	p, from := &s.p, &k.task.p
	*p = gemm.Product[T]{M: from.M, N: from.N, K: from.K, A: from.A, B: from.B, C: from.C, FactorA: from.FactorA,
		FactorB: from.FactorB}
	index := th.slice
	for axis := len(c.batch) - 1; axis >= 0; axis-- {
		i := index % c.batch[axis]
		index /= c.batch[axis]
		p.A.Start += i * from.StepA[axis]
		p.B.Start += i * from.StepB[axis]
		p.C.Start += i * from.StepC[axis]
	}
	if k.sums {
		p.C.Data, p.C.Start = p.C.Data[p.C.Start:][:p.M*p.N], 0
		s.part = gemm.Part[T]{Continues: true, Sums: k.sumsMemory(th, p.M*p.N)}
	}
}

// operand returns a thread's memory of a wide matrix as an operand of a product, row by row.
func (k *chainProduct[T]) operand(c *chainTask, th *chainThread, i int, p *gemm.Product[T]) gemm.Matrix[T] {
	memory, n := c.wideMemory(th, k.wide[i]), c.blocks[0].hi*c.pitch
	m := gemm.Matrix[T]{Row: c.pitch, Col: 1}
	if f := []*gemm.Factor{&p.FactorA, &p.FactorB, {}}[i]; f.Type != gemm.Own {
		f.Data, f.Len = memory, n
	} else {
		m.Data = unsafe.Slice((*T)(memory), n)
	}
	return m
}

func (k *chainProduct[T]) run(c *chainTask, th *chainThread, state any, block int) {
	s, at := state.(*productState[T]), c.blocks[block]
	s.one = s.p
	if k.sums {
		k.runSums(c, th, s, block)
		return
	}
	k.pointRows(c, th, s, at)
	left, right := 0, s.one.N
	if k.wide[2] >= 0 {
		left, right = at.left, at.right
	}
	s.one.RunPart(0, at.hi-at.lo, left, right, k.task.scratch(&th.ws.products))
}

// pointRows sets the addresses for a block of rows.
func (k *chainProduct[T]) pointRows(c *chainTask, th *chainThread, s *productState[T], at rowBlock) {
	p := &s.one
	p.M = max(at.hi-at.lo, 2) // a product of one row would read its second matrix in another packing
	p.A.Start += at.lo * p.A.Row
	p.C.Start += at.lo * p.C.Row
	if k.wide[0] >= 0 {
		p.A = k.operand(c, th, 0, p)
		s.part.From, s.part.To = at.left, at.right
		p.Part = &s.part
	}
	if k.wide[2] >= 0 {
		p.C = k.operand(c, th, 2, p)
	}
}

// runSums continues sums over rows.
func (k *chainProduct[T]) runSums(c *chainTask, th *chainThread, s *productState[T], block int) {
	p, at := &s.one, c.blocks[block]
	sums := gemm.BlockLen(c.rows)
	if at.lo >= sums && at.lo%sums == 0 {
		clear(s.part.Sums)
	}
	k.pointSums(c, th, s, at)
	top, bottom, left, right := 0, p.M, 0, p.N
	if k.wide[0] >= 0 {
		top, bottom = at.left, at.right
	}
	if k.wide[1] >= 0 {
		left, right = at.left, at.right
	}
	p.RunPart(top, bottom, left, right, k.task.scratch(&th.ws.products))
	if at.lo >= sums && (at.hi == c.rows || at.hi%sums == 0) {
		k.addSkipped(c, s, block)
	}
}

// pointSums sets the addresses for a sum over a block of rows.
func (k *chainProduct[T]) pointSums(c *chainTask, th *chainThread, s *productState[T], at rowBlock) {
	p := &s.one
	s.part.From, s.part.To = at.lo, at.hi
	p.Part = &s.part
	if k.wide[0] >= 0 {
		m := k.operand(c, th, 0, p)
		p.A = gemm.Matrix[T]{Data: m.Data, Start: -at.lo * c.pitch, Row: 1, Col: c.pitch}
	}
	if k.wide[1] >= 0 {
		p.B = k.operand(c, th, 1, p)
		p.B.Start = -at.lo * c.pitch
	}
}

// addSkipped adds the sums of a block of K in those columns of the wide matrix that its last rows skip.
func (k *chainProduct[T]) addSkipped(c *chainTask, s *productState[T], block int) {
	p, last := &s.one, c.blocks[block]
	for i, w := range k.wide[:2] {
		if w < 0 {
			continue
		}
		top, bottom, left, right := 0, p.M, 0, p.N
		from, to := &left, &right
		if i == 0 {
			from, to = &top, &bottom
		}
		*from, *to = last.left, last.left
		sums := gemm.BlockLen(c.rows)
		for j := block; j >= 0 && c.blocks[j].lo >= last.lo/sums*sums; j-- {
			*from, *to = min(*from, c.blocks[j].left), max(*to, c.blocks[j].right)
		}
		end := *to
		*to = last.left
		p.AddPart(&s.part, top, bottom, left, right)
		*from, *to = last.right, max(last.right, end)
		p.AddPart(&s.part, top, bottom, left, right)
		return
	}
}
