package ops_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// indicesOf puts nil where a word such as "i-j" has no letter.
func indicesOf(word string, index []node) (list []node) {
	for _, letter := range word {
		if letter == '-' {
			list = append(list, nil)
		} else {
			list, index = append(list, index[0]), index[1:]
		}
	}
	return list
}

// indexCalls build the functions of testdata/index.json.
var indexCalls = map[string]func(t *testing.T, c choiceCase, in []node) []node{
	"GatherND": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.GatherND(in[0], in[1], c.axis(t))}
	},
	"ScatterND": func(t *testing.T, c choiceCase, in []node) []node {
		if c.words()[0] == "Set" {
			return []node{ops.ScatterND(in[0], in[1], in[2])}
		}
		return []node{ops.ScatterNDReduce(in[0], in[1], in[2], reductionOf[c.words()[0]])}
	},
	"EmbeddingBag": func(_ *testing.T, c choiceCase, in []node) []node {
		words := c.words() // such as "Mean offsets last weights padding"
		var opts []ops.EmbeddingBagOption
		table, rest := in[0], in[2:]
		for _, word := range words[1:] {
			switch word {
			case "offsets":
				opts, rest = append(opts, ops.Offsets(rest[0])), rest[1:]
			case "last":
				opts = append(opts, ops.IncludeLastOffset())
			case "weights":
				opts, rest = append(opts, ops.PerSampleWeights(rest[0])), rest[1:]
			case "padding":
				opts = append(opts, ops.PaddingIndex(-4))
			}
		}
		return []node{ops.EmbeddingBag(in[1], table, reductionOf[words[0]], opts...)}
	},
	"MaskedScatter": func(_ *testing.T, _ choiceCase, in []node) []node {
		return []node{ops.MaskedScatter(in[0], ops.Cast(in[1], graph.Bool), in[2])}
	},
	"MaskedSelect": func(_ *testing.T, c choiceCase, in []node) []node {
		return two(ops.MaskedSelect(in[0], ops.Cast(in[1], graph.Bool), graph.Dim(c.Out[0].Shape[0]), graph.Num(-9)))
	},
	"Nonzero": func(_ *testing.T, c choiceCase, in []node) []node {
		return two(ops.Nonzero(in[0], graph.Dim(c.Out[0].Shape[0]), graph.Num(-9)))
	},
	"Index": func(_ *testing.T, c choiceCase, in []node) []node {
		return []node{ops.Index(in[0], indicesOf(c.words()[0], in[1:])...)}
	},
	"IndexPut": func(_ *testing.T, c choiceCase, in []node) []node {
		index := indicesOf(c.words()[1], in[2:])
		if c.words()[0] == "added" {
			return []node{ops.IndexPut(in[0], index, in[1], ops.Accumulate())}
		}
		return []node{ops.IndexPutInPlace(ops.Copy(in[0]), index, in[1])}
	},
}

// TestIndexAsPyTorch compares values and gradients with PyTorch's, at repeated, negative and no indices.
func TestIndexAsPyTorch(t *testing.T) { runCases(t, "index", indexCalls) }

// TestIndexMessages: what is refused, and what stops a run, speaks of the call as it was written.
func TestIndexMessages(t *testing.T) {
	g := graph.New("index")
	x, i := g.Input("x", graph.Float64, g.Dim("n"), 3, 2), g.Input("i", graph.Int64, 4)
	for want, y := range map[string]node{
		"Index(x, nil, i, i, i)":                                  ops.Index(x, nil, i, i, i),
		"IndexPut(x, []*graph.Node{i}, i)":                        ops.IndexPut(x, []node{i}, i),
		"IndexPut(x, []*graph.Node{nil, i}, x, ops.Accumulate())": ops.IndexPut(x, []node{nil, i}, x, ops.Accumulate()),
		"IndexPutInPlace(x, []*graph.Node{i}, 3)":                 ops.IndexPutInPlace(x, []node{i}, graph.Num(3)),
		"GatherND(x, i, 1)":                                       ops.GatherND(x, i, 1),
		"EmbeddingBag(i, x, ops.ReduceSum, ops.Offsets(i), ops.PerSampleWeights(x), ops.PaddingIndex(3), ops.IncludeLastOffset())": ops.EmbeddingBag(
			i, x, ops.ReduceSum, ops.PaddingIndex(3), ops.PerSampleWeights(x), ops.Offsets(i), ops.IncludeLastOffset()),
		"ScatterNDReduce": ops.ScatterNDReduce(x, i, x, 9),
		"ScatterNDReduce(x, i, x, ops.ReduceMax, ops.ExcludeSelf()): the last axis of the indices has 4 elements": ops.ScatterNDReduce(
			x, i, x, ops.ReduceMax, ops.ExcludeSelf()),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "index_test.go")
	}
	for want, build := range map[string]func(x, i node) node{
		"index is out of bounds: i[1] is -4, not in -3..2": func(x, i node) node { return ops.Index(x, nil, i) },
		"index is out of bounds: i[0] is 2, not in -2..1": func(x, i node) node {
			return ops.GatherND(x, ops.Unsqueeze(i, 1), 0)
		},
		"MaskedScatter(x, Less(x, 1), Select(x, 0, 0)): Number of elements of source < number of ones in mask": func(x,
			_ node) node {
			return ops.MaskedScatter(x, ops.Less(x, graph.Num(1)), ops.Select(x, 0, 0))
		},
		"offsets[0] has to be 0": func(x, i node) node {
			return ops.EmbeddingBag(ops.Arange(x.Graph(), graph.Int64, 0, 2, 1), x, ops.ReduceMax, ops.Offsets(i))
		},
		"the mask is true for more elements than the given size, 5: found 6": func(x, _ node) node {
			_, count := ops.MaskedSelect(x, ops.Less(x, graph.Num(1)), 5, graph.Num(0))
			return count
		},
	} {
		g := graph.New("outside")
		x, i := g.Input("x", graph.Float64, g.Dim("n"), 3), g.Input("i", graph.Int32, g.Dim("k"))
		prog, err := exec.Compile(g, exec.Outputs(build(x, i)))
		require.NoError(t, err)
		_, err = prog.NewSession().Run(context.Background(),
			exec.Feed{x: exec.Array{Shape: []int{2, 3}, Data: make([]float64, 6)}, i: []int32{2, -4}})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "index_test.go")
	}
}

// Offsets that do not fit the indices are reported by their own name.
func TestOffsetsOutside(t *testing.T) {
	for want, offsets := range map[string][]int64{
		"offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0: o[0] is 1": {
			1, 2},
		"offsets must not decrease: o[2] is 2":                       {0, 3, 2},
		"an offset must not exceed the number of indices: o[1] is 5": {0, 5, 7},
	} {
		g := graph.New("bags")
		i, o := g.Input("i", graph.Int64, g.Dim("n")), g.Input("o", graph.Int64, g.Dim("bags"))
		p, err := exec.Compile(
			g, exec.Outputs(ops.EmbeddingBag(i, g.Param("w", graph.Float32, 9, 2), ops.ReduceSum, ops.Offsets(o))))
		require.NoError(t, err)
		s := p.NewSession()
		_, err = s.Run(t.Context(), exec.Feed{i: []int64{0, 1, 2, 3}, o: offsets})
		require.ErrorContains(t, err, want)
		_, err = s.Run(t.Context(), exec.Feed{i: []int64{0, 1, 2, 3}, o: []int64{0, 4, 4}})
		require.NoError(t, err)
	}
}
