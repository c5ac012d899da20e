package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/memory"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/hugepage"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Specialization is a program with all sizes known: the arguments of its kernels, and the place of each value in the
// arena.
type Specialization struct {
	threads    int // that compute it
	Thresholds *lower.Thresholds
	shapes     [][]int // of the inputs; they identify the specialization
	Sizes      shapeinfer.Sizes
	values     map[graph.Dim]int // evaluated sizes of the program
	Launches   []Launch
	Offsets    []int            // of the arena's buffers
	Arena      int              // bytes
	generation int              // of the arena for which pointers are set
	fed        []unsafe.Pointer // the addresses of inputs for which pointers are set
	out        []unsafe.Pointer // the addresses of a body's outputs for which pointers are set
	bodies     map[*lower.Repeat]*boundBody
	sizeSlots  []int64
	chains     []*chainTask
	wide       map[*lower.Buffer]*chainTask // the chain that exchanges a matrix
	isInBlocks map[*graph.Node]bool         // the same matrices
}

// Task is a kernel with all sizes known.
type Task interface {
	// SetPointer sets the address of an operand.
	SetPointer(operand int, p unsafe.Pointer)
	// Run runs the kernel with the session's scratch memory.
	Run(s *State) error
}

// Launch is one call of a kernel.
type Launch struct {
	Task     Task
	Operands []Location // the memory of each operand
	kernel   int        // the index of the kernel
	needsIn  bool       // some operand is an input, or an output of a body, whose address changes between runs

	kept    *lower.Kept   // results that are kept between runs, or nil
	mayStop bool          // it may stop in the middle
	Chained bool          // a chain includes it
	Fused   bool          // the launch before includes it, except when profiling
	Chain   *chainTask    // the chain that begins here, or nil
	Batch   *backend.List // this launch and some that follow, if they run as one call
}

// Location is a position in a buffer, or a size of the program.
type Location struct {
	Buffer *lower.Buffer
	Offset int // bytes
	Slot   int // of a size; otherwise inMemory, inNothing for a buffer without elements, or inChain
}

// Slots of locations that are not sizes.
const (
	inMemory  = -1
	inNothing = -2
	inChain   = -3 // in the memory of the threads that run a chain
)

// nothing is the memory of operands without elements. A kernel may load an element before a row that turns out to be
// empty, or next to empty rows. It is the same one for all rows, and its value reaches no result.
var nothing [hugepage.Line]byte

// hasNothing reports whether an operand's memory has no elements.
func (b *Specialization) hasNothing(o fusion.Operand) bool {
	return b.Eval(o.Base.Shape().NumElements()) == 0
}

// Specialize evaluates all sizes, divides the work among threads and lays out the arena.
func (p *Code) Specialize(shapes [][]int, sizes shapeinfer.Sizes, threads int) (b *Specialization, err error) {
	b = &Specialization{threads: threads, Thresholds: &p.thresholds, Sizes: sizes, values: map[graph.Dim]int{},
		generation: -1, fed: make([]unsafe.Pointer, p.numInputs)}
	for _, s := range shapes {
		b.shapes = append(b.shapes, slices.Clone(s))
	}
	var node *graph.Node // the node whose kernel is being bound
	defer func() {
		switch r := recover().(type) {
		case nil:
		case sizeError:
			b, err = nil, r.err
		default:
			b, err = nil, bug.Panicked(node, r)
		}
	}()
	b.bindBodies(p)
	b.planChains(p)
	b.assignOffsets(p) // before kernels allocate memory for these sizes
	for i, k := range p.Kernels {
		node = k.Computes().Nodes[0]
		first := len(b.Launches)
		b.bindKernel(p, k, i)
		for at := first; at < len(b.Launches); at++ {
			b.Launches[at].kernel, b.Launches[at].kept = i, p.kept[i]
		}
	}
	node = nil
	b.bindChains()
	b.fuseWithMatMuls(p.Kernels)
	b.findMasks(p)
	b.findStops(p)
	b.batchLaunches()
	if p.verified {
		if err := b.Verify(p); err != nil {
			return nil, bug.As(err)
		}
	}
	return b, nil
}

// bindKernel adds the launches of a kernel.
func (b *Specialization) bindKernel(p *Code, k lower.Kernel, at int) {
	switch k := k.(type) {
	case *lower.Assemble:
		if axes := slicedAxes(k); axes > 0 {
			b.Launches = append(b.Launches, b.bindSlices(p, k, axes))
			return
		}
	case *lower.MatMul:
		b.Launches = append(b.Launches, b.bindProduct(p, k.MatMulSpec, b.isChained(at)))
	case *lower.Repeat:
		b.Launches = append(b.Launches, b.bindRepeat(p, k))
	case *lower.Function:
		b.Launches = append(b.Launches, b.bindFunction(p, k.FunctionSpec))
	case *lower.AddRows:
		b.Launches = append(b.Launches, b.bindAddRows(p, k.AddRowsSpec))
	case *lower.Gather:
		b.Launches = append(b.Launches, b.bindGather(p, k.GatherSpec))
	}
	for _, part := range b.selectVariant(k) {
		b.Launches = append(b.Launches, b.bindPart(p, part))
	}
}

// Matches reports whether the specialization is for the shapes of the given inputs.
func (b *Specialization) Matches(fed []memory.Value) bool {
	for i := range fed {
		if !slices.Equal(b.shapes[i], fed[i].Shape) {
			return false
		}
	}
	return true
}

// sizeError carries an error out of evaluating sizes.
type sizeError struct{ err error }

// Eval returns the value of a size.
func (b *Specialization) Eval(d graph.Dim) int {
	n, whole := d.Int()
	if !whole {
		if v, known := b.values[d]; known {
			return v
		}
		var err error
		if n, err = d.Eval(b.Sizes.Lookup); err != nil {
			panic(sizeError{fmt.Errorf("exec: the size %s: %w", d, err)})
		}
		b.values[d] = int(n)
	}
	if int64(int(n)) != n {
		panic(sizeError{fmt.Errorf("exec: the size %s is %d, too large for this processor", d, n)})
	}
	return int(n)
}

// Shape returns the values of sizes.
func (b *Specialization) Shape(s graph.Shape) []int {
	out := make([]int, len(s))
	for i, d := range s {
		out[i] = b.Eval(d)
	}
	return out
}

// strides returns an operand's strides over its iteration space.
func (b *Specialization) strides(o fusion.Operand) []int {
	out := make([]int, len(o.Layout.Strides))
	for axis, d := range o.Layout.Strides {
		out[axis] = b.Eval(d)
		if o.Undecided != nil && o.Undecided[axis] && b.Eval(o.From[axis]) == 1 {
			out[axis] = 0
		}
	}
	return out
}

// first returns the position of an operand's first element in a buffer. For an operand without elements it could lie
// outside of the buffer, where no pointer may point: see package unsafe. The layout's shape does not show that, because
// it is the kernel's: an operand may have elements for empty rows.
func (b *Specialization) first(l graph.Layout, buf *lower.Buffer) int {
	count := b.Eval(buf.Count)
	if count == 0 {
		return 0
	}
	if at := b.Eval(l.Offset); 0 <= at && at < count {
		return at
	}
	return 0
}

// newLaunch records the memory of each operand.
func (b *Specialization) newLaunch(p *Code, operands []fusion.Operand) (s Launch) {
	for _, o := range operands {
		if o.Base == nil {
			s.Operands = append(s.Operands, Location{Slot: len(b.sizeSlots)})
			b.sizeSlots = append(b.sizeSlots, int64(b.Eval(o.Size)))
			continue
		}
		buf := p.BufferOf[o.Base]
		slot := inMemory
		switch {
		case b.wide[buf] != nil:
			slot = inChain
		case b.hasNothing(o):
			slot = inNothing
		}
		s.Operands = append(
			s.Operands, Location{Buffer: buf, Offset: b.first(o.Layout, buf) * buf.Dtype.Size(), Slot: slot})
		s.needsIn = s.needsIn || buf.Kind == lower.InInput || buf.Kind == lower.InResult
	}
	return s
}

// tooMuch is the error for sizes with which a run needs too much memory. bytes is the least that it needs, and largest
// the largest value.
func (b *Specialization) tooMuch(p *Code, bytes int, largest *lower.Buffer, why error) sizeError {
	var sizes []string
	for _, name := range slices.Sorted(maps.Keys(b.Sizes)) {
		sizes = append(sizes, fmt.Sprintf("%s = %d", name, b.Sizes[name]))
	}
	with := ""
	if len(sizes) > 0 {
		with = " with " + strings.Join(sizes, ", ")
	}
	n := largest.Node
	return sizeError{
		fmt.Errorf(
			"exec: a run of graph %q%s needs at least %d bytes of memory (%s), and %w; the largest value is %s, %s%v (%s)",
			p.name, with, bytes, hugepage.Bytes(bytes), why, graph.Describe(n.Source()), n.DType(), b.Shape(n.Shape()),
			n.Pos())}
}

// selectVariant lists the row programs of a kernel that run. Of variants, it is the one that sums exactly over the axes
// of size 1 in the result but not in the operand.
func (b *Specialization) selectVariant(k lower.Kernel) []*lower.Loop {
	v, ok := k.(*lower.Variants)
	if !ok {
		return k.Loops()
	}
	n, reduced := v.Nodes[0], []int{}
	for axis, d := range n.Shape() {
		if d != n.In(0).Shape()[axis] && b.Eval(d) == 1 && b.Eval(n.In(0).Shape()[axis]) != 1 {
			reduced = append(reduced, axis)
		}
	}
	at := slices.IndexFunc(v.Parts, func(p *lower.Loop) bool { return slices.Equal(reduced, p.ReducedAxes) })
	return v.Parts[at : at+1]
}
