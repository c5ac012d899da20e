package ops

import (
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/gather"
)

var opPut *graph.Op

// putAttrs are the fixed arguments of opPut.
type putAttrs struct{ Axis int }

// PutAxis returns the axis.
func (a putAttrs) PutAxis() int { return a.Axis }

func init() {
	opPut = define(graph.Op{
		Name: "put_slices", Func: "putSlices",
		Doc:   "x with the slices of src at the indices along an axis, a vector of Int64; the last of several for one place stays.",
		Class: graph.Function, MinIn: 3, MaxIn: 3, AsStored: true, Function: put, Grad: putGrad, Batch: batchPut,
		Core: func(n *graph.Node) ([]int, int) {
			core := n.Rank() - n.Attrs().(putAttrs).Axis
			return []int{core, 1, core}, core
		},
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
	})
}

// batchPut is the rule of opPut for all examples. Indices of each example are one vector of places in the axes of all,
// one behind the other.
func batchPut(n node, in []node, mapped []bool) node {
	axis, index := n.Attrs().(putAttrs).Axis, in[1]
	in = inAll(in, mapped)
	if !mapped[1] {
		in[1] = index
		return graph.Apply(opPut, putAttrs{axis + 1}, in...)
	}
	all := in[0].Shape()
	index = numbered(index, all[axis+1])
	y := graph.Apply(opPut, n.Attrs(), joinedExamples(in[0], axis), Reshape(index, index.Shape().NumElements()),
		joinedExamples(in[2], axis))
	return MoveAxis(Reshape(y, slices.Concat(all[1:axis+1], graph.Shape{all[0]}, all[axis+1:])...), axis, 0)
}

// putGrad: what is written over has no gradient, and of several slices for one place the last has it alone.
func putGrad(n, dy node, i int) node {
	axis, index, src := n.Attrs().(putAttrs).Axis, n.In(1), n.In(2)
	if i == 0 {
		return graph.Apply(opPut, n.Attrs(), dy, index, Zeros(n.Graph(), dy.DType(), src.Shape()...))
	}
	place := Iota(n.Graph(), 0, index.Shape()[0])
	stays := Equal(Take(SegmentMax(place, 0, index, n.Shape()[axis]), 0, index), place)
	for range src.Rank() - 1 - axis {
		stays = Unsqueeze(stays, -1)
	}
	return Where(stays, Take(dy, axis, index), num(0))
}

// put is the function of opPut.
func put(a *graph.Arrays) error {
	index, size := graph.Elements[int64](a.In[1]), a.Out.Shape[0]
	out := a.Out.Bytes()
	if a.Out.Ptr != a.In[0].Ptr { // else it is put where it is
		copyPolling(a, out, a.In[0].Bytes())
	}
	row := len(out) / max(size, 1)
	for first := 0; first < len(index); first += indicesAtOnce {
		some := index[first:min(first+indicesAtOnce, len(index))]
		if bad := gather.Outside(some, size); bad >= 0 {
			return graph.IndexError{Operand: 1, Shape: a.In[1].Shape, At: first + bad, Value: some[bad], Size: size}
		}
		if a.Poll(len(some) * row / polledBytes); row == 0 {
			continue
		}
		src := unsafe.Add(a.In[2].Ptr, first*row)
		switch row {
		case 1:
			putRows[uint8](out, src, some, 1)
		case 2:
			putRows[uint16](out, src, some, 1)
		case 4:
			putRows[uint32](out, src, some, 1)
		case 8:
			putRows[uint64](out, src, some, 1)
		default:
			putRows[byte](out, src, some, row)
		}
	}
	return nil
}

// indicesAtOnce is how many indices are checked before their slices are put: they are in a cache then.
const indicesAtOnce = 1 << 11

// putRows puts rows of some elements over those of out that the indices name.
func putRows[T any](out []byte, src unsafe.Pointer, index []int64, inner int) {
	s := gather.Shape{Outer: 1, Size: len(out) / (inner * int(unsafe.Sizeof(*new(T)))), Inner: inner, Count: len(index)}
	gather.Put(s, unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(out))), s.Size*inner),
		unsafe.Slice((*T)(src), s.Count*inner), index)
}
