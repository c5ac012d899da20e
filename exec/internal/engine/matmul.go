package engine

import (
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/pool"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// productScratch is the packed blocks of matrix products, by element type, each a [gemm.Scratch] once it is used. The
// fields do not have that type because Go compiles the methods of generic types, here all of matrix products, again in
// each package that imports a type made of them.
type productScratch struct{ f32, f64, i32, i64 any }

// scratchIn returns the packed blocks in a field.
func scratchIn[T scalar.Number](field *any) *gemm.Scratch[T] {
	s, ok := (*field).(*gemm.Scratch[T])
	if !ok {
		s = &gemm.Scratch[T]{}
		*field = s
	}
	return s
}

// MatMulTask is a product of one element type. It is a task: its tiles are blocks of rows and columns of the result or,
// if the result has few elements, blocks of the sums.
type MatMulTask[T scalar.Number] struct {
	p       gemm.Product[T]
	before  [3]int // elements of each operand before element (0, 0)
	extents [3]int // elements from each operand's first to its last
	scratch func(*productScratch) *gemm.Scratch[T]
	cost    int // an estimate of the time of a run, in nanoseconds
	threads int // of the session
	grid
	chunk       int       // rows that must stay in one tile, if not 0
	sums        []T       // of blocks of K, if these are the tiles
	Reduction   *tiled    // sums columns of B during the product, or nil
	Tiles       *tiled    // runs on tiles, or nil
	RowConsumer *LoopTask // runs on rows, or nil
	fuses       bool      // whether these run in this run

	spec   *lower.MatMulSpec
	weight *lower.Buffer // of B, if it is packed
	packed *packedWeight[T]

	masked *leftOut[T] // what a mask hides, or nil

	small     *gemm.Small // nil unless the product is small and nothing is fused with it
	code      unsafe.Pointer
	smallCall *backend.Static
}

func (t *MatMulTask[T]) SetPointer(operand int, p unsafe.Pointer) {
	switch {
	case operand == scalesOperand && t.masked != nil:
		t.masked.memory = p
		return
	case operand == scalesOperand:
		t.p.FactorB.Scales = t.ofBlocks(p)
		return
	case operand == minimaOperand:
		t.p.FactorB.Minima = t.ofBlocks(p)
		return
	}
	if t.small != nil {
		t.small.Operands[operand] = uintptr(p)
	}
	if f := t.factor(operand); f != nil && f.Type != gemm.Own {
		f.Data, f.Len = nil, 0
		if p != nil {
			f.Data, f.Len = unsafe.Add(p, -t.before[operand]*t.spec.Operands[operand].Base.DType().Size()),
				t.extents[operand]
		}
		return
	}
	var data []T
	if p != nil {
		first := unsafe.Add(p, -t.before[operand]*int(unsafe.Sizeof(*new(T))))
		data = unsafe.Slice((*T)(first), t.extents[operand])
	}
	switch operand {
	case 0:
		t.p.A.Data = data
	case 1:
		t.p.B.Data = data
	default:
		t.p.C.Data = data
	}
}

// scalesOperand is the operand of a product with the scales of B's blocks, or the mask at which it looks, and
// minimaOperand that with the minima of B's blocks.
const (
	scalesOperand = 3
	minimaOperand = 4
)

// ofBlocks are numbers of B's blocks, at an address.
func (t *MatMulTask[T]) ofBlocks(p unsafe.Pointer) []float32 {
	if p == nil {
		return nil
	}
	return unsafe.Slice((*float32)(p), ceilDiv(t.extents[1], t.spec.Block))
}

// factor returns an operand as a factor that may have fewer bits; nil for the result.
func (t *MatMulTask[T]) factor(operand int) *gemm.Factor {
	switch operand {
	case 0:
		return &t.p.FactorA
	case 1:
		return &t.p.FactorB
	}
	return nil
}

// factorTypes maps dtypes with fewer bits than results to types of factors.
var factorTypes = map[graph.DType]gemm.Type{
	graph.Int8: gemm.Int8, graph.Uint8: gemm.Uint8, graph.Int16: gemm.Int16, graph.Uint16: gemm.Uint16,
	graph.Float16: gemm.Float16, graph.BFloat16: gemm.BFloat16}

// blockTypes are the types of factors of blocks, by bits, and minimaTypes those with minima.
var (
	blockTypes  = map[int]gemm.Type{8: gemm.Int8Blocks, 4: gemm.Int4Blocks}
	minimaTypes = map[int]gemm.Type{8: gemm.Uint8Blocks, 4: gemm.Uint4Blocks}
)

func (t *MatMulTask[T]) Run(s *State) error {
	if t.small != nil {
		t.small.Run(t.code)
		return nil
	}
	t.p.Stopped = s.stopped()
	t.run(s)
	t.p.Stopped = nil
	return nil
}

// run computes the product, and what is fused with it.
func (t *MatMulTask[T]) run(s *State) {
	t.fuses = s.Observer == nil
	t.masked.beginRun(&t.p)
	if t.weight != nil {
		t.pack(s)
	}
	if t.sums != nil {
		s.ParallelFor(t, t.p.Blocks(), t.cost)
		t.p.AddSums(t.sums)
		return
	}
	if t.fuses {
		t.Reduction.beginSums()
		t.Tiles.beginSums()
		defer t.Reduction.endSums()
		defer t.Tiles.endSums()
	}
	down := ceilDiv(t.p.Rows(), max(t.rows, 1))
	if !s.pays(down*t.across, t.cost) {
		t.compute(0, t.p.Rows(), 0, t.p.N, &s.Ws)
		return
	}
	s.ParallelFor(t, down*t.across, t.cost)
}

// Tile computes a block.
func (t *MatMulTask[T]) Tile(i int, ws *Workspace) {
	if t.sums != nil {
		n := t.p.M * t.p.N
		t.p.SumBlock(i, t.sums[i*n:][:n], t.scratch(&ws.products))
		return
	}
	row, col := i/t.across*t.rows, i%t.across*t.cols
	t.compute(row, min(row+t.rows, t.p.Rows()), col, min(col+t.cols, t.p.N), ws)
}

// compute computes a part, and what is fused with it.
func (t *MatMulTask[T]) compute(lo, hi, left, right int, ws *Workspace) {
	left, right = t.masked.within(left, right)
	scratch := t.scratch(&ws.products)
	if t.fuses && t.Reduction != nil && lo == 0 {
		ws.reader.begin(t.Reduction, ws)
		scratch.ShowPanels(&ws.reader)
		defer ws.reader.end()
		defer scratch.ShowPanels(nil)
	}
	switch {
	case t.fuses && t.Tiles != nil:
		ws.epilogue.begin(t.Tiles, ws)
		t.p.RunTiles(lo, hi, left, right, scratch, &ws.epilogue)
		ws.epilogue.end()
	case t.fuses && t.RowConsumer != nil:
		ws.consumer = rowConsumer{part: t.RowConsumer, rows: t.p.Rows(),
			next: lo * t.RowConsumer.indices() / t.p.Rows(), ws: ws}
		t.p.RunRows(lo, hi, scratch, &ws.consumer)
	default:
		t.p.RunPart(lo, hi, left, right, scratch)
	}
}

// bindProduct evaluates the sizes and strides of a matrix product. In a chain, its axes are not merged, because the
// chain splits it along them.
func (b *Specialization) bindProduct(p *Code, spec *lower.MatMulSpec, isChained bool) Launch {
	s, weight := b.newLaunch(p, spec.All()), p.weightOf(spec)
	switch spec.Dtype {
	case graph.Int32:
		s.Task = newMatMulTask(b, spec, weight, isChained, func(s *productScratch) *gemm.Scratch[int32] {
			return scratchIn[int32](&s.i32)
		})
	case graph.Int64:
		s.Task = newMatMulTask(b, spec, weight, isChained, func(s *productScratch) *gemm.Scratch[int64] {
			return scratchIn[int64](&s.i64)
		})
	case graph.Float32:
		s.Task = newMatMulTask(b, spec, weight, isChained, func(s *productScratch) *gemm.Scratch[float32] {
			return scratchIn[float32](&s.f32)
		})
	default:
		s.Task = newMatMulTask(b, spec, weight, isChained, func(s *productScratch) *gemm.Scratch[float64] {
			return scratchIn[float64](&s.f64)
		})
	}
	return s
}

func newMatMulTask[T scalar.Number](b *Specialization, spec *lower.MatMulSpec, weight *lower.Buffer, isChained bool,
	scratch func(*productScratch) *gemm.Scratch[T]) *MatMulTask[T] {
	t := &MatMulTask[T]{scratch: scratch, spec: spec, threads: b.threads}
	batch := b.Shape(spec.Batch)
	t.p = gemm.Product[T]{M: b.Eval(spec.M), N: b.Eval(spec.N), K: b.Eval(spec.K), Batch: batch}
	steps := [3]*[]int{&t.p.StepA, &t.p.StepB, &t.p.StepC}
	matrices := [3]*gemm.Matrix[T]{&t.p.A, &t.p.B, &t.p.C}
	for i, o := range spec.Operands {
		strides, sizes := b.strides(o), b.Shape(o.Layout.Shape)
		if f := t.factor(i); f != nil {
			f.Type = factorTypes[o.Base.DType()] // zero, if the dtype is that of the result
			switch {
			case spec.IsFast:
				f.Type = gemm.FastBFloat16
			case i == 1 && spec.HasMinima():
				f.Type, f.Block = minimaTypes[spec.Bits], spec.Block
			case i == 1 && spec.Block != 0:
				f.Type, f.Block = blockTypes[spec.Bits], spec.Block
			}
		}
		*steps[i] = strides[:len(batch)]
		m := matrices[i]
		if over := strides[len(batch):]; i != 1 || spec.Rows == 1 && len(over) == 2 {
			m.Row, m.Col = over[0], over[1]
		} else {
			cut := len(batch) + spec.Rows
			t.p.SetOffsets(offsets(sizes[len(batch):cut], over[:spec.Rows]), offsets(sizes[cut:], over[spec.Rows:]))
		}
		t.extents[i] = 1
		for axis, n := range sizes {
			reach := max(n-1, 0) * strides[axis]
			t.before[i] += max(-reach, 0)
			t.extents[i] += max(reach, -reach)
		}
		if slices.Contains(sizes, 0) {
			t.before[i], t.extents[i] = 0, 0 // nothing is read, whatever the strides
		}
		m.Start = t.before[i]
	}
	if !isChained {
		t.p.JoinRows()
	}
	t.p.InLanes = spec.InLanes && t.p.HasLanes()
	t.cost = 2 * t.p.Rows() * t.p.N * t.p.K / flopsPerNanosecond
	t.divide()
	t.readsPacked(weight)
	if t.cost < pool.ParallelCost {
		var work int
		if t.small, t.code, work = t.p.Small(); t.small != nil {
			t.smallCall = backend.NewStatic(t.code, unsafe.Pointer(t.small), work)
		}
	}
	return t
}

func (t *MatMulTask[T]) asCall() backend.Entry {
	if t.small == nil {
		return nil
	}
	return t.smallCall
}

// offsets returns the offsets of all indices of axes with some sizes and strides.
func offsets(sizes, steps []int) []int {
	list := []int{0}
	for axis, n := range sizes {
		next := make([]int, 0, len(list)*n)
		for _, at := range list {
			for i := range n {
				next = append(next, at+i*steps[axis])
			}
		}
		list = next
	}
	return list
}

// flopsPerNanosecond is roughly the speed of one thread.
const flopsPerNanosecond = 50
