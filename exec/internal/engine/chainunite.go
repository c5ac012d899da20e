package engine

import (
	"cmp"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// This file runs chains that combine rows by index. All threads compute a block of rows, each some of them, and then
// combine the block, each some columns. So rows are combined in order, for any number of threads.

// unitedBytes is the size of a block for one thread, a part of its second-level cache. unitedBytesShared is that for
// several threads, which wait for each other.
var unitedBytes = chainCache / 3 * 2

const (
	unitedBytesShared = 1 << 20
	minUnitedRows     = 16
)

// planUnited is planChain for chains that combine rows by index.
func (b *Specialization) planUnited(p *Code, t *chainTask, bytes int) *chainTask {
	t.isShared, t.pitch = true, t.cols
	if !b.orderBatch(t) || !b.fitUnited(t) {
		return nil
	}
	block := unitedBytes
	if b.threads > 1 {
		block = unitedBytesShared
	}
	t.cutRows(cmp.Or(b.Thresholds.ChainRows, max(minUnitedRows, block*t.rows/bytes)))
	t.bytes = t.placeWide(p, t.blocks[0].hi)
	for _, m := range t.Members {
		b.placeProduct(t, m)
	}
	return t
}

// fitUnited is fitChain for chains that combine rows by index. Programs that use positions need contiguous rows.
func (b *Specialization) fitUnited(t *chainTask) bool {
	p := t.Members[0].Kernel.(*lower.Fused).Parts[0]
	if axesOf(p)[0] < 0 {
		return false
	}
	for i, o := range p.Operands {
		if last := len(p.Space) - 1; asksForPositions(p.Program) && p.Program.Operands[i].Domain == rowprog.Vec &&
			o.Base != nil && b.Eval(p.Space[last]) > 1 && b.Eval(o.Layout.Strides[last]) != 1 {
			return false
		}
	}
	return true
}

// chainUnite combines the rows of a chain by index.
type chainUnite struct {
	task *gatherTask
	wide int // the matrix with the rows
	cost int // an estimate of the time of a row, in nanoseconds
	bad  int // the first index that is out of range, or -1
}

func (k *gatherTask) inChain(_ *Specialization, c *chainTask, member int) chainMember {
	u := &chainUnite{task: k, wide: c.Members[member].Wide[0], cost: 4 + k.shape.Inner/4, bad: -1}
	c.united = append(c.united, u)
	c.cost += u.cost * c.rows
	return u
}

func (u *chainUnite) newState(*chainTask) any                { return nil }
func (u *chainUnite) begin(*chainTask, *chainThread, any)    {}
func (u *chainUnite) run(*chainTask, *chainThread, any, int) {}

// minUnitedColumns is the least number of columns that a thread combines.
const minUnitedColumns = 32

func (u *chainUnite) share(c *chainTask, block int) (parts, cost int) {
	rows := c.blocks[block].hi - c.blocks[block].lo
	return max(1, min(c.threads, c.cols/minUnitedColumns)), rows * u.cost
}

// runPart combines some columns of a block's rows. The first part records an index that is out of range; then no row of
// the block is combined.
func (u *chainUnite) runPart(c *chainTask, th *chainThread, _ any, block, part int) {
	parts, _ := u.share(c, block)
	at := c.blocks[block]
	bad := u.task.outside(at.lo, at.hi)
	if bad < 0 {
		u.task.uniteRows(unitedRows{from: c.wideMemory(th, u.wide), lo: at.lo, hi: at.hi, left: part * c.cols / parts,
			right: (part + 1) * c.cols / parts, begins: block == 0}, th.ws)
	}
	if part == 0 {
		if u.bad = -1; bad >= 0 {
			u.bad = at.lo + bad
		}
	}
}
