package exec

import (
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/gather"
	"github.com/broadloom/broadloom/shapeinfer"
)

// picking is a Gather operation as a kernel.
type picking struct {
	node     *graph.Node
	operands [3]operand // values, indices, result; all dense
	add      bool       // elements are added up by index instead of picked
	// outer, size, inner and count are the sizes of gather.Shape.
	outer, size, inner, count graph.Dim
}

func newPicking(n *graph.Node) *picking {
	p := &picking{node: n, count: n.In(1).Shape().NumElements()}
	for i, x := range n.Operands() {
		layout := shapeinfer.LayoutOf(x)
		p.operands[i] = operand{base: shapeinfer.Viewed(x), layout: layout}
	}
	p.operands[2] = operand{base: n, layout: graph.RowMajor(n.Shape()), write: true}
	whole, axis := n.In(0).Shape(), n.Op().Axes(n)[0]
	if p.add = n.Op().Fold == graph.FoldSum; p.add {
		whole = n.Shape()
	}
	p.outer, p.size, p.inner = whole[:axis].NumElements(), whole[axis], whole[axis+1:].NumElements()
	return p
}

// boundPicking is a picking with all sizes known.
type boundPicking struct {
	spec       *picking
	shape      gather.Shape
	indexShape []int
	ptr        [3]unsafe.Pointer
}

func (b *binding) bindGather(p *code, spec *picking) step {
	s := b.newStep(p, spec.operands[:])
	s.kernel = &boundPicking{spec: spec, indexShape: b.shape(spec.node.In(1).Shape()), shape: gather.Shape{Outer: b.eval(spec.outer), Size: b.eval(spec.size), Inner: b.eval(spec.inner), Count: b.eval(spec.count)}}
	return s
}

func (k *boundPicking) point(operand int, p unsafe.Pointer) { k.ptr[operand] = p }

func (k *boundPicking) run(*state) error {
	bad := -1
	switch k.spec.node.DType() {
	case graph.Bool:
		bad = pickOrAdd(k, gather.Take[bool, int32], gather.Take[bool, int64])
	case graph.Int32:
		bad = run(k, gather.Take[int32, int32], gather.Take[int32, int64], gather.ScatterAdd[int32, int32], gather.ScatterAdd[int32, int64])
	case graph.Int64:
		bad = run(k, gather.Take[int64, int32], gather.Take[int64, int64], gather.ScatterAdd[int64, int32], gather.ScatterAdd[int64, int64])
	case graph.Float32:
		bad = run(k, gather.Take[float32, int32], gather.Take[float32, int64], gather.ScatterAdd[float32, int32], gather.ScatterAdd[float32, int64])
	case graph.Float64:
		bad = run(k, gather.Take[float64, int32], gather.Take[float64, int64], gather.ScatterAdd[float64, int32], gather.ScatterAdd[float64, int64])
	}
	if bad >= 0 {
		return k.outOfRange(bad)
	}
	return nil
}

// outOfRange tells of the index at a place of the indices.
func (k *boundPicking) outOfRange(at int) error {
	var value int64
	if k.spec.node.In(1).DType() == graph.Int32 {
		value = int64(elements[int32](k.ptr[1], k.shape.Count)[at])
	} else {
		value = elements[int64](k.ptr[1], k.shape.Count)[at]
	}
	return &failedCheck{k.spec.node, fmt.Sprintf("index out of range in self: %s%s is %d, not in 0..%d",
		k.spec.node.In(1).Called(), elementAt(k.indexShape, at), value, k.shape.Size-1)}
}

// elementAt writes where an element lies that is the at-th in row-major order: "[1, 4]", and
// nothing for a scalar.
func elementAt(shape []int, at int) string {
	if len(shape) == 0 {
		return ""
	}
	index := make([]string, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		index[axis] = strconv.Itoa(at % shape[axis])
		at /= shape[axis]
	}
	return "[" + strings.Join(index, ", ") + "]"
}

// kernelOf is a kernel on elements and indices of one type each.
type kernelOf[T any, I gather.Index] func(s gather.Shape, dst, src []T, index []I) int

func run[T any](k *boundPicking, take32 kernelOf[T, int32], take64 kernelOf[T, int64], add32 kernelOf[T, int32], add64 kernelOf[T, int64]) int {
	if k.spec.add {
		return pickOrAdd(k, add32, add64)
	}
	return pickOrAdd(k, take32, take64)
}

// pickOrAdd calls the kernel of the indices' type.
func pickOrAdd[T any](k *boundPicking, f32 kernelOf[T, int32], f64 kernelOf[T, int64]) int {
	read, written := k.shape.Outer*k.shape.Size*k.shape.Inner, k.shape.Outer*k.shape.Count*k.shape.Inner
	if k.spec.add {
		read, written = written, read
	}
	src, dst := elements[T](k.ptr[0], read), elements[T](k.ptr[2], written)
	if k.spec.node.In(1).DType() == graph.Int32 {
		return f32(k.shape, dst, src, elements[int32](k.ptr[1], k.shape.Count))
	}
	return f64(k.shape, dst, src, elements[int64](k.ptr[1], k.shape.Count))
}

// elements gives n elements from an address on.
func elements[T any](p unsafe.Pointer, n int) []T {
	if p == nil || n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(p), n)
}
