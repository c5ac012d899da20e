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

// indexCalls are the calls of functions that take indices: of rows of a table, or of classes of x.
var indexCalls = map[string]func(g *graph.Graph, table, x, index *graph.Node) *graph.Node{
	"Take": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.Take(table, 0, index)
	},
	"Take of more axes": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.Take(table, 0, columnIndex(index))
	},
	"IndexSelect": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.IndexSelect(table, 0, index)
	},
	"Gather": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.Gather(table, 0, columnIndex(index))
	},
	"Gather of rows": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		row := ops.Reshape(ops.Slice(table, 1, 0, 1, 1), 1, 10)
		return ops.Gather(ops.LogSoftmax(ops.Expand(row, x.Shape()[0], 10), 1), 1, columnIndex(index))
	},
	"Gather of long rows": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		row := ops.Cast(ops.Iota(g, 1, 1, 70), graph.Float32)
		return ops.Gather(ops.LogSoftmax(ops.Expand(row, x.Shape()[0], 70), 1), 1, columnIndex(index))
	},
	"TakeAlongAxis": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.TakeAlongAxis(table, 0, columnIndex(index))
	},
	"TakeAlongAxis of equal shapes": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.TakeAlongAxis(table, 0, wideIndex(index))
	},
	"Index": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.Index(table, index)
	},
	"Index of axes": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.Index(table, index, ops.Zeros(g, graph.Int64, 1))
	},
	"IndexGet": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.IndexGet(table, []*graph.Node{index})
	},
	"GatherND": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.GatherND(table, columnIndex(index), 0)
	},
	"TakeFlat": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.TakeFlat(table, index)
	},
	"PutFlat": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.PutFlat(table, index, ops.Select(x, 1, 0))
	},
	"Embedding": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.Embedding(index, table)
	},
	"Embedding with padding": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.Embedding(index, table, 0)
	},
	"SegmentSum": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.SegmentSum(x, 0, index, 10)
	},
	"SegmentProd": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.SegmentProd(x, 0, index, 10)
	},
	"SegmentMax": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.SegmentMax(x, 0, index, 10)
	},
	"SegmentMean": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.SegmentMean(x, 0, index, 10)
	},
	"SegmentSoftmax": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.SegmentSoftmax(x, 0, index, 10)
	},
	"Scatter": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.Scatter(table, 0, wideIndex(index), x)
	},
	"ScatterAdd": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.ScatterAdd(table, 0, wideIndex(index), x)
	},
	"ScatterReduce": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.ScatterReduce(table, 0, wideIndex(index), x, ops.ReduceMax)
	},
	"IndexAdd": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.IndexAdd(table, 0, index, x)
	},
	"IndexCopy": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.IndexCopy(table, 0, index, x)
	},
	"IndexFill": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.IndexFill(table, 0, index, graph.Num(0))
	},
	"IndexReduce by product": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.IndexReduce(table, 0, index, x, ops.ReduceProd)
	},
	"IndexReduce by mean": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.IndexReduce(table, 0, index, x, ops.ReduceMean)
	},
	"IndexReduce without self": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.IndexReduce(table, 0, index, x, ops.ReduceMin, ops.ExcludeSelf())
	},
	"IndexPut": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.IndexPut(table, []*graph.Node{index}, x)
	},
	"IndexPut added": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.IndexPut(table, []*graph.Node{index}, x, ops.Accumulate())
	},
	"IndexPutInPlace": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.IndexPutInPlace(ops.Copy(table), []*graph.Node{index}, x)
	},
	"ScatterND": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.ScatterND(table, columnIndex(index), x)
	},
	"ScatterNDReduce": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.ScatterNDReduce(table, columnIndex(index), x, ops.ReduceSum)
	},
	"EmbeddingBag": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.EmbeddingBag(columnIndex(index), table, ops.ReduceSum)
	},
	"EmbeddingBag of means": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.EmbeddingBag(columnIndex(index), table, ops.ReduceMean)
	},
	"EmbeddingBag of maxima": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.EmbeddingBag(columnIndex(index), table, ops.ReduceMax, ops.PaddingIndex(0))
	},
	"nn.Embedding": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return nn.NewEmbedding(g, "e", 10, 4).Apply(nn.Evaluation(g), index)
	},
	"nn.EmbeddingBag": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return nn.NewEmbeddingBag(g, "e", 10, 4).Apply(nn.Evaluation(g), columnIndex(index))
	},
	"CrossEntropy": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.CrossEntropy(x, index)
	},
	"NLL": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.NLL(ops.LogSoftmax(x, 1), index)
	},
	"MultiMargin": func(g *graph.Graph, table, x, index *graph.Node) *graph.Node {
		return ops.MultiMargin(x, index, 1, 1)
	},
}

func columnIndex(index *graph.Node) *graph.Node { return ops.Unsqueeze(index, 1) }

// wideIndex has an index for each element of x.
func wideIndex(index *graph.Node) *graph.Node {
	return ops.Expand(columnIndex(index), index.Shape()[0], 4)
}

// TestIndicesOutOfRangeAreCalledByTheirNames wants an error of an index to name the value that the user gave, whatever
// dtype it had before it was converted, and whatever computes the result.
func TestIndicesOutOfRangeAreCalledByTheirNames(t *testing.T) {
	for name, call := range indexCalls {
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
			require.Regexp(t, `(: |Unsqueeze\(|Expand\(Unsqueeze\()`+called+`(, 1\))?(, n, 4\))?\[1`, fmt.Sprint(err),
				"%s of %s", name, dtype)
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
