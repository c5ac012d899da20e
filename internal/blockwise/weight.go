package blockwise

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// Format is how the elements of a weight are held.
type Format struct {
	Bits      int  // of an integer: 8 or 4
	Block     int  // elements of a block, which divide the last axis
	HasMinima bool // and integers without signs
}

// Weight is a weight that a graph holds as several parameters.
type Weight struct {
	Format
	Levels *graph.Node // the integers, Int8 or Uint8; of 4 bits Uint8, with two along the last axis in each byte
	Scales *graph.Node // of the dtype of the weight; its last axis counts the blocks
	Minima *graph.Node // like Scales; nil without minima
	shape  graph.Shape
	init   graph.Initializer
}

// ScaleSuffix follows the name of a weight in that of its scales, as in Hugging Face's format compressed-tensors, and
// MinimumSuffix in that of its minima.
const (
	ScaleSuffix   = "_scale"
	MinimumSuffix = "_min"
)

// notTrained says what to do where such a weight should be trained: its bits and its option are missing.
const notTrained = "weights of %d bits are not trained; train other parameters, such as those of an adapter beside the layer, or declare the layer without %s"

// Option is the option of layers that hold weights so.
func (f Format) Option() string { return "nn." + f.Name() }

// Name is Option within package nn.
func (f Format) Name() string {
	if f.HasMinima {
		return fmt.Sprintf("Uint%dWeights", f.Bits)
	}
	return fmt.Sprintf("Int%dWeights", f.Bits)
}

// Describe says how weights are held.
func (f Format) Describe() string {
	each := "a scale"
	if f.HasMinima {
		each = "a scale and a minimum"
	}
	return fmt.Sprintf("in %d bits with %s for each %d", f.Bits, each, f.Block)
}

// NotTrained says what to do where such a weight should be trained.
func (f Format) NotTrained() string { return fmt.Sprintf(notTrained, f.Bits, f.Option()) }

// dtype is that of the parameter with the integers.
func (f Format) dtype() graph.DType {
	if f.Bits == 8 && !f.HasMinima {
		return graph.Int8
	}
	return graph.Uint8
}

// Params are the parameters that hold the weight, the integers first.
func (w *Weight) Params() []*graph.Node {
	if w.HasMinima {
		return []*graph.Node{w.Levels, w.Scales, w.Minima}
	}
	return []*graph.Node{w.Levels, w.Scales}
}

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

// Declare declares a weight of a shape that is computed with in a dtype and held in a format. It begins with the
// numbers of init, which may be nil for zeros. All its parameters are state: no optimiser trains them. With 4 bits, the
// last axis must be even.
func Declare(g *graph.Graph, name string, t graph.DType, init graph.Initializer, f Format,
	shape ...graph.Dim) *Weight {
	w := &Weight{Format: f, shape: shape, init: init}
	last := len(shape) - 1
	integers, blocks := append(graph.Shape{}, shape...), append(graph.Shape{}, shape...)
	if f.Bits == 4 {
		integers[last] = shape[last].FloorDiv(2)
	}
	blocks[last] = shape[last].Plus(graph.Dim(f.Block - 1)).FloorDiv(int64(f.Block))
	w.Levels = g.State(name, f.dtype(), first{w, t, 0}, integers...)
	w.Scales = g.State(name+ScaleSuffix, t, first{w, t, 1}, blocks...)
	if f.HasMinima {
		w.Minima = g.State(name+MinimumSuffix, t, first{w, t, 2}, blocks...)
	}
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

// first are the first values of one of a weight's parameters, counted as [Weight.Params] does. All follow from the same
// numbers.
type first struct {
	of    *Weight
	dtype graph.DType
	part  int
}

// Fill implements graph.Initializer.
func (f first) Fill(dst any, shape []int, seed uint64) {
	if f.of.init == nil {
		return
	}
	shape = append([]int{}, shape...)
	switch {
	case f.part > 0:
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
	held, err := f.of.Quantize(values)
	if err != nil {
		return // they stay zeros
	}
	switch dst := dst.(type) {
	case []int8:
		copy(dst, held[0].([]int8))
	case []uint8:
		copy(dst, held[0].([]uint8))
	default:
		for i := range count / f.of.Block {
			v, _ := graph.NumberAt(held[f.part], i)
			graph.SetNumberAt(dst, i, v, 0)
		}
	}
}

// String implements graph.Initializer.
func (f first) String() string {
	what, sign := "zeros", ""
	if f.of.init != nil {
		what = f.of.init.String()
	}
	if f.of.HasMinima {
		sign = "u"
	}
	return fmt.Sprintf("%sint%d(%s,%d)", sign, f.of.Bits, what, f.of.Block)
}

// SeedOf implements graph.SeedSharer.
func (f first) SeedOf() string { return f.of.Levels.Name() }
