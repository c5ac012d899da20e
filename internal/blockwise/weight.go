package blockwise

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// Weight is a weight that a graph holds as two parameters.
type Weight struct {
	Levels *graph.Node // the integers, Int8; of 4 bits Uint8, with two along the last axis in each byte
	Scales *graph.Node // of the dtype of the weight; its last axis counts the blocks
	Block  int         // elements of a block, which divide the last axis
	Bits   int         // of an integer: 8 or 4
	shape  graph.Shape
	init   graph.Initializer
}

// ScaleSuffix follows the name of a weight in that of its scales, as in Hugging Face's format compressed-tensors.
const ScaleSuffix = "_scale"

// notTrained says what to do where such a weight should be trained: its bits and its option are missing.
const notTrained = "weights of %d bits are not trained; train other parameters, such as those of an adapter beside the layer, or declare the layer without %s"

// Option is the option of layers that holds weights so.
func (w *Weight) Option() string { return fmt.Sprintf("nn.Int%dWeights", w.Bits) }

// NotTrained says what to do where the weight should be trained.
func (w *Weight) NotTrained() string { return fmt.Sprintf(notTrained, w.Bits, w.Option()) }

// Shape is that of the weight's elements.
func (w *Weight) Shape() graph.Shape { return w.shape }

// KnownShape is Shape where all sizes are known.
func (w *Weight) KnownShape() (shape []int, known bool) {
	if shape, known = w.Levels.KnownShape(); known && w.Bits == 4 {
		shape = append([]int{}, shape...)
		shape[len(shape)-1] *= 2
	}
	return shape, known
}

// Declare declares a weight of a shape that is computed with in a dtype and held in so many bits. It begins with the
// numbers of init, which may be nil for zeros. Both parameters are state: no optimiser trains them. With 4 bits, the
// last axis must be even.
func Declare(g *graph.Graph, name string, t graph.DType, init graph.Initializer, bits, block int,
	shape ...graph.Dim) *Weight {
	w := &Weight{Block: block, Bits: bits, shape: shape, init: init}
	if bits == 8 {
		w.Levels = g.State(name, graph.Int8, first{w, t, false}, shape...)
	} else {
		pairs := append(graph.Shape{}, shape...)
		pairs[len(shape)-1] = shape[len(shape)-1].FloorDiv(2)
		w.Levels = g.State(name, graph.Uint8, first{w, t, false}, pairs...)
	}
	blocks := append(graph.Shape{}, shape...)
	last := len(shape) - 1
	blocks[last] = shape[last].Plus(graph.Dim(block - 1)).FloorDiv(int64(block))
	w.Scales = g.State(name+ScaleSuffix, t, first{w, t, true}, blocks...)
	return w
}

// Of returns the weight of which a node is one of the parameters; nil if there is none.
func Of(n *graph.Node) *Weight {
	if n == nil || !n.IsParam() {
		return nil
	}
	a, _ := n.Attrs().(graph.ParamAttrs)
	f, _ := a.Init.(first)
	return f.of
}

// first are the first values of a weight's integers or of its scales, which both follow from the same numbers.
type first struct {
	of       *Weight
	dtype    graph.DType
	ofScales bool
}

// Fill implements graph.Initializer.
func (f first) Fill(dst any, shape []int, seed uint64) {
	if f.of.init == nil {
		return
	}
	shape = append([]int{}, shape...)
	switch {
	case f.ofScales:
		shape[len(shape)-1] *= f.of.Block
	case f.of.Bits == 4:
		shape[len(shape)-1] *= 2
	}
	count := 1
	for _, n := range shape {
		count *= n
	}
	values := f.dtype.MakeSlice(count)
	f.of.init.Fill(values, shape, seed)
	levels, scales, _ := Quantize(values, f.of.Block, f.of.Bits)
	if f.ofScales {
		for i := range count / f.of.Block {
			v, _ := graph.NumberAt(scales, i)
			graph.SetNumberAt(dst, i, v, 0)
		}
		return
	}
	switch dst := dst.(type) {
	case []int8:
		copy(dst, levels)
	case []uint8:
		copy(dst, Pack(levels))
	}
}

// String implements graph.Initializer.
func (f first) String() string {
	what := "zeros"
	if f.of.init != nil {
		what = f.of.init.String()
	}
	return fmt.Sprintf("int%d(%s,%d)", f.of.Bits, what, f.of.Block)
}

// SeedOf implements graph.SeedSharer.
func (f first) SeedOf() string { return f.of.Levels.Name() }
