package nn

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Embedding is a table with a row for each index.
type Embedding struct {
	declared
	Weighted // [rows, width]
	padding  []int
}

// NewEmbedding declares a table with the parameter name.weight, [rows, width], like PyTorch's Embedding. Its initial
// values are standard normal. Options are [WeightInit], [PaddingIndex], [WeightNorm], [SpectralNorm], [Int8Weights],
// [Int4Weights], [Uint8Weights], [Uint4Weights] and [DType].
func NewEmbedding[Rows, Width Size](g *graph.Graph, name string, rows Rows, width Width, opts ...Option) *Embedding {
	l := &Embedding{}
	has := "WeightInit PaddingIndex WeightNorm SpectralNorm Int8Weights Int4Weights Uint8Weights Uint4Weights DType"
	l.declared = declare(g, "Embedding", name, opts, has,
		func(s *settings) {
			l.padding = s.padding
			l.Weighted = table(g, s, graph.Dim(rows), graph.Dim(width))
		})
	return l
}

// table declares the weight of an embedding.
func table(g *graph.Graph, s *settings, rows, width graph.Dim) Weighted {
	rows, width = s.size("rows", rows), s.size("width", width)
	s.weight = or(s.weight, Normal(1))
	for _, row := range s.padding {
		s.weight = zeroRow{s.weight, row}
	}
	return s.newWeight(g, nil, 0, rows, width)
}

// Apply takes indices of any shape, Int64, and returns their rows: [..., width].
func (l *Embedding) Apply(p *Pass, index *graph.Node) *graph.Node {
	args := []argument{{"index", index, "*batch"}}
	return l.apply(p, args, namedSizes(l.shape(), "rows", "width"), "*batch width", func(x []*graph.Node) *graph.Node {
		return l.rowsAt(p, x[0], l.padding)
	})
}

// EmbeddingBag is a table in which the rows of several indices are reduced to one.
type EmbeddingBag struct {
	declared
	Weighted // [rows, width]
	by       ops.Reduction
	padding  []int
}

// NewEmbeddingBag declares a table with the parameter name.weight, [rows, width], like PyTorch's EmbeddingBag. Its
// initial values are standard normal. Options are [BagReduction], [WeightInit], [PaddingIndex], [WeightNorm],
// [SpectralNorm] and [DType].
func NewEmbeddingBag[Rows, Width Size](g *graph.Graph, name string, rows Rows, width Width,
	opts ...Option) *EmbeddingBag {
	l := &EmbeddingBag{}
	l.declared = declare(g, "EmbeddingBag", name, opts,
		"BagReduction WeightInit PaddingIndex WeightNorm SpectralNorm DType", func(s *settings) {
			l.by, l.padding = s.bag, s.padding
			if l.by == 0 {
				l.by = ops.ReduceMean
			}
			l.Weighted = table(g, s, graph.Dim(rows), graph.Dim(width))
		})
	return l
}

// Apply takes indices, Int64 or Int32, [bags, n] or a vector with ops.Offsets, and returns [bags, width]. Other
// options are those of [ops.EmbeddingBag].
func (l *EmbeddingBag) Apply(p *Pass, index *graph.Node, opts ...ops.EmbeddingBagOption) *graph.Node {
	args := []argument{{"index", index, "*batch"}}
	return l.apply(p, args, namedSizes(l.shape(), "rows", "width"), "bags width", func(x []*graph.Node) *graph.Node {
		for _, row := range l.padding {
			opts = append(opts[:len(opts):len(opts)], ops.PaddingIndex(row))
		}
		return ops.EmbeddingBag(x[0], l.WeightIn(p), l.by, opts...)
	})
}

// zeroRow is an initialiser that leaves a row at zero; a negative one counts from the end.
type zeroRow struct {
	graph.Initializer
	row int
}

// Fill implements graph.Initializer.
func (z zeroRow) Fill(dst any, shape []int, seed uint64) {
	z.Initializer.Fill(dst, shape, seed)
	row := z.row
	if row < 0 {
		row += shape[0]
	}
	if row < 0 || row >= shape[0] {
		return // the operation refuses such a row
	}
	for i := row * shape[1]; i < (row+1)*shape[1]; i++ {
		graph.SetNumberAt(dst, i, 0, 0)
	}
}

// Positions is a learned row for each position of a sequence.
type Positions struct {
	declared
	Weight *graph.Node // [longest, width]
}

// NewPositions declares learned positions with the parameter name.weight, [longest, width]. Its initial values are
// normal with standard deviation 0.02. Options are [WeightInit] and [DType].
func NewPositions[Longest, Width Size](g *graph.Graph, name string, longest Longest, width Width,
	opts ...Option) *Positions {
	l := &Positions{}
	l.declared = declare(g, "Positions", name, opts, "WeightInit DType", func(s *settings) {
		l.Weight = g.ParamInit("weight", s.dtype, or(s.weight, Normal(0.02)), s.size("longest", graph.Dim(longest)),
			s.size("width", graph.Dim(width)))
	})
	return l
}

// Apply takes x, [..., t, width], and returns it plus the first t rows.
func (l *Positions) Apply(p *Pass, x *graph.Node) *graph.Node {
	return l.apply(p, argumentOf(x, "*batch t width"), sizesOf(l.Weight, "longest", "width"), "*batch t width",
		func(v []*graph.Node) *graph.Node {
			x := v[0]
			if x.Rank() < 2 {
				return x // the contract refuses it
			}
			return ops.Add(x, ops.Narrow(l.Weight, 0, 0, x.Shape()[x.Rank()-2]))
		})
}

// SinusoidalPositions adds sines and cosines of the position to x, [..., t, width]: at position i,
// sin(i/10000^(2k/width)) at 2k and the cosine at 2k+1. Source: Vaswani and others, Attention Is All You Need, 2017,
// section 3.5.
func SinusoidalPositions() Layer {
	return Func(func(x *graph.Node) *graph.Node {
		defer graph.BeginCall("SinusoidalPositions", nil, x)()
		switch {
		case x == nil || !x.Judged():
			return ops.Sin(x) // its own mistake
		case x.Rank() < 2 || !x.DType().IsFloat():
			return unbuilt("SinusoidalPositions", "it needs floating-point numbers [..., t, width]", x)
		}
		of := x.DType()
		x = ops.Cast(x, of.Computed()) // values of 16 bits would round angles to those of other positions
		g, t, width := x.Graph(), x.Shape()[x.Rank()-2], x.Shape()[x.Rank()-1]
		column := ops.Iota(g, 0, width)
		even := ops.Sub(column, ops.Remainder(column, graph.Num(2)))
		rate := ops.Exp(ops.Div(ops.Mul(ops.Cast(even, x.DType()), graph.Num(-math.Log(10000))),
			ops.Size(g, x.DType(), width)))
		angle := ops.Mul(ops.Unsqueeze(ops.Cast(ops.Iota(g, 0, t), x.DType()), 1), rate)
		return ops.Cast(ops.Add(x, ops.Where(ops.Equal(column, even), ops.Sin(angle), ops.Cos(angle))), of)
	})
}
