package exec

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/pages"
	"github.com/broadloom/broadloom/shapeinfer"
)

// alignment is that of buffers in the arena, in bytes: a cache line.
const alignment = pages.Line

// maxArena is the number of bytes beyond which no memory is asked for: what a process can
// address, on the processors of today.
const maxArena = min(1<<47, math.MaxInt/2)

// binding is a program with all sizes known: arguments of its kernels, and where in the
// arena each value lies.
type binding struct {
	threads    int // that compute it
	thresholds *thresholds
	shapes     [][]int // of the inputs, by which the binding is found again
	sizes      shapeinfer.Sizes
	values     map[graph.Dim]int // sizes of the program, evaluated
	steps      []step
	offsets    []int            // of the arena's storages
	arena      int              // bytes
	generation int              // of the arena that pointers were set for
	fed        []unsafe.Pointer // what pointers of inputs were set to
	sizeSlots  []int64
}

// boundKernel is a kernel with all sizes known.
type boundKernel interface {
	// point sets the address of an operand.
	point(operand int, p unsafe.Pointer)
	// run does the work, with the session's scratch memory.
	run(s *state) error
}

// step is one call of a kernel.
type step struct {
	kernel   boundKernel
	operands []place // where each operand's memory is
	of       int     // the number of the kernel
	needsIn  bool    // some operand is an input, whose memory changes from run to run

	taken bool          // the step before it does it, unless a profile is taken
	list  *backend.List // of this step and some that follow, if they can be run as one
}

// place is a spot in a storage, or a size of the program.
type place struct {
	storage *storage
	offset  int // bytes
	slot    int // of a size; -1 for memory
}

// newBinding evaluates all sizes, divides the work among some threads and lays out the arena.
func (p *code) newBinding(shapes [][]int, sizes shapeinfer.Sizes, threads int) (b *binding, err error) {
	b = &binding{threads: threads, thresholds: &p.thresholds, sizes: sizes, values: map[graph.Dim]int{}, generation: -1, fed: make([]unsafe.Pointer, p.numInputs)}
	for _, s := range shapes {
		b.shapes = append(b.shapes, slices.Clone(s))
	}
	var node *graph.Node // whose kernel is being bound
	defer func() {
		switch r := recover().(type) {
		case nil:
		case sizeError:
			b, err = nil, r.err
		default:
			b, err = nil, panicAt(node, r)
		}
	}()
	b.layOut(p) // before kernels prepare memory of their own for the sizes
	for i, k := range p.kernels {
		node = k.of().nodes[0]
		first := len(b.steps)
		b.bindKernel(p, k)
		for at := first; at < len(b.steps); at++ {
			b.steps[at].of = i
		}
	}
	node = nil
	b.followProducts(p.kernels)
	b.listSteps()
	if p.verified {
		if err := b.verify(p); err != nil {
			return nil, asInvalid(err)
		}
	}
	return b, nil
}

// bindKernel adds the steps that carry out a kernel.
func (b *binding) bindKernel(p *code, k kernel) {
	switch k := k.(type) {
	case *assembly:
		if axes := k.slicedAxes(); axes > 0 {
			b.steps = append(b.steps, b.bindSlices(p, k, axes))
			return
		}
	case *matmul:
		b.steps = append(b.steps, b.bindProduct(p, k.product))
	case *gathering:
		b.steps = append(b.steps, b.bindGather(p, k.picking))
	}
	for _, part := range b.chosen(k) {
		b.steps = append(b.steps, b.bindPart(p, part))
	}
}

// fits reports whether the binding is of the sizes of what is fed.
func (b *binding) fits(fed []memory) bool {
	for i := range fed {
		if !slices.Equal(b.shapes[i], fed[i].shape) {
			return false
		}
	}
	return true
}

// sizeError carries an error out of the evaluation of sizes.
type sizeError struct{ err error }

// eval gives the value of a size.
func (b *binding) eval(d graph.Dim) int {
	n, whole := d.Int()
	if !whole {
		if v, known := b.values[d]; known {
			return v
		}
		var err error
		if n, err = d.Eval(b.sizes.Lookup); err != nil {
			panic(sizeError{fmt.Errorf("exec: the size %s: %w", d, err)})
		}
		b.values[d] = int(n)
	}
	if int64(int(n)) != n {
		panic(sizeError{fmt.Errorf("exec: the size %s is %d, more than this processor counts to", d, n)})
	}
	return int(n)
}

func (b *binding) shape(s graph.Shape) []int {
	out := make([]int, len(s))
	for i, d := range s {
		out[i] = b.eval(d)
	}
	return out
}

// strides gives an operand's steps over its domain's axes.
func (b *binding) strides(o operand) []int {
	out := make([]int, len(o.layout.Strides))
	for axis, d := range o.layout.Strides {
		out[axis] = b.eval(d)
		if o.undecided != nil && o.undecided[axis] && b.eval(o.from[axis]) == 1 {
			out[axis] = 0
		}
	}
	return out
}

// first gives the place of an operand's first element in a storage. That of an operand without
// elements can lie outside of the memory, where no pointer may point: see package unsafe. The
// layout's shape does not tell, since it is the kernel's: an operand may have elements for rows
// that have none.
func (b *binding) first(l graph.Layout, st *storage) int {
	count := b.eval(st.count)
	if count == 0 {
		return 0
	}
	if at := b.eval(l.Offset); 0 <= at && at < count {
		return at
	}
	return 0
}

// newStep notes where each operand's memory is.
func (b *binding) newStep(p *code, operands []operand) (s step) {
	for _, o := range operands {
		if o.base == nil {
			s.operands = append(s.operands, place{slot: len(b.sizeSlots)})
			b.sizeSlots = append(b.sizeSlots, int64(b.eval(o.size)))
			continue
		}
		st := p.storageOf[o.base]
		s.operands = append(s.operands, place{storage: st, offset: b.first(o.layout, st) * st.dtype.Size(), slot: -1})
		s.needsIn = s.needsIn || st.kind == inInput
	}
	return s
}

// tooMuch is the error of sizes for which a run needs more memory than there is. bytes is what
// it needs at least, and largest the largest of the values that it needs it for.
func (b *binding) tooMuch(p *code, bytes int, largest *storage, why error) sizeError {
	var sizes []string
	for _, name := range slices.Sorted(maps.Keys(b.sizes)) {
		sizes = append(sizes, fmt.Sprintf("%s = %d", name, b.sizes[name]))
	}
	with := ""
	if len(sizes) > 0 {
		with = " with " + strings.Join(sizes, ", ")
	}
	n := largest.node
	return sizeError{fmt.Errorf("exec: a run of graph %q%s needs at least %d bytes of memory (%s), and %w; the largest value is %s, %s%v (%s)",
		p.name, with, bytes, pages.Bytes(bytes), why, graph.Describe(n), n.DType(), b.shape(n.Shape()), n.Pos())}
}

// errAddresses is why there is no memory of more than maxArena.
var errAddresses = fmt.Errorf("no process has more than %s", pages.Bytes(maxArena))
