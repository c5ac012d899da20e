package engine

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/placement"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/gemm"
)

// This file plans chains with known sizes, and runs them: one batch matrix after another, one block of rows after
// another. The matrices that kernels exchange are in a thread's memory, which has one block of each. So this memory
// grows only with the number of columns.

// chainTask is a chain with all sizes known. It is a task: its tiles are batch matrices or, if no sums over rows
// prevent that, parts of them. If threads share blocks, the parts of blocks are the tiles: see chainshared.go.
type chainTask struct {
	*lower.Chain
	batch              []int
	slices, rows, cols int
	blocks             []rowBlock
	pitch              int   // row stride of the wide matrices, in elements
	wideAt             []int // the offset of each wide matrix in a thread's memory
	packedAt, sumsAt   []int // offsets of each member's packed second matrix and its sums, or -1
	bytes              int   // of a thread's memory
	threads            int
	isShared           bool  // all threads work on the same block
	order              []int // the batch matrices, group by group: see chainover.go
	groupSize          int   // number of matrices in a group
	at                 int   // offset in the arena of the memory of all threads
	members            []chainMember
	states             []*chainState
	free               chan *chainState
	cuts               int         // independent parts of a batch matrix
	cost               int         // an estimate of the time of a run, in nanoseconds
	loops              []*LoopTask // the members that are row programs
	united             []*chainUnite
	step               chainStep // the step that threads share
	skipper            *skipper  // finds in runs which columns matter, or nil
	stopped            func() bool
}

// rowBlock is a block of rows, and the columns of the wide matrices that matter for it.
type rowBlock struct{ lo, hi, left, right int }

// chainMember is a kernel of a chain.
type chainMember interface {
	// newState makes a thread's state for the kernel.
	newState(c *chainTask) any
	// begin prepares for a batch matrix.
	begin(c *chainTask, t *chainThread, state any)
	// run computes a block of rows.
	run(c *chainTask, t *chainThread, state any, block int)
	// share splits a block's work into parts for threads, and estimates the time of all in nanoseconds.
	share(c *chainTask, block int) (parts, cost int)
	// runPart computes one part.
	runPart(c *chainTask, t *chainThread, state any, block, part int)
}

// chainState is a thread's state for a chain, with that of each member.
type chainState struct {
	members []any
	memory  unsafe.Pointer
	number  int
}

// chainThread is a thread that works on a batch matrix.
type chainThread struct {
	slice  int
	adds   bool // to the results of the group's matrices before
	memory unsafe.Pointer
	ws     *Workspace
}

// Sizes of chains.
const (
	// minWideBytes is the size of the wide matrices from which blocks are always worthwhile.
	minWideBytes = 64 << 20
	// pairBytes is the size of a product from which its rows are worth reducing in blocks if nothing else reads them:
	// smaller ones are quickly read again.
	pairBytes = 16 << 20
	// Blocks have at least minBlockTiles tiles of rows, and up to maxBlockTiles if the cache holds them.
	minBlockTiles = 2
	maxBlockTiles = 4
)

// chainCache is the memory for blocks of the wide matrices: a part of the second-level cache.
var chainCache = min(768<<10, cpu.Data(2).Bytes*3/4)

// planChains chooses the chains that run in blocks, and determines their memory.
func (b *Specialization) planChains(p *Code) {
	b.wide, b.isInBlocks = map[*lower.Buffer]*chainTask{}, map[*graph.Node]bool{}
	for _, c := range p.Chains {
		if t := b.planChain(p, c); t != nil {
			b.chains = append(b.chains, t)
			for _, n := range c.Wide {
				b.wide[p.BufferOf[n]], b.isInBlocks[n] = t, true
			}
		}
	}
}

// isChained reports whether a kernel runs in a chain.
func (b *Specialization) isChained(kernel int) bool {
	return slices.ContainsFunc(b.chains, func(t *chainTask) bool {
		return kernel >= t.First && kernel < t.First+len(t.Members)
	})
}

// IsInBlocks reports whether a value is never stored whole, because kernels exchange blocks of it.
func (b *Specialization) IsInBlocks(n *graph.Node) bool { return b.isInBlocks[n] }

// planChain returns a chain with its sizes; nil if it is not worthwhile.
func (b *Specialization) planChain(p *Code, c *lower.Chain) *chainTask {
	t := &chainTask{Chain: c, batch: b.Shape(c.Batch), slices: 1, rows: b.Eval(c.Rows), cols: b.Eval(c.Cols),
		threads: b.threads}
	for _, n := range t.batch {
		t.slices *= n
	}
	wide := t.slices * t.rows * t.cols * c.Wide[0].DType().Size()
	if wide < b.Thresholds.ChainBytes || wide == 0 || t.rows < 2 {
		return nil
	}
	if c.UnitesByIndex() {
		return b.planUnited(p, t, wide)
	}
	t.isShared = b.factors(c) > b.Thresholds.ChainFactor
	if !b.orderBatch(t) || b.Thresholds.ChainRows == 0 && !b.pays(t, wide) {
		return nil
	}
	tile := cmp.Or(tileRows(c.Wide[0].DType()), fallbackTileRows)
	t.pitch = t.cols + 64/c.Wide[0].DType().Size()
	if !b.fitChain(t) {
		return nil
	}
	if t.isShared {
		t.cutRows(cmp.Or(b.Thresholds.ChainRows, t.sharedRows()))
	} else {
		rowBytes := t.placeWide(p, 1)
		t.cutRows(cmp.Or(b.Thresholds.ChainRows, max(min(chainCache/rowBytes/tile, maxBlockTiles), minBlockTiles)*tile))
		if t.Over == nil { // sums over the batch need all columns
			b.skipColumns(p, t)
		}
	}
	t.bytes = t.placeWide(p, t.blocks[0].hi)
	for _, m := range c.Members {
		b.placeProduct(t, m)
	}
	return t
}

// placeProduct reserves a thread's memory for a product's second matrix, packed for several blocks, and for its sums.
func (b *Specialization) placeProduct(t *chainTask, m lower.ChainMember) {
	packed, sums := -1, -1
	if k, ok := m.Kernel.(*lower.MatMul); ok {
		if n := packedLen(k.Dtype, b.Eval(k.N), b.Eval(k.K)); n > 0 && !m.Sums && !t.isShared && len(t.blocks) > 1 {
			packed = t.take(n * k.Dtype.Size())
		}
		if blocks := gemm.BlockLen(t.rows); m.Sums && blocks < t.rows && !(t.isShared && t.blocks[0].hi == blocks) {
			sums = t.take(b.Eval(k.M) * b.Eval(k.N) * k.Dtype.Size())
		}
	}
	t.packedAt, t.sumsAt = append(t.packedAt, packed), append(t.sumsAt, sums)
}

// packedLen returns the number of elements of a packed matrix: see [gemm.Product.PackedLen].
func packedLen(t graph.DType, cols, rows int) int {
	switch t {
	case graph.Float32:
		return (&gemm.Product[float32]{M: 2, N: cols, K: rows, C: gemm.Matrix[float32]{Col: 1}}).PackedLen()
	case graph.Float64:
		return (&gemm.Product[float64]{M: 2, N: cols, K: rows, C: gemm.Matrix[float64]{Col: 1}}).PackedLen()
	}
	return 0
}

// pays reports whether blocks gain more than they cost: second matrices are read again for each block, and sums over
// rows are the work of one thread. If threads share blocks, sums stay in memory until the last block.
func (b *Specialization) pays(t *chainTask, wide int) bool {
	if t.isShared {
		return wide >= minWideBytes && wide/t.rows*t.sharedRows()+b.sums(t.Chain) < wide
	}
	return wide >= minWideBytes || (len(t.Members) > 2 || wide >= pairBytes) &&
		(!t.hasSums() || t.groups() >= b.threads)
}

// fallbackTileRows is the number of rows of a tile without vector registers. Two tiles of fewer than minChainTileRows
// rows count as one: blocks of so few rows would read second matrices too often.
const (
	fallbackTileRows = 12
	minChainTileRows = 6
)

func tileRows(t graph.DType) (rows int) {
	switch t {
	case graph.Float32:
		rows, _ = gemm.Tile[float32]()
	case graph.Float64:
		rows, _ = gemm.Tile[float64]()
	}
	if rows < minChainTileRows {
		return 2 * rows
	}
	return rows
}

// factors returns the size of the largest second matrix that is read for each block of rows.
func (b *Specialization) factors(c *lower.Chain) (bytes int) {
	for _, m := range c.Members {
		if k, ok := m.Kernel.(*lower.MatMul); ok && m.Wide[1] < 0 {
			bytes = max(bytes, b.Eval(k.N)*b.Eval(k.K)*k.Dtype.Size())
		}
	}
	return bytes
}

// sums returns the size of the products that sum over rows.
func (b *Specialization) sums(c *lower.Chain) (bytes int) {
	for _, m := range c.Members {
		if k, ok := m.Kernel.(*lower.MatMul); ok && m.Sums {
			bytes += b.Eval(k.Batch.NumElements()) * b.Eval(k.M) * b.Eval(k.N) * k.Dtype.Size()
		}
	}
	return bytes
}

// hasSums reports whether some member sums over rows.
func (t *chainTask) hasSums() bool {
	for _, m := range t.Members {
		if m.Sums {
			return true
		}
	}
	return false
}

// placeWide places some rows of the wide matrices in a thread's memory, and returns its size.
func (t *chainTask) placeWide(p *Code, rows int) (bytes int) {
	t.wideAt = make([]int, len(t.Wide))
	placed := map[*lower.Buffer]int{}
	for i, n := range t.Wide {
		root := p.BufferOf[n].Root()
		at, known := placed[root]
		if !known {
			at = bytes
			placed[root] = at
			bytes += placement.Aligned(rows * t.pitch * n.DType().Size())
		}
		t.wideAt[i] = at
	}
	return bytes
}

// cutRows splits rows into blocks of a size, which also end where blocks of sums over rows end.
func (t *chainTask) cutRows(size int) {
	sums := t.rows
	if t.hasSums() {
		sums = gemm.BlockLen(t.rows)
	}
	for lo := 0; lo < t.rows; {
		hi := min(lo+size, (lo/sums+1)*sums, t.rows)
		t.blocks = append(t.blocks, rowBlock{lo, hi, 0, t.cols})
		lo = hi
	}
}

// take reserves bytes of a thread's memory.
func (t *chainTask) take(bytes int) (at int) {
	at = t.bytes
	t.bytes += placement.Aligned(bytes)
	return at
}

// bindChains makes chains of their kernels' launches.
func (b *Specialization) bindChains() {
	for _, t := range b.chains {
		first := 0
		for b.Launches[first].kernel != t.First {
			first++
		}
		for i := range t.Members {
			l := &b.Launches[first+i]
			l.Chained = true
			t.members = append(t.members, l.Task.(chainable).inChain(b, t, i))
			if k, ok := l.Task.(*LoopTask); ok {
				t.loops = append(t.loops, k)
			}
		}
		b.Launches[first].Chain = t
		for i := range t.threads {
			s := &chainState{number: i}
			for _, m := range t.members {
				s.members = append(s.members, m.newState(t))
			}
			t.states = append(t.states, s)
		}
		t.free = make(chan *chainState, len(t.states))
		for _, s := range t.states {
			t.free <- s
		}
		t.cuts = 1
		if !t.hasSums() && t.groups() < threadTiles*t.threads && t.threads > 1 {
			t.cuts = min(ceilDiv(threadTiles*t.threads, t.groups()), len(t.blocks))
		}
	}
}

// chainable is a task that can be a member of a chain.
type chainable interface {
	// inChain makes it a member of a chain.
	inChain(b *Specialization, t *chainTask, member int) chainMember
}

// setPointer sets the address of the memory of all threads.
func (t *chainTask) setPointer(p unsafe.Pointer) {
	for _, s := range t.states {
		s.memory = p
		if !t.isShared {
			s.memory = unsafe.Add(p, s.number*t.bytes)
		}
	}
}

// memory returns the bytes that the chain needs in the arena.
func (t *chainTask) memory() int {
	if t.isShared {
		return t.bytes
	}
	return t.bytes * t.threads
}

// Run computes the chain.
func (t *chainTask) Run(s *State) error {
	for _, k := range t.loops {
		k.faults.found = false
	}
	if t.isShared {
		return t.runShared(s)
	}
	t.skipper.follow()
	t.stopped = s.stopped()
	s.each(t, t.groups()*t.cuts, t.cost)
	t.stopped = nil
	return t.fault(s)
}

// fault returns the error of the first kernel whose check failed in a run, or nil.
func (t *chainTask) fault(s *State) error {
	for _, k := range t.loops {
		if k.faults.found {
			return s.faultError(k, k.faults.fault)
		}
	}
	for _, k := range t.united {
		if k.bad >= 0 {
			return k.task.outOfRange(k.bad)
		}
	}
	return nil
}

// Tile computes a group of batch matrices, or the same part of each.
func (t *chainTask) Tile(i int, ws *Workspace) {
	s := <-t.free
	defer func() { t.free <- s }()
	th, cut := &ws.chain, i%t.cuts
	for n, slice := range t.order[i/t.cuts*t.groupSize:][:t.groupSize] {
		*th = chainThread{slice: slice, adds: n > 0, memory: s.memory, ws: ws}
		for k, m := range t.members {
			m.begin(t, th, s.members[k])
		}
		for block := cut * len(t.blocks) / t.cuts; block < (cut+1)*len(t.blocks)/t.cuts; block++ {
			if t.stopped != nil && t.stopped() {
				break
			}
			for k, m := range t.members {
				m.run(t, th, s.members[k], block)
			}
		}
	}
	*th = chainThread{}
}

// wideMemory returns a thread's memory of a wide matrix.
func (t *chainTask) wideMemory(th *chainThread, wide int) unsafe.Pointer {
	return unsafe.Add(th.memory, t.wideAt[wide])
}
