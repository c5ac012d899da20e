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

// This file plans chains with sizes known, and runs them: matrix of the batch by matrix, block of rows
// by block of rows. The matrices that the kernels exchange lie in memory of a thread, which has a block
// of each; so it grows with the number of columns alone.

// chainTask is a chain with all sizes known. It is a task: its tiles are matrices of the batch or,
// where no sums over rows tie these together, parts of them. Where threads share blocks, their parts are the
// tiles: see chainshared.go.
type chainTask struct {
	*lower.Chain
	batch              []int
	slices, rows, cols int
	blocks             []rowBlock
	pitch              int   // elements from row to row of the wide matrices
	wideAt             []int // of each wide matrix: where it lies in a thread's memory
	packedAt, sumsAt   []int // and, of each member, the second matrix of a product, packed, and its sums; or -1
	bytes              int   // of a thread's memory
	threads            int
	isShared           bool  // all threads work on the same block
	order              []int // the matrices of the batch, group by group: see chainover.go
	groupSize          int   // matrices of a group
	at                 int   // where the arena has the memory of all threads
	members            []chainMember
	states             []*chainState
	free               chan *chainState
	cuts               int         // parts of a matrix of the batch that are computed by themselves
	cost               int         // an estimate of the time of a run, in nanoseconds
	loops              []*LoopTask // the members that are row programs
	united             []*chainUnite
	step               chainStep // that threads share
}

// rowBlock is rows that are computed together, and the columns of the wide matrices that matter for
// them.
type rowBlock struct{ lo, hi, left, right int }

// chainMember is a kernel of a chain.
type chainMember interface {
	// newState makes what a thread needs for the kernel.
	newState(c *chainTask) any
	// begin prepares for a matrix of the batch.
	begin(c *chainTask, t *chainThread, state any)
	// run computes a block of rows.
	run(c *chainTask, t *chainThread, state any, block int)
	// share cuts its work on a block into parts for threads, and estimates the time of all in nanoseconds.
	share(c *chainTask, block int) (parts, cost int)
	// runPart computes one of them.
	runPart(c *chainTask, t *chainThread, state any, block, part int)
}

// chainState is what a thread needs for a chain: for each member what it has made.
type chainState struct {
	members []any
	memory  unsafe.Pointer
	number  int
}

// chainThread is a thread at work on a matrix of the batch.
type chainThread struct {
	slice  int
	adds   bool // to what the group's matrices before have left
	memory unsafe.Pointer
	ws     *Workspace
}

// The sizes of chains.
const (
	// minWideBytes is the size of the wide matrices from which on blocks are worth any time.
	minWideBytes = 64 << 20
	// pairBytes is the size of a product from which on it is worth reducing its rows in blocks where
	// nothing else reads them: smaller ones are soon read once more.
	pairBytes = 16 << 20
	// Blocks have so many tiles of rows, if the cache holds them.
	minBlockTiles = 2
	maxBlockTiles = 4
)

// chainCache is the memory for blocks of the wide matrices: a part of the second-level cache.
var chainCache = min(768<<10, cpu.Data(2).Bytes*3/4)

// planChains chooses the chains that run in blocks, and says what memory they need.
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
	return slices.ContainsFunc(b.chains, func(t *chainTask) bool { return kernel >= t.First && kernel < t.First+len(t.Members) })
}

// IsInBlocks reports whether a value is never in memory as a whole: kernels exchange blocks of it.
func (b *Specialization) IsInBlocks(n *graph.Node) bool { return b.isInBlocks[n] }

// planChain returns a chain with its sizes; nil where it does not pay.
func (b *Specialization) planChain(p *Code, c *lower.Chain) *chainTask {
	t := &chainTask{Chain: c, batch: b.Shape(c.Batch), slices: 1, rows: b.Eval(c.Rows), cols: b.Eval(c.Cols), threads: b.threads}
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
		if t.Over == nil { // sums need all columns
			b.skipColumns(t)
		}
	}
	t.bytes = t.placeWide(p, t.blocks[0].hi)
	for _, m := range c.Members {
		b.placeProduct(t, m)
	}
	return t
}

// placeProduct takes memory for a product's second matrix, packed for all blocks if there are several, and for its
// sums, of a matrix of the batch.
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

// packedLen is the number of elements that a matrix of some columns and rows takes packed: see
// [gemm.Product.PackedLen].
func packedLen(t graph.DType, cols, rows int) int {
	switch t {
	case graph.Float32:
		return (&gemm.Product[float32]{M: 2, N: cols, K: rows, C: gemm.Matrix[float32]{Col: 1}}).PackedLen()
	case graph.Float64:
		return (&gemm.Product[float64]{M: 2, N: cols, K: rows, C: gemm.Matrix[float64]{Col: 1}}).PackedLen()
	}
	return 0
}

// pays reports whether the gain of blocks is worth what they take: second matrices are read again for
// each block, and sums over rows are one thread's work. Where threads share blocks, sums are
// in memory until the last one, be they added to something then or not.
func (b *Specialization) pays(t *chainTask, wide int) bool {
	if t.isShared {
		return wide >= minWideBytes && wide/t.rows*t.sharedRows()+b.sums(t.Chain) < wide
	}
	return wide >= minWideBytes || (len(t.Members) > 2 || wide >= pairBytes) && (!t.hasSums() || t.groups() >= b.threads)
}

// fallbackTileRows stands for the rows of a tile where there are no vector registers, and minChainTileRows are those below which two tiles count
// as one: blocks of so few rows would read second matrices too often.
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

// factors is the size of the largest second matrix that is read for each block of rows.
func (b *Specialization) factors(c *lower.Chain) (bytes int) {
	for _, m := range c.Members {
		if k, ok := m.Kernel.(*lower.MatMul); ok && m.Wide[1] < 0 {
			bytes = max(bytes, b.Eval(k.N)*b.Eval(k.K)*k.Dtype.Size())
		}
	}
	return bytes
}

// sums is the size of the products that sum over rows.
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

// placeWide places the wide matrices of some rows in a thread's memory, whose size it gives.
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

// cutRows cuts rows into blocks of a size, and where blocks of sums over them end.
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

// take takes bytes of a thread's memory.
func (t *chainTask) take(bytes int) (at int) {
	at = t.bytes
	t.bytes += placement.Aligned(bytes)
	return at
}

// bindChains makes the chains of the launches of their kernels.
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
	// inChain makes it the member of a chain with a number.
	inChain(b *Specialization, t *chainTask, member int) chainMember
}

// setPointer says where the memory of all threads is.
func (t *chainTask) setPointer(p unsafe.Pointer) {
	for _, s := range t.states {
		s.memory = p
		if !t.isShared {
			s.memory = unsafe.Add(p, s.number*t.bytes)
		}
	}
}

// memory is the bytes that the chain has of the arena.
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
	s.each(t, t.groups()*t.cuts, t.cost)
	return t.fault(s)
}

// fault is the error of a check that failed in a run, if one has: of the first kernel.
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

// Tile computes a group of matrices of the batch, or the same part of each.
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
			for k, m := range t.members {
				m.run(t, th, s.members[k], block)
			}
		}
	}
	*th = chainThread{}
}

// wideMemory is a thread's memory of a wide matrix.
func (t *chainTask) wideMemory(th *chainThread, wide int) unsafe.Pointer {
	return unsafe.Add(th.memory, t.wideAt[wide])
}
