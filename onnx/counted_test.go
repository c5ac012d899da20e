package onnx

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// withCounts are the outputs, and the counts of those of which only the first elements count.
func withCounts(b *Built) []*graph.Node {
	nodes := b.Outputs()
	for _, out := range b.all().Outputs {
		if out.Count != nil {
			nodes = append(nodes, out.Count)
		}
	}
	return nodes
}

// counted is an output without what does not count.
func counted(b *Built, i int, got *exec.Results) (exec.Array, error) {
	out := b.all().Outputs[i]
	a, err := got.Array(out.Node)
	if out.Count == nil || err != nil {
		return a, err
	}
	count, err := got.Scalar(out.Count)
	n, inner := int(count), 1
	for _, size := range a.Shape[out.Axis+1:] {
		inner *= size
	}
	kept := exec.Array{Shape: append([]int{}, a.Shape...)}
	kept.Shape[out.Axis] = n
	t, _ := graph.DTypeOfSlice(a.Data)
	total := 1
	for _, size := range kept.Shape {
		total *= size
	}
	kept.Data = t.MakeSlice(total)
	for i := range total {
		outer, within := i/(n*inner), i%(n*inner)
		v, whole := graph.NumberAt(a.Data, outer*a.Shape[out.Axis]*inner+within)
		graph.SetNumberAt(kept.Data, i, v, whole)
	}
	return kept, err
}

// wholeAttribute is an attribute of a whole number.
func wholeAttribute(name string, v int64) *wire.Attribute {
	return &wire.Attribute{Name: name, Type: wire.AttributeInt, Int: v}
}

// runCounted gives the first output without what does not count.
func runCounted(t *testing.T, b *Built, feed exec.Feed) exec.Array {
	t.Helper()
	prog, err := exec.Compile(b.Graph, exec.Outputs(withCounts(b)...), exec.WarningsAreErrors())
	require.NoError(t, err)
	s := prog.NewSession()
	require.NoError(t, b.Load(s))
	got, err := s.Run(context.Background(), feed)
	require.NoError(t, err)
	a, err := counted(b, 0, got)
	require.NoError(t, err)
	return a
}

// TestCount returns as many elements as there can be, with zeros behind those of the model, and their number.
func TestCount(t *testing.T) {
	g := &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Float, "n")},
		Outputs: []*wire.ValueInfo{tensorOf("y", wire.Float, "k")},
		Nodes: []*wire.Node{op("Relu", []string{"x"}, "r"), op("NonZero", []string{"r"}, "at"),
			op("Squeeze", []string{"at", "first"}, "i"), op("Gather", []string{"x", "i"}, "y")},
		Initializers: []*wire.Tensor{integers("first", 0)}}
	b := built(t, file(t, g))
	count, axis := b.Count("y")
	require.Equal(t, "[n]", b.Output("y").Shape().String())
	require.Equal(t, 0, axis)
	for _, c := range []struct{ x, y []float32 }{
		{[]float32{-1, 2, 3, -4}, []float32{2, 3, 0, 0}},
		{[]float32{-1, -1}, []float32{0, 0}}, {[]float32{5}, []float32{5}}} {
		prog, err := exec.Compile(b.Graph, exec.Outputs(b.Output("y"), count))
		require.NoError(t, err)
		got, err := prog.NewSession().Run(context.Background(), exec.Feed{b.Input("x"): c.x})
		require.NoError(t, err)
		y, err := exec.Values[float32](got, b.Output("y"))
		require.NoError(t, err)
		require.Equal(t, c.y, y)
		n, err := got.Scalar(count)
		require.NoError(t, err)
		positive := 0
		for _, v := range c.x {
			if v > 0 {
				positive++
			}
		}
		require.EqualValues(t, positive, n)
	}

	n, _ := built(t, file(t, line())).Count("y")
	require.Nil(t, n, "its sizes are those of the inputs")
}

// TestCountedIndex stops a run that takes an element which there is not.
func TestCountedIndex(t *testing.T) {
	g := &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Float, "n")},
		Outputs: []*wire.ValueInfo{tensorOf("y", wire.Float)},
		Nodes: []*wire.Node{op("Greater", []string{"x", "zero"}, "mask"),
			op("Compress", []string{"x", "mask"}, "kept"), op("Gather", []string{"kept", "last"}, "y")},
		Initializers: []*wire.Tensor{{Name: "last", Type: wire.Int64, Int64s: []int64{-1}},
			{Name: "zero", Type: wire.Float, HasRaw: true, Raw: make([]byte, 4)}}}
	b := built(t, file(t, g))
	require.Equal(t, []float32{3}, run(t, b, exec.Feed{b.Input("x"): []float32{1, -2, 3, -4}}).Data)
	prog, err := exec.Compile(b.Graph, exec.Outputs(b.Outputs()...))
	require.NoError(t, err)
	_, err = prog.NewSession().Run(context.Background(), exec.Feed{b.Input("x"): []float32{-1, -2}})
	require.ErrorContains(t, err, "Gather: an index is out of range")
}

// TestDetector suppresses boxes that overlap, if there are any, as the detectors of torchvision do.
func TestDetector(t *testing.T) {
	none := &wire.Graph{Outputs: []*wire.ValueInfo{tensorOf("none", wire.Int64, 0)},
		Initializers: []*wire.Tensor{{Name: "none", Type: wire.Int64, Dims: []int64{0}}}}
	kept := &wire.Graph{Outputs: []*wire.ValueInfo{tensorOf("i", wire.Int64, "k")},
		Nodes: []*wire.Node{op("Unsqueeze", []string{"near", "first"}, "boxes3"),
			op("Unsqueeze", []string{"good", "two"}, "scores3"),
			op("NonMaxSuppression", []string{"boxes3", "scores3", "limit", "overlap"}, "found"),
			{Op: "Gather", Inputs: []string{"found", "second"}, Outputs: []string{"i"},
				Attributes: []*wire.Attribute{wholeAttribute("axis", 1)}}}}
	number := func(name string, v float32) *wire.Tensor { return weight(name, []float32{v}, 1) }
	g := &wire.Graph{
		Inputs:  []*wire.ValueInfo{tensorOf("boxes", wire.Float, "n", 4), tensorOf("scores", wire.Float, "n")},
		Outputs: []*wire.ValueInfo{tensorOf("y", wire.Float, "k", 4)},
		Initializers: []*wire.Tensor{integers("first", 0), integers("two", 0, 1), integers("limit", 10),
			number("overlap", 0.5), number("least", 0.25), {Name: "second", Type: wire.Int64, Int64s: []int64{2}},
			{Name: "zero", Type: wire.Int64, Int64s: []int64{0}}},
		Nodes: []*wire.Node{op("Greater", []string{"scores", "least"}, "mask"), op("NonZero", []string{"mask"}, "at"),
			op("Squeeze", []string{"at", "first"}, "rows"), op("Gather", []string{"boxes", "rows"}, "near"),
			op("Gather", []string{"scores", "rows"}, "good"), op("Size", []string{"good"}, "count"),
			op("Equal", []string{"count", "zero"}, "isEmpty"),
			{Op: "If", Name: "/net/If", Inputs: []string{"isEmpty"}, Outputs: []string{"keep"},
				Attributes: []*wire.Attribute{{Name: "then_branch", Type: wire.AttributeGraph, Graph: none},
					{Name: "else_branch", Type: wire.AttributeGraph, Graph: kept}}},
			op("Gather", []string{"near", "keep"}, "y")}}
	b := built(t, file(t, g))
	boxes := [][4]float32{{0, 0, 10, 10}, {1, 1, 11, 11}, {50, 50, 60, 60}, {80, 80, 90, 90}}
	for _, c := range []struct {
		scores []float32
		want   []float32
	}{
		{[]float32{0.5, 0.9, 0.3, 0.1}, []float32{1, 1, 11, 11, 50, 50, 60, 60}},
		{[]float32{0.5, 0.4, 0.3, 0.8}, []float32{80, 80, 90, 90, 0, 0, 10, 10, 50, 50, 60, 60}},
		{[]float32{0.1, 0.1, 0.2, 0.1}, []float32{}}} {
		a := runCounted(t, b, exec.Feed{b.Input("boxes"): boxes, b.Input("scores"): c.scores})
		require.Equal(t, []int{len(c.want) / 4, 4}, a.Shape)
		require.Equal(t, c.want, a.Data)
	}
}

// TestBranchesOfSizes returns as many elements as the branch that is taken has.
func TestBranchesOfSizes(t *testing.T) {
	part := func(name string, ends ...int64) *wire.Graph {
		return &wire.Graph{Outputs: []*wire.ValueInfo{tensorOf(name, wire.Float, name)},
			Initializers: []*wire.Tensor{integers("starts", ends[0]), integers("ends", ends[1])},
			Nodes:        []*wire.Node{op("Slice", []string{"x", "starts", "ends"}, name)}}
	}
	g := &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Float, 5)},
		Outputs: []*wire.ValueInfo{tensorOf("y", wire.Float)},
		Nodes: []*wire.Node{op("ReduceSum", []string{"x", "axes"}, "sum"), op("Greater", []string{"sum", "zero"}, "is"),
			{Op: "If", Inputs: []string{"is"}, Outputs: []string{"part"},
				Attributes: []*wire.Attribute{{Name: "then_branch", Type: wire.AttributeGraph, Graph: part("a", 0, 2)},
					{Name: "else_branch", Type: wire.AttributeGraph, Graph: part("b", 1, 5)}}},
			op("ReduceMean", []string{"part", "axes"}, "y")},
		Initializers: []*wire.Tensor{integers("axes", 0), weight("zero", []float32{0}, 1)}}
	b := built(t, file(t, g))
	require.Equal(t, []float32{1.5}, run(t, b, exec.Feed{b.Input("x"): []float32{1, 2, 3, 4, 5}}).Data)
	require.Equal(t, []float32{-6}, run(t, b, exec.Feed{b.Input("x"): []float32{1, -3, -5, -7, -9}}).Data)
}

// TestRowsOfOneMask selects rows of two tensors by one mask, inside a branch and outside.
func TestRowsOfOneMask(t *testing.T) {
	selected := func(of, name string) []*wire.Node {
		return []*wire.Node{op("NonZero", []string{"mask"}, name+"at"),
			op("Squeeze", []string{name + "at", "first"}, name+"i"), op("Gather", []string{of, name + "i"}, name)}
	}
	sum := &wire.Graph{Outputs: []*wire.ValueInfo{tensorOf("s", wire.Float, "k")},
		Nodes: append(append(selected("x", "p"), selected("y", "q")...), op("Add", []string{"p", "q"}, "s"))}
	difference := &wire.Graph{Outputs: []*wire.ValueInfo{tensorOf("d", wire.Float, "k")},
		Nodes: append(append(selected("x", "p"), selected("y", "q")...), op("Sub", []string{"p", "q"}, "d"))}
	g := &wire.Graph{
		Inputs:  []*wire.ValueInfo{tensorOf("x", wire.Float, "n"), tensorOf("y", wire.Float, "n")},
		Outputs: []*wire.ValueInfo{tensorOf("z", wire.Float, "k")},
		Nodes: slices.Concat(
			[]*wire.Node{op("Greater", []string{"x", "zero"}, "mask")},
			selected("x", "a"),
			[]*wire.Node{
				op("ReduceSum", []string{"a", "first"}, "total"),
				op("Less", []string{"total", "ten"}, "isLow"),
				{Op: "If", Inputs: []string{"isLow"}, Outputs: []string{"c"},
					Attributes: []*wire.Attribute{{Name: "then_branch", Type: wire.AttributeGraph, Graph: sum},
						{Name: "else_branch", Type: wire.AttributeGraph, Graph: difference}}},
			},
			selected("y", "b"),
			[]*wire.Node{op("Mul", []string{"a", "b"}, "ab"),
				{Op: "Concat", Inputs: []string{"ab", "c"}, Outputs: []string{"z"},
					Attributes: []*wire.Attribute{wholeAttribute("axis", 0)}}},
		),
		Initializers: []*wire.Tensor{
			integers("first", 0),
			weight("zero", []float32{0}, 1),
			weight("ten", []float32{10}, 1),
		}}
	b := built(t, file(t, g))
	got := runCounted(t, b, exec.Feed{b.Input("x"): []float32{1, -2, 3}, b.Input("y"): []float32{4, 5, 6}})
	require.Equal(t, []float32{4, 18, 5, 9}, got.Data)
	got = runCounted(t, b, exec.Feed{b.Input("x"): []float32{-1, 20}, b.Input("y"): []float32{4, 5}})
	require.Equal(t, []float32{100, 15}, got.Data)
}
