package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/blockwise"
	"github.com/broadloom/broadloom/ops"
)

// holding returns an option that holds weights in a format.
func holding(f blockwise.Format) Option {
	return Option{f.Name(), func(s *settings) {
		if s.held != nil && *s.held != f {
			s.layer.refuse("a weight can have one of Int8Weights, Int4Weights, Uint8Weights and Uint4Weights, once")
		}
		s.held = &f
	}}
}

// Int8Weights holds the weights of a layer as integers of 8 bits, with a scale for each block of consecutive elements
// along the axis of inputs: an element is its integer times the scale of its block. Such a weight takes 1 byte and a
// share of the scale instead of 4, and is computed with in the layer's dtype, as its [ops.DequantizeBlocks]. A product
// of one row reads the integers in one kernel if a block has 16 elements or more. The block must divide the inputs.
//
// The parameters are name.weight, Int8, in the shape that it has without the option, and name.weight_scale. A file with
// these two is loaded as it is. Loaded from floating-point numbers, a scale is the largest magnitude of its block /
// 127, and integers are rounded half to even, which loses bits: package weights wants its AllowNarrowing. The scales of
// ggml's Q8_0, with a block of 32, and of LLM.int8() (Dettmers and others, LLM.int8(): 8-bit Matrix Multiplication for
// Transformers at Scale, 2022), with a block of all inputs, are the same. Quantised tensors of .gguf files whose blocks
// have a scale alone, such as Q8_0, Q6_K and Q4_0, are loaded exactly if their blocks are made of these; for those that
// have a minimum too, there is [Uint8Weights].
//
// The weights are not trained: optimisers pass over them, and a gradient with respect to them is an error. Gradients
// with respect to a layer's input, its bias and other parameters are as ever, so adapters beside such layers can be
// trained.
func Int8Weights(block int) Option {
	return holding(blockwise.Format{Bits: 8, Block: block})
}

// Int4Weights is [Int8Weights] with integers of 4 bits, from -8 to 7: half a byte and a share of the scale for each
// element. A product of one row reads them where they are if the block is a multiple of 32. The inputs must be even.
//
// The parameters are name.weight, Uint8, with half as many columns as without the option: each byte has two neighbours,
// the first in the lower half, as in [ops.PackInt4]; and name.weight_scale. Loaded from floating-point numbers, a scale
// is the element of the largest magnitude of its block / -8, as in ggml's Q4_0, and integers are rounded half to even.
// Tensors of .gguf files in Q4_0, Q3_K and TQ2_0 are loaded exactly if their blocks are made of these. Others are
// rounded, which package weights' AllowNarrowing allows; for Q4_1 and Q4_K, whose blocks have a minimum too, there is
// [Uint4Weights].
func Int4Weights(block int) Option { return holding(blockwise.Format{Bits: 4, Block: block}) }

// Uint8Weights is [Int8Weights] with a minimum for each block, and integers from 0 to 255: an element is its integer
// times the scale of its block, plus the minimum of that. It takes as much memory again for the minima as for the
// scales, and rounds blocks less whose numbers are not centred on 0.
//
// The parameters are name.weight, Uint8, name.weight_scale and name.weight_min. Loaded from floating-point numbers, the
// minimum is the least number of its block, and the scale is the distance from there to the largest one / 255. All
// quantised tensors of .gguf files whose formats [Int8Weights] and [Uint4Weights] load exactly are loaded exactly, and
// so are Q5_1 and Q5_K, if their blocks are made of these.
func Uint8Weights(block int) Option {
	return holding(blockwise.Format{Bits: 8, Block: block, HasMinima: true})
}

// Uint4Weights is [Uint8Weights] with integers of 4 bits, from 0 to 15: the scale is the distance from the least to the
// largest number of a block / 15, as in ggml's Q4_1. name.weight has half as many columns as without the option, as
// with [Int4Weights]. Tensors of .gguf files in Q4_K, Q4_1, Q4_0, Q3_K, Q2_K and TQ2_0 are loaded exactly if their
// blocks are made of these.
func Uint4Weights(block int) Option {
	return holding(blockwise.Format{Bits: 4, Block: block, HasMinima: true})
}

// wrongBlock says what is wrong with the block for a weight of a name and a shape, or "".
func (s *settings) wrongBlock(g *graph.Graph, name string, shape []graph.Dim) string {
	block, option, last := s.held.Block, s.held.Name(), shape[len(shape)-1]
	if len(s.given) > 0 {
		return fmt.Sprintf("a weight of %s is not trained: leave %s or %s out", option, s.given[0].option, option)
	}
	if block < 1 {
		return fmt.Sprintf("a block of %s must have at least 1 element, but has %d", option, block)
	}
	if last.IsUnknown() {
		return "" // a mistake that was told
	}
	inputs, weight := known(g, last), strings.TrimPrefix(s.layer.scope+graph.ScopeSeparator+name, graph.ScopeSeparator)
	if _, whole := last.ExactDiv(graph.Dim(block)); inputs%block == 0 && !whole {
		return fmt.Sprintf(
			"a row of %s has the named size %s, which is not known to be whole blocks of %d: write %d, or a name times %d",
			weight, last, block, inputs, block)
	}
	switch _, isEven := last.ExactDiv(2); {
	case inputs%block != 0:
		return fmt.Sprintf("blocks of %d do not divide the %d elements of a row of %s: use %s(%d), or leave it out",
			block, inputs, weight, option, largestDivisor(inputs, block))
	case s.held.Bits == 4 && !isEven:
		wider := blockwise.Format{Bits: 8, HasMinima: s.held.HasMinima}.Name()
		return fmt.Sprintf(
			"a row of %s has %s elements, which are not known to be even, and bytes have two integers of 4 bits: use %s(%d), or another size",
			weight, last, wider, block)
	}
	return ""
}

// largestDivisor returns the largest divisor of n that is at most a number, or 1 if it is far below that number.
func largestDivisor(n, most int) int {
	const tries = 1 << 12
	first := max((n-1)/most+1, 1)
	for quotient := first; quotient < first+tries && quotient <= n; quotient++ {
		if n%quotient == 0 {
			return n / quotient
		}
	}
	return 1
}

// newHeldWeight declares a weight of [Int8Weights] or another such option.
func (s *settings) newHeldWeight(g *graph.Graph, name string, init graph.Initializer, shape []graph.Dim) Weighted {
	held := blockwise.Declare(g, name, s.dtype, init, *s.held, shape...)
	return Weighted{Weight: held.Levels, Scale: held.Scales, Minimum: held.Minima, held: held}
}

// shape is that of the weight's elements.
func (w *Weighted) shape() graph.Shape {
	switch {
	case w.held != nil:
		return w.held.Shape()
	case w.Weight != nil:
		return w.Weight.Shape()
	}
	return nil
}

// dequantized returns the numbers of integers, scales and minima, or of the same rows of all of them: of what a
// function returns for each of these parameters.
func (w *Weighted) dequantized(of func(param *graph.Node) *graph.Node) *graph.Node {
	levels := of(w.Weight)
	switch {
	case w.held.Bits == 4 && w.held.HasMinima:
		levels = ops.UnpackUint4(levels)
	case w.held.Bits == 4:
		levels = ops.UnpackInt4(levels)
	}
	products := ops.DequantizeBlocks(levels, of(w.Scale), nil, -1, w.held.Block)
	if w.Minimum == nil {
		return products
	}
	minima, shape := ops.Unsqueeze(of(w.Minimum), -1), products.Shape()
	blocks := slices.Concat(minima.Shape()[:minima.Rank()-1], graph.Shape{graph.Dim(w.held.Block)})
	return ops.Reshape(ops.Add(ops.Reshape(products, blocks...), minima), shape...)
}

// heldAlike is the option [Int8Weights], or another such option, for a layer within this one, if this one has it.
func (s *settings) heldAlike() Option {
	if s.held == nil {
		return Option{}
	}
	return holding(*s.held)
}

// rowsOf returns some rows of a weight, from a row on.
type rowsOf = func(from, count graph.Dim) *graph.Node

// rowsIn returns what returns rows of [Weighted.WeightIn]. Of integers only these are dequantised.
func (w *Weighted) rowsIn(p *Pass) rowsOf {
	rows := func(of *graph.Node, from, count graph.Dim) *graph.Node {
		if count == of.Shape()[0] {
			return of
		}
		return ops.Narrow(of, 0, from, count)
	}
	if w.Scale != nil {
		return func(from, count graph.Dim) *graph.Node {
			return w.dequantized(func(param *graph.Node) *graph.Node { return rows(p.Value(param), from, count) })
		}
	}
	all := w.WeightIn(p)
	return func(from, count graph.Dim) *graph.Node { return rows(all, from, count) }
}

// rowsAt returns the rows of [Weighted.WeightIn] at indices, like [ops.Embedding].
func (w *Weighted) rowsAt(p *Pass, index *graph.Node, padding []int) *graph.Node {
	if w.Scale != nil {
		return w.dequantized(func(param *graph.Node) *graph.Node { return ops.Take(p.Value(param), 0, index) })
	}
	return ops.Embedding(index, w.WeightIn(p), padding...)
}
