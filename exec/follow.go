package exec

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer"
)

// followPass finds kernels that can take the rows of the product before them as soon as
// these are whole: what is computed from a product is computed while it is in the cache.
func followPass(u *unit) error {
	for i, k := range u.kernels[min(1, len(u.kernels)):] {
		before := u.kernels[i]
		k.beside = canRunBeside(k, before.matmul)
		if before.beside && !k.touchesResults(before) {
			before = u.kernels[i-1]
		}
		k.follows = !k.beside && canFollow(k, before)
	}
	return nil
}

// isOneProgram reports whether a kernel is one row program, and nothing else.
func (k *kernel) isOneProgram() bool {
	return k.class == graph.Elementwise && len(k.parts) == 1 && len(k.fills) == 0 && !k.choice
}

// productOf is the product that the kernel at a place follows or runs beside.
func productOf(kernels []*kernel, at int) *kernel {
	if at--; kernels[at].beside {
		at--
	}
	return kernels[at]
}

// touchesResults reports whether a kernel reads or writes what another one writes, or writes what
// that reads.
func (k *kernel) touchesResults(other *kernel) bool {
	return slices.ContainsFunc(k.allOperands(), func(o operand) bool {
		return slices.ContainsFunc(other.allOperands(), func(x operand) bool {
			return o.base != nil && x.base != nil && (o.write || x.write) && shapeinfer.Storage(o.base) == shapeinfer.Storage(x.base)
		})
	})
}

// canFollow reports whether each row of a kernel needs no more of a product than the same
// row, and the kernel writes nothing that the product reads.
func canFollow(k, before *kernel) bool {
	product := before.matmul
	if product == nil || !k.isOneProgram() {
		return false
	}
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

// followedBytes is the size from which on the result of a product is worth following: a
// smaller one stays in a cache that is fast enough. Tests lower it.
var followedBytes = 16 << 20

// follower computes what follows from rows of a product: it is told of them in the order in
// which they become whole.
type follower struct {
	part *boundPart
	rows int // of the product
	next int // index or element of the part to go on with
	ws   *workspace
}

// indices is the number of equal pieces of the part that are computed one by one: indices of
// its outermost axis or, if there is none, elements.
func (k *boundPart) indices() int {
	if len(k.args.Outer) > 0 {
		return k.args.Outer[0]
	}
	return k.args.N
}

// Rows computes what the rows up to hi are enough for: both the product's rows and the pieces
// cut the same elements, in order.
func (f *follower) Rows(_, hi int) {
	end := hi * f.part.indices() / f.rows
	if end > f.next {
		if len(f.part.args.Outer) > 0 {
			f.part.part.kernel.RunRange(f.part.args, f.next, end, &f.ws.scratch)
		} else {
			f.part.runElements(f.next, end, f.ws)
		}
	}
	f.next = end
}

// followProducts lets kernels follow the products before them where it pays with the sizes
// bound.
func (b *binding) followProducts(kernels []*kernel) {
	for i := range b.steps {
		product, ok := b.steps[i].kernel.(followed)
		if !ok {
			continue
		}
		next := b.steps[i+1:]
		if len(next) > 0 && kernels[next[0].of].beside {
			next[0].taken = product.runBeside(b, next[0].kernel.(*boundPart))
			next = next[1:]
		}
		if len(next) > 0 && kernels[next[0].of].follows {
			next[0].taken = product.leadTo(b, next[0].kernel.(*boundPart))
		}
	}
}

// followed is a product: what kernels may follow and run beside.
type followed interface {
	leadTo(b *binding, k *boundPart) bool
	runBeside(b *binding, k *boundPart) bool
}

// leadTo lets a kernel go on with the product's tiles or follow its rows, if there are any.
func (t *typedProduct[T]) leadTo(b *binding, k *boundPart) bool {
	if t.p.Rows() == 0 || t.p.N == 0 {
		return false
	}
	t.tiled = t.takesTiles(b, k)
	return t.tiled != nil || t.leadRows(k)
}

// leadRows lets a kernel follow the product's rows, if the product is large, moving the
// elements takes longer than what is computed from them, and tiles are whole rows of both.
func (t *typedProduct[T]) leadRows(k *boundPart) bool {
	rows := t.p.Rows()
	bytes := rows * t.p.N * t.spec.dtype.Size()
	isWhole := len(k.args.Outer) > 0 && !k.part.prog.ReducesOutermost() || k.part.prog.Elementwise() && k.part.prog.Stages == 1
	work, moved := elementCosts(k.part.prog)
	if !isWhole || t.sums != nil || bytes < followedBytes || work > moved {
		return false
	}
	before := t.grid
	if t.divideRows(); t.rows*k.indices()%rows != 0 {
		t.grid = before
		return false
	}
	t.next = k
	return true
}
