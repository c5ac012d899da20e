package nn

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/blockwise"
	"github.com/broadloom/broadloom/ops"
)

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
// have a scale alone, such as Q8_0, Q6_K and Q4_0, are loaded exactly if their blocks are made of these.
//
// The weights are not trained: optimisers pass over them, and a gradient with respect to them is an error. Gradients
// with respect to a layer's input, its bias and other parameters are as ever, so adapters beside such layers can be
// trained.
func Int8Weights(block int) Option {
	return Option{"Int8Weights", func(s *settings) { s.int8Block = &block }}
}

// wrongBlock says what is wrong with the block for a weight of a name and a shape, or "".
func (s *settings) wrongBlock(g *graph.Graph, name string, shape []graph.Dim) string {
	block, last := *s.int8Block, shape[len(shape)-1]
	if len(s.given) > 0 {
		return fmt.Sprintf("a weight of Int8Weights is not trained: leave %s or Int8Weights out", s.given[0].option)
	}
	if block < 1 {
		return fmt.Sprintf("a block of Int8Weights must have at least 1 element, but has %d", block)
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
	if inputs%block == 0 {
		return ""
	}
	return fmt.Sprintf(
		"blocks of %d do not divide the %d elements of a row of %s: use Int8Weights(%d), or leave it out",
		block, inputs, weight, largestDivisor(inputs, block))
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

// newInt8Weight declares a weight of [Int8Weights].
func (s *settings) newInt8Weight(g *graph.Graph, name string, init graph.Initializer, shape []graph.Dim) Weighted {
	held := blockwise.Declare(g, name, s.dtype, init, *s.int8Block, shape...)
	return Weighted{Weight: held.Levels, Scale: held.Scales, block: held.Block}
}

// dequantized returns the numbers of integers and scales, or of the same rows of both.
func (w *Weighted) dequantized(levels, scales *graph.Node) *graph.Node {
	return ops.DequantizeBlocks(levels, scales, nil, -1, w.block)
}

// heldInInt8 is the option [Int8Weights] for a layer within this one, if this one has it.
func (s *settings) heldInInt8() Option {
	if s.int8Block == nil {
		return Option{}
	}
	return Int8Weights(*s.int8Block)
}

// rowsOf returns some rows of a weight, from a row on.
type rowsOf = func(from, count graph.Dim) *graph.Node

// rowsIn returns what returns rows of [Weighted.WeightIn]. Of [Int8Weights] only these are dequantised.
func (w *Weighted) rowsIn(p *Pass) rowsOf {
	rows := func(of *graph.Node, from, count graph.Dim) *graph.Node {
		if count == of.Shape()[0] {
			return of
		}
		return ops.Narrow(of, 0, from, count)
	}
	if w.Scale != nil {
		return func(from, count graph.Dim) *graph.Node {
			return w.dequantized(rows(w.Weight, from, count), rows(w.Scale, from, count))
		}
	}
	all := w.WeightIn(p)
	return func(from, count graph.Dim) *graph.Node { return rows(all, from, count) }
}

// rowsAt returns the rows of [Weighted.WeightIn] at indices, like [ops.Embedding].
func (w *Weighted) rowsAt(p *Pass, index *graph.Node, padding []int) *graph.Node {
	if w.Scale != nil {
		return w.dequantized(ops.Take(w.Weight, 0, index), ops.Take(w.Scale, 0, index))
	}
	return ops.Embedding(index, w.WeightIn(p), padding...)
}
