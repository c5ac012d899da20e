package exec

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer"
)

// This file decides at compile time which kernels are fused with matrix products: what a run
// makes of that, with the sizes bound, is in epiloguerun.go.

// fusion is how a loop goes with the matrix product before it.
type fusion struct {
	kind fusionKind
	of   *matmul
}

type fusionKind uint8

const (
	notFused fusionKind = iota
	// withResult goes on with the product's result, as soon as tiles or rows of it are whole: they
	// are in a cache, or in registers, then.
	withResult
	// withFactor sums columns of the product's second matrix while the product has that in a cache,
	// as the gradient of a bias does beside that of weights.
	withFactor
)

func (f fusion) isFused() bool { return f.kind != notFused }

// thresholds say from which sizes on a fusion pays.
type thresholds struct {
	// tileBytes is the size of a result that is worth taking in tiles, as a smaller one stays in the
	// first-level cache; and tileRows its rows, as tiles of fewer save less than it takes to prepare
	// for the columns of each.
	tileBytes, tileRows int
	// rowBytes is the size of a result that is worth following by rows: a smaller one stays in a
	// cache that is fast enough.
	rowBytes int
	// factorBytes is the size of a second matrix that is better summed beside the product: a smaller
	// one is soon read once more.
	factorBytes int
}

var usualThresholds = thresholds{tileBytes: 32 << 10, tileRows: 48, rowBytes: 16 << 20, factorBytes: 3 << 20}

// takesAllTiles reports whether tiles are taken be it worth it or not, as tests want it.
func (t *thresholds) takesAllTiles() bool { return t.tileBytes == 0 }

// followPass finds loops that go with the product before them: what is computed from a product is
// computed while it is in the cache.
func followPass(u *unit) error {
	for i, k := range u.kernels[min(1, len(u.kernels)):] {
		loop, ok := k.(*loopKernel)
		if !ok || len(loop.parts) != 1 {
			continue
		}
		before := u.kernels[i]
		if product, ok := before.(*matmul); ok && canRunBeside(loop, product) {
			loop.fusion = fusion{withFactor, product}
			continue
		}
		if f := fusionOf(before); f.kind == withFactor && !touchesResults(k, before) {
			before = f.of
		}
		if product, ok := before.(*matmul); ok && canFollow(loop, product) {
			loop.fusion = fusion{withResult, product}
		}
	}
	return nil
}

// touchesResults reports whether a kernel reads or writes what another one writes, or writes what
// that reads.
func touchesResults(k, other kernel) bool {
	return slices.ContainsFunc(k.operands(), func(o operand) bool {
		return slices.ContainsFunc(other.operands(), func(x operand) bool {
			return o.base != nil && x.base != nil && (o.write || x.write) && shapeinfer.Storage(o.base) == shapeinfer.Storage(x.base)
		})
	})
}

// canFollow reports whether each row of a kernel needs no more of a product than the same
// row, and the kernel writes nothing that the product reads.
func canFollow(k *loopKernel, before *matmul) bool {
	product := before.product
	p, c := k.parts[0], product.operands[2]
	if !c.layout.IsRowMajor() || p.domain.NumElements() != c.layout.Shape.NumElements() || !slices.IsSorted(slices.Concat(p.axes...)) {
		return false
	}
	for i := range p.prog.Insts {
		switch p.prog.Insts[i].Op {
		case rowprog.OpGuard:
			return false
		case rowprog.OpAccumulate: // tiles can, if they come to the rows in order; rows cannot
			if len(product.batch) > 0 || !p.prog.Columnwise() || p.prog.Stages != 1 {
				return false
			}
		}
	}
	result := shapeinfer.Storage(c.base)
	for _, o := range p.operands {
		if o.base == nil {
			continue
		}
		switch memory := shapeinfer.Storage(o.base); {
		case memory == result && (o.undecided != nil || !o.layout.IsRowMajor()):
			return false
		case o.write && (memory == shapeinfer.Storage(product.operands[0].base) || memory == shapeinfer.Storage(product.operands[1].base)):
			return false
		}
	}
	return true
}

// canRunBeside reports whether a kernel sums the columns of the second matrix of a product, needs
// no other matrix nor the product, and writes nothing that this reads.
func canRunBeside(k *loopKernel, before *matmul) bool {
	if len(before.batch) > 0 || before.rows != 1 {
		return false
	}
	part := k.parts[0]
	t, ok := besideProgram(part, before.product)
	if !ok {
		return false
	}
	for i := range part.prog.Insts {
		if part.prog.Insts[i].Op == rowprog.OpGuard {
			return false
		}
	}
	for i, o := range part.operands {
		if part.prog.Operands[i].Domain == rowprog.Vec && !t.Still[i] && i != t.From { // another matrix
			return false
		}
		for j, x := range before.product.operands {
			if (o.write || j == 2) && o.base != nil && shapeinfer.Storage(o.base) == shapeinfer.Storage(x.base) {
				return false
			}
		}
	}
	return true
}

// besideProgram says what a loop does with tiles of the second matrix of the product before it,
// if it can.
func besideProgram(p *part, before *product) (t backend.TileProgram, ok bool) {
	b := before.operands[1]
	if t, ok = p.tileOf(b.base, before.dtype); !ok {
		return t, false
	}
	t.Packed = true
	from := p.operands[t.From]
	return t, from.base == b.base && from.undecided == nil && from.layout.Offset == b.layout.Offset
}

// tileProgram says what a kernel does with tiles of the product before it, if it can. It may be
// the last one to read the product.
func (u *unit) tileProgram(p *part, before *product, isLast bool) (t backend.TileProgram, ok bool) {
	c := before.operands[2]
	// takesTiles refuses small products; of those that are known, no code is made.
	if n, known := c.layout.Shape.NumElements().Int(); known && n*int64(before.dtype.Size()) < int64(u.thresholds.tileBytes) {
		return t, false
	}
	if t, ok = p.tileOf(c.base, before.dtype); ok && !isLast {
		t.Program, t.Still = t.Program.Storing(t.From), append(t.Still, false)
	}
	return t, ok
}

// tilePrograms lists loops that can work on tiles of products or of what these read, and what they
// do with them.
func (u *unit) tilePrograms() (parts []*part, programs []backend.TileProgram) {
	for i, k := range u.kernels {
		f, t, ok := fusionOf(k), backend.TileProgram{}, false
		switch f.kind {
		case withFactor:
			t, ok = besideProgram(k.loops()[0], f.of.product)
		case withResult:
			isLast := u.storageOf[f.of.product.operands[2].base].last == i
			t, ok = u.tileProgram(k.loops()[0], f.of.product, isLast)
		}
		if ok {
			parts, programs = append(parts, k.loops()[0]), append(programs, t)
		}
	}
	return parts, programs
}

// tileOf says what a kernel does with tiles of a matrix, if it reads that in one way and does the
// same with each tile, wherever that stands. The program is the kernel's.
func (p *part) tileOf(matrix *graph.Node, dtype graph.DType) (t backend.TileProgram, ok bool) {
	if !p.prog.Columnwise() || p.prog.Stages != 1 {
		return t, false
	}
	t.Program, t.From, t.Still = p.prog, -1, make([]bool, len(p.operands))
	for i, o := range p.operands {
		t.Still[i] = p.isStill(o)
		switch spec := &p.prog.Operands[i]; {
		case spec.Access == rowprog.Acc && !t.Still[i]:
			return t, false
		case spec.Access != rowprog.In || spec.Domain != rowprog.Vec || t.Still[i]:
		case shapeinfer.Storage(o.base) != shapeinfer.Storage(matrix):
		case t.From < 0:
			t.From = i
		default: // another view of the matrix, which need not be stored
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

// isStill reports whether an operand has the same elements for all rows.
func (p *part) isStill(o operand) bool {
	if o.base == nil || len(p.axes) < 2 {
		return false
	}
	for _, axes := range p.axes[:len(p.axes)-1] {
		for _, axis := range axes {
			if o.layout.Strides[axis] != graph.Dim(0) {
				return false
			}
		}
	}
	return true
}

// inRows gives a program of one row an outer axis, so that it can be run on some columns of a
// matrix.
func inRows(p *rowprog.Program) *rowprog.Program {
	q := *p
	q.Outer = 1
	return &q
}

// fusionText says how a lowered kernel may go with the product before it.
func fusionText(k kernel) string {
	f := fusionOf(k)
	switch {
	case f.kind == withFactor:
		return "\n  may run beside the product before it"
	case f.kind == notFused:
		return ""
	}
	p := k.loops()[0]
	switch isSum := p.prog.ReducesOutermost(); {
	case p.tiles != nil && isSum:
		return "\n  may go on with tiles of the product before it"
	case p.tiles != nil:
		return "\n  may go on with tiles of the product before it, or follow its rows"
	case !isSum:
		return "\n  may follow the rows of the product before it"
	}
	return ""
}
