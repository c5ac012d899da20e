package engine

import (
	"fmt"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// This file runs chains whose second matrices are too large to be read for a few rows at a time, such as the weights of
// a vocabulary: cross-entropy and its gradients are such a chain. All threads work on the same block, kernel by kernel.
// Blocks have so many rows that second matrices, and sums over rows, move through memory only a few times.

// sharedRowsOfBlock is the number of rows of a block that threads share. Each block reads and writes sums over rows
// once. With this many rows, that takes about a tenth of the time of the products.
const sharedRowsOfBlock = 256

// sharedRows returns the number of rows of a block. If sums over rows take several blocks, these are whole blocks of
// sums, which need no extra memory.
func (t *chainTask) sharedRows() int {
	if sums := gemm.BlockLen(t.rows); t.hasSums() && sums < t.rows {
		return sums
	}
	return min(sharedRowsOfBlock, t.rows)
}

// chainStep is a kernel's work on a block. It is a task.
type chainStep struct {
	*chainTask
	slice, block, member int
}

// runShared computes the chain block by block.
func (t *chainTask) runShared(s *State) error {
	for i := range t.slices * len(t.blocks) {
		t.step = chainStep{chainTask: t, slice: i / len(t.blocks), block: i % len(t.blocks)}
		if err := s.ctx.Err(); err != nil {
			return fmt.Errorf("exec: the run was stopped before row %d of %d of kernels %d to %d: %w",
				t.blocks[t.step.block].lo, t.rows, t.First, t.Last, err)
		}
		for t.step.member = range t.members {
			parts, cost := t.members[t.step.member].share(t, t.step.block)
			s.each(&t.step, parts, cost)
		}
		if err := t.fault(s); err != nil {
			return err
		}
	}
	return nil
}

// Tile computes a part.
func (t *chainStep) Tile(i int, ws *Workspace) {
	s := <-t.free
	defer func() { t.free <- s }()
	th := &ws.chain
	*th = chainThread{slice: t.slice, memory: s.memory, ws: ws}
	t.members[t.member].runPart(t.chainTask, th, s.members[t.member], t.block, i)
	*th = chainThread{}
}

func (l *chainLoop) share(c *chainTask, block int) (parts, cost int) {
	rows := c.blocks[block].hi - c.blocks[block].lo
	cost = l.task.cost / c.slices / c.rows * rows
	return ceilDiv(rows, grainSize(rows, cost, 1)), cost
}

func (l *chainLoop) runPart(c *chainTask, th *chainThread, state any, block, part int) {
	at := c.blocks[block]
	first, rows := at.lo, at.hi-at.lo
	parts, _ := l.share(c, block)
	at.lo, at.hi = first+part*rows/parts, first+(part+1)*rows/parts
	l.runRows(c, th, state.(*launch.Args), at, first)
}

// ofBlock returns the product of a block, without its data.
func (k *chainProduct[T]) ofBlock(c *chainTask, block int) gemm.Product[T] {
	p, rows := k.task.p, c.blocks[block].hi-c.blocks[block].lo
	if k.sums {
		return gemm.Product[T]{M: p.M, N: p.N, K: rows, A: p.A, B: p.B, C: p.C, FactorA: p.FactorA, FactorB: p.FactorB}
	}
	return gemm.Product[T]{M: rows, N: p.N, K: p.K, A: p.A, B: p.B, C: p.C, FactorA: p.FactorA, FactorB: p.FactorB}
}

// divideBlocks chooses the tiles of a block's product.
func (k *chainProduct[T]) divideBlocks(c *chainTask) {
	whole := MatMulTask[T]{p: k.ofBlock(c, 0), threads: c.threads}
	whole.cost = 2 * whole.p.M * whole.p.N * whole.p.K / flopsPerNanosecond
	whole.divideResult()
	k.grid, k.blockCost = whole.grid, whole.cost
}

func (k *chainProduct[T]) share(c *chainTask, block int) (parts, cost int) {
	return ceilDiv(k.ofBlock(c, block).M, k.rows) * k.across, k.blockCost
}

func (k *chainProduct[T]) runPart(c *chainTask, th *chainThread, state any, block, part int) {
	s, at := state.(*productState[T]), c.blocks[block]
	k.point(c, th, s)
	p := &s.one
	*p = s.p
	rows := k.ofBlock(c, block).M
	top, left := part/k.across*k.rows, part%k.across*k.cols
	bottom, right := min(top+k.rows, rows), min(left+k.cols, p.N)
	if k.sums {
		s.part.Continues = at.lo > 0 // the first block overwrites
		k.pointSums(c, th, s, at)
		if begins := at.lo > 0 && at.lo%gemm.BlockLen(c.rows) == 0; begins && s.part.Sums != nil {
			clearRegion(s.part.Sums, p.C, top, bottom, left, right)
		}
	} else {
		k.pointRows(c, th, s, at)
	}
	p.RunPart(top, bottom, left, right, k.task.scratch(&th.ws.products))
}

// clearRegion zeroes elements in the layout of a matrix.
func clearRegion[T scalar.Number](data []T, m gemm.Matrix[T], top, bottom, left, right int) {
	for i := top; i < bottom; i++ {
		for j := left; j < right; j++ {
			data[m.Start+i*m.Row+j*m.Col] = 0
		}
	}
}

// sumsMemory returns a thread's memory for the sums of a block of K, or nil.
func (k *chainProduct[T]) sumsMemory(th *chainThread, n int) []T {
	if k.sumsAt < 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Add(th.memory, k.sumsAt)), n)
}
