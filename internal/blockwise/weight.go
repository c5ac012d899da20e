package blockwise

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// Weight is a weight that a graph holds as two parameters.
type Weight struct {
	Levels *graph.Node // the integers, Int8
	Scales *graph.Node // of the dtype of the weight; its last axis counts the blocks
	Block  int         // elements of a block, which divide the last axis
	init   graph.Initializer
}

// ScaleSuffix follows the name of a weight in that of its scales, as in Hugging Face's format compressed-tensors.
const ScaleSuffix = "_scale"

// NotTrained says what to do where such a weight should be trained.
const NotTrained = "weights of 8 bits are not trained; train other parameters, such as those of an adapter beside the layer, or declare the layer without nn.Int8Weights"

// Declare declares a weight of a shape that is computed with in a dtype. It begins with the numbers of init, which may
// be nil for zeros. Both parameters are state: no optimiser trains them.
func Declare(g *graph.Graph, name string, t graph.DType, init graph.Initializer, block int,
	shape ...graph.Dim) *Weight {
	w := &Weight{Block: block, init: init}
	w.Levels = g.State(name, graph.Int8, first{w, t, false}, shape...)
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
	if f.ofScales {
		shape[len(shape)-1] *= f.of.Block
	}
	count := 1
	for _, n := range shape {
		count *= n
	}
	values := f.dtype.MakeSlice(count)
	f.of.init.Fill(values, shape, seed)
	levels, scales, _ := Quantize(values, f.of.Block)
	if f.ofScales {
		for i := range count / f.of.Block {
			v, _ := graph.NumberAt(scales, i)
			graph.SetNumberAt(dst, i, v, 0)
		}
		return
	}
	copy(dst.([]int8), levels)
}

// String implements graph.Initializer.
func (f first) String() string {
	what := "zeros"
	if f.of.init != nil {
		what = f.of.init.String()
	}
	return fmt.Sprintf("int8(%s,%d)", what, f.of.Block)
}

// SeedOf implements graph.SeedSharer.
func (f first) SeedOf() string { return f.of.Levels.Name() }
