package ops_test

import (
	"maps"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// readMode is the option that the last words of a case name.
func readMode(words []string) ops.GatherOption {
	switch last := words[len(words)-1]; last {
	case "clip":
		return ops.ClipOutside()
	case "wrap":
		return ops.WrapOutside()
	case "nan":
		return ops.FillOutside(graph.Num(math.NaN()))
	default:
		fill, _ := strconv.ParseFloat(last, 64)
		return ops.FillOutside(graph.Num(fill))
	}
}

func writeMode(words []string) ops.WriteOption {
	if words[len(words)-1] == "clip" {
		return ops.ClipOutside()
	}
	return ops.DropOutside()
}

type (
	readFunc    = func(x node, axis int, index node, opts ...ops.GatherOption) node
	writeFunc   = func(x node, axis int, index, src node, opts ...ops.WriteOption) node
	segmentFunc = func(x node, axis int, index node, size graph.Dim, opts ...ops.WriteOption) node
)

type caseCall = func(t *testing.T, c choiceCase, in []node) []node

// readCase is a case of a function that reads along an axis.
func readCase(f readFunc) caseCall {
	return func(t *testing.T, c choiceCase, in []node) []node {
		return []node{f(in[0], c.axis(t), in[1], readMode(c.words()))}
	}
}

// writeCase is a case of a function that writes along an axis.
func writeCase(f writeFunc) caseCall {
	return func(t *testing.T, c choiceCase, in []node) []node {
		return []node{f(in[0], c.axis(t), in[1], in[2], writeMode(c.words()))}
	}
}

// reduceCase is a case of a function that unites along an axis.
func reduceCase(f func(x node, axis int, index, src node, by ops.Reduction, opts ...ops.ScatterOption) node) caseCall {
	return func(t *testing.T, c choiceCase, in []node) []node {
		return []node{f(in[0], c.axis(t), in[1], in[2], reductionOf[c.words()[1]], writeMode(c.words()))}
	}
}

// segmentCase is a case of a function that unites into a new axis.
func segmentCase(f segmentFunc) caseCall {
	return func(t *testing.T, c choiceCase, in []node) []node {
		return []node{f(in[0], c.axis(t), in[1], 4, writeMode(c.words()))}
	}
}

// outsideCalls build the functions of testdata/outside.json.
var outsideCalls = map[string]caseCall{
	"Take": readCase(ops.Take), "IndexSelect": readCase(ops.IndexSelect), "Gather": readCase(ops.Gather),
	"TakeAlongAxis": readCase(ops.TakeAlongAxis), "Scatter": writeCase(ops.Scatter),
	"ScatterAdd": writeCase(ops.ScatterAdd), "IndexCopy": writeCase(ops.IndexCopy), "IndexAdd": writeCase(ops.IndexAdd),
	"ScatterReduce": reduceCase(ops.ScatterReduce), "IndexReduce": reduceCase(ops.IndexReduce),
	"SegmentSum": segmentCase(ops.SegmentSum), "SegmentProd": segmentCase(ops.SegmentProd),
	"SegmentMax": segmentCase(ops.SegmentMax), "SegmentMin": segmentCase(ops.SegmentMin),
	"TakeFlat": func(_ *testing.T, c choiceCase, in []node) []node {
		return []node{ops.TakeFlat(in[0], in[1], readMode(c.words()))}
	},
	"IndexGet": func(_ *testing.T, c choiceCase, in []node) []node {
		return []node{ops.IndexGet(in[0], indicesOf(c.words()[0], in[1:]), readMode(c.words()))}
	},
	"GatherND": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.GatherND(in[0], in[1], c.axis(t), readMode(c.words()))}
	},
	"IndexFill": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.IndexFill(in[0], c.axis(t), in[1], graph.Num(5), writeMode(c.words()))}
	},
	"IndexPut": func(_ *testing.T, c choiceCase, in []node) []node {
		opts := []ops.IndexPutOption{writeMode(c.words())}
		if c.words()[1] == "added" {
			opts = append(opts, ops.Accumulate())
		}
		last := len(in) - 1
		return []node{ops.IndexPut(in[0], indicesOf(c.words()[0], in[1:last]), in[last], opts...)}
	},
	"ScatterND": func(_ *testing.T, c choiceCase, in []node) []node {
		return []node{ops.ScatterND(in[0], in[1], in[2], writeMode(c.words()))}
	},
	"ScatterNDReduce": func(_ *testing.T, c choiceCase, in []node) []node {
		return []node{ops.ScatterNDReduce(in[0], in[1], in[2], reductionOf[c.words()[0]], writeMode(c.words()))}
	},
}

// TestIndicesOutsideAsJAX compares values and gradients with JAX's, of repeated and negative indices and of indices
// outside, in each mode.
func TestIndicesOutsideAsJAX(t *testing.T) { runCases(t, "outside", outsideCalls) }

// outsideForms are a read or a write of x by indices, with an option.
var outsideForms = map[string]func(x, i, src node) node{
	"Take":        func(x, i, _ node) node { return ops.Take(x, 0, i, ops.FillOutside(graph.Num(3))) },
	"IndexSelect": func(x, i, _ node) node { return ops.IndexSelect(x, -2, i, ops.FillOutside(graph.Num(3))) },
	"IndexGet":    func(x, i, _ node) node { return ops.IndexGet(x, []node{i}, ops.FillOutside(graph.Num(3))) },
	"GatherND":    func(x, i, _ node) node { return ops.GatherND(x, column(i), 0, ops.FillOutside(graph.Num(3))) },
	"Gather":      func(x, i, _ node) node { return ops.Gather(x, 0, wide(i), ops.FillOutside(graph.Num(3))) },
	"TakeAlongAxis": func(x, i, _ node) node {
		return ops.TakeAlongAxis(x, 0, column(i), ops.FillOutside(graph.Num(3)))
	},
	"IndexCopy": func(x, i, src node) node { return ops.IndexCopy(x, 0, i, src, ops.DropOutside()) },
	"IndexPut":  func(x, i, src node) node { return ops.IndexPut(x, []node{i}, src, ops.DropOutside()) },
	"ScatterND": func(x, i, src node) node { return ops.ScatterND(x, column(i), src, ops.DropOutside()) },
	"Scatter":   func(x, i, src node) node { return ops.Scatter(x, 0, wide(i), src, ops.DropOutside()) },
	"IndexFill": func(x, i, _ node) node { return ops.IndexFill(x, 0, i, graph.Num(1), ops.DropOutside()) },
}

// addingForms are those that compute with elements.
var addingForms = map[string]func(x, i, src node) node{
	"ScatterAdd": func(x, i, src node) node { return ops.ScatterAdd(x, 0, wide(i), src, ops.DropOutside()) },
	"IndexAdd":   func(x, i, src node) node { return ops.IndexAdd(x, 0, i, src, ops.DropOutside()) },
	"IndexReduce": func(x, i, src node) node {
		return ops.IndexReduce(x, 0, i, src, ops.ReduceMean, ops.ExcludeSelf(), ops.DropOutside())
	},
	"added": func(x, i, src node) node {
		return ops.IndexPut(x, []node{i}, src, ops.Accumulate(), ops.DropOutside())
	},
	"ScatterNDReduce": func(x, i, src node) node {
		return ops.ScatterNDReduce(x, column(i), src, ops.ReduceMax, ops.DropOutside())
	},
	"SegmentProd": func(x, i, src node) node { return ops.SegmentProd(src, 0, i, x.Shape()[0], ops.DropOutside()) },
}

func column(i node) node { return ops.Unsqueeze(i, 1) }

// wide repeats indices for both columns.
func wide(i node) node { return ops.Expand(column(i), i.Shape()[0], 2) }

// TestIndicesOutsideOfEmptyAxes: an axis without elements, be that known or not before the run, gives the fill for each
// index, or leaves out all that is written.
func TestIndicesOutsideOfEmptyAxes(t *testing.T) {
	forms := maps.Clone(outsideForms)
	maps.Copy(forms, addingForms)
	for name, form := range forms {
		for _, named := range []bool{true, false} {
			g := graph.New("empty")
			size := graph.Dim(0)
			if named {
				size = g.Dim("n", graph.AtLeast(0))
			}
			x, src := g.Input("x", graph.Float64, size, 2), g.Input("src", graph.Float64, 3, 2)
			i := g.Input("i", graph.Int64, 3)
			y := form(x, i, src)
			require.NoError(t, y.Err(), name)
			fed := feeds{x: reference.Of([]float64{}, 0, 2), i: reference.Of([]int64{0, -1, 2}, 3),
				src: reference.Of([]float64{1, 2, 3, 4, 5, 6}, 3, 2)}
			want := []float64{} // nothing is written
			if y.Shape()[0] == 3 {
				want = []float64{3, 3, 3, 3, 3, 3}
			}
			require.Equal(t, want, append([]float64{}, value(t, fed, y).Floats()...), name)
			if !named {
				continue
			}
			fed[x] = reference.Of([]float64{7, 8}, 1, 2)
			got := value(t, fed, y).Floats()
			if len(want) > 0 {
				require.Equal(t, []float64{7, 8, 7, 8, 3, 3}, got, name)
			}
		}
	}
}

// TestIndicesOutsideOfAllDTypes reads and writes elements of each dtype.
func TestIndicesOutsideOfAllDTypes(t *testing.T) {
	for _, dtype := range graph.DTypes() {
		forms := maps.Clone(outsideForms)
		if !dtype.IsStorage() && dtype != graph.Bool {
			maps.Copy(forms, addingForms)
		}
		for name, form := range forms {
			for _, indices := range []graph.DType{graph.Int64, graph.Int32} {
				if indices == graph.Int32 && (name == "Gather" || name[:2] == "Sc" && name[len(name)-1] != 'D') {
					continue // takes Int64 alone
				}
				g := graph.New("dtypes")
				x, src := g.Input("x", graph.Float64, 2, 2), g.Input("src", graph.Float64, 4, 2)
				i := g.Input("i", indices, 4)
				of := func(x node, t graph.DType) node { return ops.Cast(x, t) }
				y := of(form(of(x, dtype), i, of(src, dtype)), graph.Float64)
				require.NoError(t, y.Err(), "%s of %s", name, dtype)
				numbers, places := []float64{1, 0, 1, 1}, []float64{-3, -1, 0, 2}
				fed := feeds{x: reference.Of(numbers, 2, 2), i: reference.FromFloats(indices, places, 4),
					src: reference.Of([]float64{0, 0, 1, 0, 0, 1, 1, 1}, 4, 2)}
				fill := value(t, fed, of(of(graph.Constant(g, []float64{3}), dtype), graph.Float64)).Floats()[0]
				got := value(t, fed, y).Floats()
				if y.Shape()[0] == 4 {
					require.Equal(t, []float64{fill, fill, 1, 1, 1, 0, fill, fill}, got, "%s of %s", name, dtype)
				} else if _, adds := addingForms[name]; !adds && name != "IndexFill" {
					require.Equal(t, []float64{0, 1, 1, 0}, got, "%s of %s", name, dtype)
				}
			}
		}
	}
}

// TestVmapOfIndicesOutside has indices of each example.
func TestVmapOfIndicesOutside(t *testing.T) {
	forms := maps.Clone(outsideForms)
	maps.Copy(forms, addingForms)
	for name, form := range forms {
		g := graph.New("examples")
		x, src := g.Input("x", graph.Float64, 2, 3, 3, 2), g.Input("src", graph.Float64, 2, 3, 4, 2)
		i := g.Input("i", graph.Int64, 2, 3, 4)
		over := []node{x, i, src}
		one := func(e []node) []node { return []node{form(e[0], e[1], e[2])} }
		all := ops.Vmap(over, func(e []node) []node { return ops.Vmap(e, one) })[0]
		var both []node
		for _, y := range []node{all, oneAfterOther(over, one)} {
			both = append(both, append([]node{y}, autodiff.Grad(ops.Sum(ops.Square(y)), []node{x, src},
				autodiff.ZeroForUnused())...)...)
		}
		fed := feeds{x: {Shape: []int{2, 3, 3, 2}, DType: graph.Float64, Data: ramp(36, 1)},
			src: {Shape: []int{2, 3, 4, 2}, DType: graph.Float64, Data: ramp(48, 2)},
			i: reference.Of([]int64{0, 3, -1, 1, -4, 2, 2, 0, 7, 9, -3, -9, 0, 0, 3, -1, 1, 5, 4, 3, -2, -2, 1, 3},
				2, 3, 4)}
		got := evaluate(t, fed, both...)
		for k := range 3 {
			requireClose(t, got[3+k].Floats(), got[k].Floats(), 1e-12, name+" "+strconv.Itoa(k))
		}
	}
}

// TestMessagesOfIndicesOutside: messages write the option as the user does, and what an option cannot help still stops.
func TestMessagesOfIndicesOutside(t *testing.T) {
	g := graph.New("messages")
	x, i, u := g.Input("x", graph.Float32, 4, 3), g.Input("i", graph.Int64, 5), g.Input("u", graph.Float32, 5)
	k := g.Input("k", graph.Uint8, 2)
	for want, y := range map[string]node{
		"Take(x, 7, i, ops.ClipOutside())":           ops.Take(x, 7, i, ops.ClipOutside()),
		"Take(x, 0, u, ops.FillOutside(0))":          ops.Take(x, 0, u, ops.FillOutside(graph.Num(0))),
		"IndexSelect(x, 0, x, ops.WrapOutside())":    ops.IndexSelect(x, 0, x, ops.WrapOutside()),
		"Gather(x, 0, i, ops.ClipOutside())":         ops.Gather(x, 0, i, ops.ClipOutside()),
		"TakeAlongAxis(x, 0, u, ops.FillOutside(0))": ops.TakeAlongAxis(x, 0, u, ops.FillOutside(graph.Num(0))),
		"IndexGet(x, []*graph.Node{nil, nil, i}, ops.ClipOutside())": ops.IndexGet(x, []node{nil, nil, i},
			ops.ClipOutside()),
		"GatherND(x, i, 1, ops.ClipOutside())":                                     ops.GatherND(x, i, 1, ops.ClipOutside()),
		"Scatter(x, 0, i, x, ops.DropOutside())":                                   ops.Scatter(x, 0, i, x, ops.DropOutside()),
		"IndexAdd(x, 0, i, x, ops.DropOutside())":                                  ops.IndexAdd(x, 0, i, x, ops.DropOutside()),
		"SegmentSum(x, 0, i, 9, ops.DropOutside())":                                ops.SegmentSum(x, 0, i, 9, ops.DropOutside()),
		"SegmentMean(x, 0, i, 9, ops.ClipOutside())":                               ops.SegmentMean(x, 0, i, 9, ops.ClipOutside()),
		"IndexPut(x, []*graph.Node{i}, i, ops.DropOutside())":                      ops.IndexPut(x, []node{i}, i, ops.DropOutside()),
		"ScatterND(x, i, x, ops.DropOutside())":                                    ops.ScatterND(x, i, x, ops.DropOutside()),
		"TakeFlat(x, u, ops.ClipOutside())":                                        ops.TakeFlat(x, u, ops.ClipOutside()),
		"IndexFill(x, 0, u, 1, ops.DropOutside())":                                 ops.IndexFill(x, 0, u, graph.Num(1), ops.DropOutside()),
		"Take(k, 0, i, ops.FillOutside(300)): value cannot be converted":           ops.Take(k, 0, i, ops.FillOutside(graph.Num(300))),
		"Take(x, 0, i, ops.FillOutside(x)): the fill must be a number or a scalar": ops.Take(x, 0, i, ops.FillOutside(x)),
	} {
		require.ErrorContains(t, y.Err(), want, want)
		require.ErrorContains(t, y.Err(), "outsideindex_test.go")
	}
	dropped := ops.IndexAdd(x, 0, i, g.Input("s", graph.Float32, 5, 3), ops.DropOutside())
	require.Contains(t, g.String(), "outside=drop", dropped)
	all := g.Err().Error()
	for _, once := range []string{"SegmentMean(x, 0, i, 9", "Take(x, 7", "Gather(x, 0", "IndexGet(x", "IndexFill(x"} {
		require.Equal(t, 1, strings.Count(all, once), once)
	}
}
