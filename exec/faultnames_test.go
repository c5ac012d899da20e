package exec_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// TestIndicesOutOfRangeAreCalledByTheirNames wants an error of an index to name the value that the user gave, whatever
// dtype it had before it was converted, and whatever computes the result.
func TestIndicesOutOfRangeAreCalledByTheirNames(t *testing.T) {
	column := func(index *graph.Node) *graph.Node { return ops.Unsqueeze(index, 1) }
	calls := map[string]func(g *graph.Graph, table, x, index *graph.Node) *graph.Node{
		"Take": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node { return ops.Take(table, 0, index) },
		"Gather": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
			return ops.Gather(table, 0, column(index))
		},
		"Index": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node { return ops.Index(table, index) },
		"TakeFlat": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
			return ops.TakeFlat(table, index)
		},
		"SegmentSum": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
			return ops.SegmentSum(x, 0, index, 10)
		},
		"IndexAdd": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
			return ops.IndexAdd(table, 0, index, x)
		},
		"IndexCopy": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
			return ops.IndexCopy(table, 0, index, x)
		},
		"IndexPut": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
			return ops.IndexPut(table, []*graph.Node{index}, x)
		},
		"IndexFill": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
			return ops.IndexFill(table, 0, index, graph.Num(0))
		},
		"EmbeddingBag": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
			return ops.EmbeddingBag(column(index), table, ops.ReduceSum)
		},
		"nn.Embedding": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
			return nn.NewEmbedding(g, "e", 10, 4).Apply(nn.Evaluation(g), index)
		},
		"nn.EmbeddingBag": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
			return nn.NewEmbeddingBag(g, "e", 10, 4).Apply(nn.Evaluation(g), column(index))
		},
		"CrossEntropy": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
			return ops.CrossEntropy(x, index)
		},
	}
	for name, call := range calls {
		for _, dtype := range []graph.DType{graph.Int64, graph.Int32, graph.Uint8, graph.Float32} {
			g := graph.New("names")
			given := g.Input("given", dtype, g.Dim("n"))
			words := ops.Cast(given, graph.Int64)
			table, x := g.Param("table", graph.Float32, 10, 4), g.Input("x", graph.Float32, g.Dim("n"), 4)
			prog, err := exec.Compile(g, exec.Outputs(call(g, table, x, words)), exec.OnWarning(nil))
			require.NoError(t, err, name)
			feed := exec.Feed{x: make([]float32, 8), given: exec.Array{Shape: []int{2}, Data: numbersAs(dtype, 1, 77)}}
			_, err = prog.NewSession().Run(t.Context(), feed)
			called := "words"
			if dtype == graph.Int64 { // nothing is converted
				called = "given"
			}
			require.Regexp(t, "(: |Unsqueeze\\()"+called+"(, 1\\))?\\[1", fmt.Sprint(err), "%s of %s", name, dtype)
			require.ErrorContains(t, err, "is 77, not in ", "%s of %s", name, dtype)
		}
	}
}

// numbersAs are numbers of a dtype.
func numbersAs(t graph.DType, numbers ...int64) any {
	switch t {
	case graph.Int32:
		return castTo[int32](numbers)
	case graph.Uint8:
		return castTo[uint8](numbers)
	case graph.Float32:
		return castTo[float32](numbers)
	}
	return numbers
}

func castTo[T int32 | uint8 | float32](numbers []int64) (list []T) {
	for _, n := range numbers {
		list = append(list, T(n))
	}
	return list
}
