package lower

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// This file decides at compile time which kernels can be fused with matrix products. When sizes are bound, epilogue.go
// of package engine chooses among these.

// MatMulFusion says how a loop is fused with the matrix product before it.
type MatMulFusion struct {
	Kind fusionKind
	Of   *MatMul
}

type fusionKind uint8

const (
	notFused fusionKind = iota
	// OnResult continues with the product's result as soon as tiles or rows of it are complete. They are then in a
	// cache or in registers.
	OnResult
	// OnFactor sums columns of the product's second matrix while that is in a cache. The gradient of a bias is fused so
	// with the product for the gradient of weights.
	OnFactor
)

func (f MatMulFusion) isFused() bool { return f.Kind != notFused }

// Thresholds are the sizes from which fusions are worthwhile.
type Thresholds struct {
	// TileBytes is the least size of a result that is processed in tiles; a smaller one stays in the first-level cache.
	// TileRows is the least number of rows, as tiles of fewer rows save less than preparing for the columns of each
	// tile costs.
	TileBytes, TileRows int
	// RowBytes is the least size of a result that is processed in rows; a smaller one stays in a fast enough cache.
	RowBytes int
	// FactorBytes is the least size of a second matrix that is summed during the product; a smaller one is quickly read
	// again.
	FactorBytes int
	// ChainBytes is the least size of the matrices that a chain exchanges, for a whole batch, for which it runs in
	// blocks of rows; smaller ones stay in the second-level cache.
	ChainBytes int
	// ChainFactor is the least size of a second matrix for which all threads share a block of a chain instead of having
	// one each: they read the matrix once for many rows.
	ChainFactor int
	// MaskedColumns is the least number of columns of scores for which products outside of blocks look at the mask.
	MaskedColumns int
	// ChainRows is the number of rows of a block; with 0 the caches decide. Only tests set it.
	ChainRows int
}

var UsualThresholds = Thresholds{TileBytes: 32 << 10, TileRows: 32, RowBytes: 16 << 20, FactorBytes: 3 << 20,
	ChainBytes: 1 << 20, ChainFactor: 4 << 20, MaskedColumns: 64}

// TakesAllTiles reports whether tiles are used even if they are not worthwhile, as in tests.
func (t *Thresholds) TakesAllTiles() bool { return t.TileBytes == 0 }

// FuseWithMatMul finds loops that can be fused with the product before them: they run on the product's result, or on
// its second matrix, while that is in a cache.
func FuseWithMatMul(u *Program) error {
	for i, k := range u.Kernels[min(1, len(u.Kernels)):] {
		loop, ok := k.(*Fused)
		if !ok || len(loop.Parts) != 1 {
			continue
		}
		before := u.Kernels[i]
		if product, ok := before.(*MatMul); ok && canFuseWithFactor(loop, product) {
			loop.Fusion = MatMulFusion{OnFactor, product}
			continue
		}
		if f := FusionOf(before); f.Kind == OnFactor && !touchedBy(k).conflicts(touchedBy(before)) {
			before = f.Of
		}
		if product, ok := before.(*MatMul); ok && canFuseWithResult(loop, product) {
			loop.Fusion = MatMulFusion{OnResult, product}
		}
	}
	return nil
}

// canFuseWithResult reports whether each row of a kernel needs only the same row of a product, and the kernel writes
// nothing that the product reads.
func canFuseWithResult(k *Fused, before *MatMul) bool {
	product := before.MatMulSpec
	p, c := k.Parts[0], product.Operands[2]
	if !c.Layout.IsRowMajor() || p.Space.NumElements() != c.Layout.Shape.NumElements() ||
		!slices.IsSorted(slices.Concat(p.Axes...)) {
		return false
	}
	for i := range p.Program.Insts {
		switch p.Program.Insts[i].Op {
		case rowprog.OpGuard:
			return false
		case rowprog.OpAccumulate: // tiles can, if they come in the order of rows; rows cannot
			if len(product.Batch) > 0 || !p.Program.Columnwise() || p.Program.Stages != 1 {
				return false
			}
		}
	}
	result := alias.Storage(c.Base)
	for _, o := range p.Operands {
		if o.Base == nil {
			continue
		}
		switch memory := alias.Storage(o.Base); {
		case memory == result && (o.Undecided != nil || !o.Layout.IsRowMajor()):
			return false
		case o.Write && (memory == alias.Storage(product.Operands[0].Base) ||
			memory == alias.Storage(product.Operands[1].Base)):
			return false
		}
	}
	return true
}

// canFuseWithFactor reports whether a kernel sums the columns of a product's second matrix, needs neither another
// matrix nor the product, and writes nothing that the product reads.
func canFuseWithFactor(k *Fused, before *MatMul) bool {
	if len(before.Batch) > 0 || before.Rows != 1 || before.MatMulSpec.Operands[1].Base.DType() != before.Dtype {
		return false
	}
	part := k.Parts[0]
	t, ok := factorProgram(part, before.MatMulSpec)
	if !ok {
		return false
	}
	for i := range part.Program.Insts {
		if part.Program.Insts[i].Op == rowprog.OpGuard {
			return false
		}
	}
	for i, o := range part.Operands {
		if part.Program.Operands[i].Domain == rowprog.Vec && !t.RowInvariant[i] && i != t.From { // another matrix
			return false
		}
		for j, x := range before.MatMulSpec.Operands {
			if (o.Write || j == 2) && o.Base != nil && alias.Storage(o.Base) == alias.Storage(x.Base) {
				return false
			}
		}
	}
	return true
}

// factorProgram describes what a loop does with tiles of the second matrix of the product before it. ok is false if it
// cannot use tiles.
func factorProgram(p *Loop, before *MatMulSpec) (t backend.TileProgram, ok bool) {
	b := before.Operands[1]
	if t, ok = p.tileOf(b.Base, before.Dtype); !ok {
		return t, false
	}
	t.Packed = true
	from := p.Operands[t.From]
	return t, from.Base == b.Base && from.Undecided == nil && from.Layout.Offset == b.Layout.Offset
}

// resultProgram describes what a kernel does with tiles of the product before it. ok is false if it cannot use tiles.
// isLast says that nothing reads the product later.
func (u *Program) resultProgram(p *Loop, before *MatMulSpec, isLast bool) (t backend.TileProgram, ok bool) {
	c := before.Operands[2]
	// planTiles refuses small products. If the size is known to be small, no code is generated.
	if n, known := c.Layout.Shape.NumElements().Int(); known &&
		n*int64(before.Dtype.Size()) < int64(u.Thresholds.TileBytes) {
		return t, false
	}
	if t, ok = p.tileOf(c.Base, before.Dtype); ok && !isLast {
		t.Program, t.RowInvariant = t.Program.Storing(t.From), append(t.RowInvariant, false)
	}
	return t, ok
}

// TilePrograms lists the loops that can run on tiles of products or of their second factors, with their programs.
func (u *Program) TilePrograms() (parts []*Loop, programs []backend.TileProgram) {
	for i, k := range u.Kernels {
		f, t, ok := FusionOf(k), backend.TileProgram{}, false
		switch f.Kind {
		case OnFactor:
			t, ok = factorProgram(k.Loops()[0], f.Of.MatMulSpec)
		case OnResult:
			isLast := u.BufferOf[f.Of.MatMulSpec.Operands[2].Base].Last == i
			t, ok = u.resultProgram(k.Loops()[0], f.Of.MatMulSpec, isLast)
		}
		if ok {
			parts, programs = append(parts, k.Loops()[0]), append(programs, t)
		}
	}
	return parts, programs
}

// tileOf describes what a loop does with tiles of a matrix. It must read the matrix in one way, and treat all tiles
// alike.
func (p *Loop) tileOf(matrix *graph.Node, dtype graph.DType) (t backend.TileProgram, ok bool) {
	if !p.Program.Columnwise() || p.Program.Stages != 1 {
		return t, false
	}
	t.Program, t.From, t.RowInvariant = p.Program, -1, make([]bool, len(p.Operands))
	for i, o := range p.Operands {
		t.RowInvariant[i] = p.isRowInvariant(o)
		switch spec := &p.Program.Operands[i]; {
		case spec.Access == rowprog.Acc && !t.RowInvariant[i]:
			return t, false
		case spec.Access != rowprog.In || spec.Domain != rowprog.Vec || t.RowInvariant[i]:
		case alias.Storage(o.Base) != alias.Storage(matrix):
		case t.From < 0:
			t.From = i
		default: // another view of the matrix, which may not be stored
			return t, false
		}
	}
	switch dtype {
	case graph.Float32:
		t.Rows, t.Cols = gemm.Tile[float32]()
	case graph.Float64:
		t.Rows, t.Cols = gemm.Tile[float64]()
	}
	return t, t.From >= 0 && t.Cols > 0
}

// isRowInvariant reports whether an operand has the same elements for all rows.
func (p *Loop) isRowInvariant(o fusion.Operand) bool {
	if o.Base == nil || len(p.Axes) < 2 {
		return false
	}
	for _, axes := range p.Axes[:len(p.Axes)-1] {
		for _, axis := range axes {
			if o.Layout.Strides[axis] != graph.Dim(0) {
				return false
			}
		}
	}
	return true
}

// InRows returns a program with one outer axis, so that it can run on some columns of a matrix.
func InRows(p *rowprog.Program) *rowprog.Program {
	q := *p
	q.Outer = 1
	return &q
}

// text says how a kernel may be fused with the product before it.
func (f MatMulFusion) text(k Kernel) string {
	if !f.isFused() {
		return ""
	}
	on := f.parts(k.Loops()[0])
	if on == "" {
		return ""
	}
	return "\n  may be fused with the product before it, on " + on
}

// parts names the parts of the product on which a loop may run.
func (f MatMulFusion) parts(p *Loop) string {
	isSum := p.Program.ReducesOutermost() // rows do not come in order
	switch {
	case f.Kind == OnFactor:
		return "panels of its second matrix"
	case p.Tiles != nil && isSum:
		return "tiles of its result"
	case p.Tiles != nil:
		return "tiles or rows of its result"
	case !isSum:
		return "rows of its result"
	}
	return ""
}
