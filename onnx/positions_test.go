package onnx

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// wholeNumber is a scalar of Int64.
func wholeNumber(name string, v int64) *wire.Tensor {
	return &wire.Tensor{Name: name, Type: wire.Int64, Int64s: []int64{v}}
}

// fraction is a scalar of Float32.
func fraction(name string, v float32) *wire.Tensor { return weight(name, []float32{v}) }

// withAttributes gives a node attributes.
func withAttributes(n *wire.Node, list ...*wire.Attribute) *wire.Node {
	n.Attributes = append(n.Attributes, list...)
	return n
}

// lengthOf are nodes that compute the length of the second axis of x, a scalar.
func lengthOf(name string) []*wire.Node {
	return []*wire.Node{op("Shape", []string{"x"}, "shape"), op("Gather", []string{"shape", "one"}, name)}
}

// TestSizesOfPositions computes sizes of the first, the last and the greatest of the positions that a model counts, as
// attention masks and rotary embeddings of decoders do.
func TestSizesOfPositions(t *testing.T) {
	counted := append(lengthOf("n"), op("Range", []string{"zero", "n", "one"}, "positions"))
	cast := func(in, out string, to int64) *wire.Node {
		return withAttributes(op("Cast", []string{in}, out), wholeAttribute("to", to))
	}
	for _, c := range []struct {
		name  string
		nodes []*wire.Node
		limit string          // a scalar
		want  func(n int) int // the limit
	}{
		{"the last one", []*wire.Node{op("Gather", []string{"positions", "last"}, "end"),
			op("Add", []string{"end", "one"}, "limit")}, "limit", func(n int) int { return n }},
		{"the greatest one of a batch", []*wire.Node{op("Unsqueeze", []string{"positions", "first"}, "row"),
			op("Expand", []string{"row", "shape"}, "rows"), op("Add", []string{"rows", "three"}, "later"),
			withAttributes(op("ReduceMax", []string{"later"}, "limit"), wholeAttribute("keepdims", 0))},
			"limit", func(n int) int { return n + 2 }},
		{"the least one, counted down", []*wire.Node{op("Mul", []string{"positions", "last"}, "down"),
			withAttributes(op("ReduceMin", []string{"down"}, "least"), wholeAttribute("keepdims", 0)),
			op("Sub", []string{"three", "least"}, "limit")}, "limit", func(n int) int { return n + 2 }},
		{"the distance of two, as a fraction", []*wire.Node{cast("positions", "f", int64(wire.Float)),
			op("Gather", []string{"f", "last"}, "late"), op("Gather", []string{"f", "zero"}, "early"),
			op("Sub", []string{"late", "early"}, "distance"), cast("distance", "limit", int64(wire.Int64))},
			"limit", func(n int) int { return n - 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Float, "batch", "n")},
				Outputs: []*wire.ValueInfo{tensorOf("y", wire.Int64, "m")},
				Nodes: append(append(append([]*wire.Node{}, counted...), c.nodes...),
					op("Range", []string{"zero", c.limit, "one"}, "y")),
				Initializers: []*wire.Tensor{wholeNumber("zero", 0), wholeNumber("one", 1), wholeNumber("last", -1),
					wholeNumber("three", 3),
					integers("first", 0)}}
			b := built(t, file(t, g))
			prog, err := exec.Compile(b.Graph, exec.Outputs(b.Outputs()...))
			require.NoError(t, err)
			for _, n := range []int{1, 4, 7} {
				got, err := prog.NewSession().Run(context.Background(),
					exec.Feed{b.Input("x"): exec.Array{Shape: []int{2, n}, Data: make([]float32, 2*n)}})
				require.NoError(t, err)
				y, err := exec.Values[int64](got, b.Output("y"))
				require.NoError(t, err)
				require.Len(t, y, c.want(n))
			}
		})
	}
}

// TestRangeOfFractions counts from a half on, as the coordinates of patches do.
func TestRangeOfFractions(t *testing.T) {
	g := &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Float, "batch", "n")},
		Outputs: []*wire.ValueInfo{tensorOf("y", wire.Float, "m")},
		Nodes: append(lengthOf("n"), op("Div", []string{"n", "two"}, "patches"),
			withAttributes(op("Cast", []string{"patches"}, "limit"), wholeAttribute("to", int64(wire.Float))),
			op("Range", []string{"half", "limit", "step"}, "y")),
		Initializers: []*wire.Tensor{wholeNumber("one", 1), wholeNumber("two", 2), fraction("half", 0.5),
			fraction("step", 1)}}
	b := built(t, file(t, g))
	for n, want := range map[int][]float32{7: {0.5, 1.5, 2.5}, 2: {0.5}} {
		a := run(t, b, exec.Feed{b.Input("x"): exec.Array{Shape: []int{1, n}, Data: make([]float32, n)}})
		require.Equal(t, want, a.Data)
	}
}

// TestLengthsAreNoNegatives expands to the lengths of axes that the bounds of names do not say to be 0 or more, in
// which -1 would mean the length there is, and divides one by another.
func TestLengthsAreNoNegatives(t *testing.T) {
	frames := withAttributes(op("Conv", []string{"x", "filter"}, "frames"),
		&wire.Attribute{Name: "strides", Type: wire.AttributeInts, Ints: []int64{3}})
	g := &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Float, "batch", 1, "n")},
		Outputs: []*wire.ValueInfo{tensorOf("y", wire.Float, "batch", 1, "m"), tensorOf("z", wire.Float, "k")},
		Nodes: []*wire.Node{frames, op("Shape", []string{"frames"}, "shape"),
			op("Equal", []string{"shape", "same"}, "isSame"), op("ConstantOfShape", []string{"three"}, "ones"),
			op("Where", []string{"isSame", "ones", "shape"}, "to"), op("Expand", []string{"half", "to"}, "filled"),
			op("Add", []string{"filled", "frames"}, "y"),
			op("Size", []string{"frames"}, "all"), op("Gather", []string{"shape", "last"}, "each"),
			op("Div", []string{"all", "each"}, "examples"),
			withAttributes(op("Cast", []string{"examples"}, "limit"), wholeAttribute("to", int64(wire.Float))),
			op("Range", []string{"half", "limit", "step"}, "z")},
		Initializers: []*wire.Tensor{weight("filter", []float32{1, 1, 1, 1}, 1, 1, 4), integers("same", -1),
			integers("three", 3), fraction("half", 0.5), fraction("step", 1), wholeNumber("last", 2)}}
	b := built(t, file(t, g))
	prog, err := exec.Compile(b.Graph, exec.Outputs(b.Outputs()...))
	require.NoError(t, err)
	got, err := prog.NewSession().Run(context.Background(),
		exec.Feed{b.Input("x"): exec.Array{Shape: []int{2, 1, 8}, Data: make([]float32, 16)}})
	require.NoError(t, err)
	y, err := exec.Values[float32](got, b.Output("y"))
	require.NoError(t, err)
	require.Equal(t, []float32{0.5, 0.5, 0.5, 0.5}, y)
	z, err := exec.Values[float32](got, b.Output("z"))
	require.NoError(t, err)
	require.Equal(t, []float32{0.5, 1.5}, z)
}

// TestSplitOfFound splits the places of elements into as many parts as the model was exported with, as mixtures of
// experts do: with another number of places a run stops.
func TestSplitOfFound(t *testing.T) {
	g := &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Float, 4)},
		Outputs: []*wire.ValueInfo{tensorOf("y", wire.Int64, 1)},
		Nodes: []*wire.Node{op("NonZero", []string{"x"}, "at"),
			withAttributes(op("Split", []string{"at", "parts"}, "a", "b"), wholeAttribute("axis", 1)),
			op("Sub", []string{"b", "a"}, "y")},
		Initializers: []*wire.Tensor{integers("parts", 1, 1)}}
	b := built(t, file(t, g))
	require.Equal(t, []int64{2}, run(t, b, exec.Feed{b.Input("x"): []float32{0, 5, 0, 5}}).Data)
	prog, err := exec.Compile(b.Graph, exec.Outputs(b.Outputs()...))
	require.NoError(t, err)
	for _, x := range [][]float32{{1, 0, 0, 0}, {1, 1, 1, 0}} {
		_, err = prog.NewSession().Run(context.Background(), exec.Feed{b.Input("x"): x})
		require.ErrorContains(t, err, "Split: the sizes of its parts do not add up to that of the axis")
	}
}

// TestInstanceNormalizationOfOne gives the bias, of channels with one element each.
func TestInstanceNormalizationOfOne(t *testing.T) {
	g := &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Float, "batch", 2, "n")},
		Outputs:      []*wire.ValueInfo{tensorOf("y", wire.Float, "batch", 2, "n")},
		Nodes:        []*wire.Node{op("InstanceNormalization", []string{"x", "scale", "bias"}, "y")},
		Initializers: []*wire.Tensor{weight("scale", []float32{2, 3}, 2), weight("bias", []float32{5, 7}, 2)}}
	b := built(t, file(t, g))
	a := run(t, b, exec.Feed{b.Input("x"): exec.Array{Shape: []int{1, 2, 1}, Data: []float32{1, 2}}})
	require.Equal(t, []float32{5, 7}, a.Data)
	a = run(t, b, exec.Feed{b.Input("x"): exec.Array{Shape: []int{1, 2, 2}, Data: []float32{1, -1, 2, 2}}})
	require.InDeltaSlice(t, []float32{7, 3, 7, 7}, a.Data, 1e-4)
}

// TestRepeatsOfOneHot repeats one axis as often as a size says. PyTorch's repeat_interleave picks the axis by OneHot.
func TestRepeatsOfOneHot(t *testing.T) {
	g := &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Float, "batch", "n")},
		Outputs: []*wire.ValueInfo{tensorOf("y", wire.Float, "batch", "m")},
		Nodes: append(lengthOf("n"), op("Unsqueeze", []string{"n", "first"}, "times"),
			withAttributes(op("Concat", []string{"single", "times"}, "two"), wholeAttribute("axis", 0)),
			op("OneHot", []string{"single", "depth", "two"}, "row"), op("Reshape", []string{"row", "flat"}, "repeats"),
			op("Tile", []string{"x", "repeats"}, "y")),
		Initializers: []*wire.Tensor{wholeNumber("one", 1), integers("first", 0), integers("single", 1),
			wholeNumber("depth", 2), integers("flat", -1)}}
	b := built(t, file(t, g))
	a := run(t, b, exec.Feed{b.Input("x"): exec.Array{Shape: []int{1, 3}, Data: []float32{1, 2, 3}}})
	require.Equal(t, []float32{1, 2, 3, 1, 2, 3, 1, 2, 3}, a.Data)
}
