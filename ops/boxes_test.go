package ops_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// boxCase is one of torchvision's answers in testdata/boxes.json, which testdata/boxes.py wrote.
type boxCase struct {
	Call string
	Args struct {
		From, To, Reduction string
		Height, Width       int
		Threshold, Scale    float64
		Samples             int
		Aligned             bool
	}
	In    []boxArray
	Out   boxArray
	Grads []boxArray
}

type boxArray struct {
	Shape []int
	Whole bool
	Data  numbers
}

func (a boxArray) value() reference.Value {
	if a.Whole {
		return reference.FromFloats(graph.Int64, a.Data, a.Shape...)
	}
	return reference.FromFloats(graph.Float64, a.Data, a.Shape...)
}

var boxFormats = map[string]ops.BoxFormat{
	"xyxy": ops.BoxCorners, "xywh": ops.BoxCornerSize, "cxcywh": ops.BoxCenterSize}

// indices are the first of two results.
func indices(a, _ node) node { return a }

// boxCalls build the cases' functions. A result of indices is as long as there are boxes, and has -1 behind.
var boxCalls = map[string]func(c boxCase, in []node) node{
	"box_iou":             func(_ boxCase, in []node) node { return ops.BoxIoU(in[0], in[1]) },
	"generalized_box_iou": func(_ boxCase, in []node) node { return ops.BoxGIoU(in[0], in[1]) },
	"distance_box_iou":    func(_ boxCase, in []node) node { return ops.BoxDIoU(in[0], in[1]) },
	"complete_box_iou":    func(_ boxCase, in []node) node { return ops.BoxCIoU(in[0], in[1]) },
	"generalized_box_iou_loss": func(c boxCase, in []node) node {
		return ops.GIoULoss(in[0], in[1], lossReduction(c.Args.Reduction))
	},
	"distance_box_iou_loss": func(c boxCase, in []node) node {
		return ops.DIoULoss(in[0], in[1], lossReduction(c.Args.Reduction))
	},
	"complete_box_iou_loss": func(c boxCase, in []node) node {
		return ops.CIoULoss(in[0], in[1], lossReduction(c.Args.Reduction))
	},
	"box_area": func(_ boxCase, in []node) node { return ops.BoxArea(in[0]) },
	"box_convert": func(c boxCase, in []node) node {
		return ops.BoxConvert(in[0], boxFormats[c.Args.From], boxFormats[c.Args.To])
	},
	"clip_boxes_to_image": func(c boxCase, in []node) node {
		return ops.ClipBoxes(in[0], graph.Dim(c.Args.Height), graph.Dim(c.Args.Width))
	},
	"nms": func(c boxCase, in []node) node {
		return indices(ops.NMS(in[0], in[1], c.Args.Threshold, in[0].Shape()[0], graph.Num(-1)))
	},
	"batched_nms": func(c boxCase, in []node) node {
		return indices(ops.BatchedNMS(in[0], in[1], in[2], c.Args.Threshold, in[0].Shape()[0], graph.Num(-1)))
	},
	"roi_align": func(c boxCase, in []node) node {
		opts := []ops.RoiOption{ops.RoiScale(c.Args.Scale), ops.RoiSamples(c.Args.Samples)}
		if c.Args.Aligned {
			opts = append(opts, ops.RoiAligned())
		}
		return ops.RoiAlign(in[0], in[1], in[2], c.Args.Height, c.Args.Width, opts...)
	},
	"roi_pool": func(c boxCase, in []node) node {
		return ops.RoiPool(in[0], in[1], in[2], c.Args.Height, c.Args.Width, ops.RoiScale(c.Args.Scale))
	},
}

func lossReduction(word string) ops.LossOption {
	return map[string]ops.LossOption{"none": ops.EachLoss(), "sum": ops.SumLoss()}[word]
}

// TestBoxesAsTorchvision compares values and gradients with torchvision's: by turns with sizes that are numbers, and
// with names.
func TestBoxesAsTorchvision(t *testing.T) {
	file := "testdata/boxes.json"
	if other := os.Getenv("BROADLOOM_BOXES"); other != "" { // more of them
		file = other
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var cases []boxCase
	require.NoError(t, json.Unmarshal(text, &cases))
	require.NotEmpty(t, cases)
	for i, c := range cases {
		t.Run(fmt.Sprint(c.Call, i), func(t *testing.T) { c.run(t, i%2 == 0) })
	}
}

func (c boxCase) run(t *testing.T, named bool) {
	g, fed := graph.New("boxes"), feeds{}
	var in, wrt []node
	for i, a := range c.In {
		dims := graph.MakeShape(a.Shape...)
		if named && !(i == 0 && len(a.Shape) == 4) {
			dims[0] = g.Dim(fmt.Sprintf("n%d", a.Shape[0]), graph.AtLeast(0))
		}
		v := a.value()
		x := g.Input(fmt.Sprint("x", i), v.DType, dims...)
		if in, fed[x] = append(in, x), v; !a.Whole {
			wrt = append(wrt, x)
		}
	}
	y := boxCalls[c.Call](c, in)
	require.NoError(t, y.Err())
	want := c.Out
	if c.Out.Whole { // indices
		want.Data = append(slices.Clone(want.Data), slices.Repeat(numbers{-1}, c.In[0].Shape[0]-len(want.Data))...)
		requireClose(t, want.Data, value(t, fed, y).Floats(), 0, c.Call)
		return
	}
	place := ops.Reshape(ops.Iota(g, 0, y.Shape().NumElements()), y.Shape()...)
	weights := ops.Add(ops.Remainder(place, graph.Num(7)), graph.Num(1))
	grads := autodiff.Grad(ops.Sum(ops.Mul(y, weights)), wrt, autodiff.ZeroForUnused())
	got := evaluateWithin(t, 1e-12, fed, append([]node{y}, grads...)...)
	require.Equal(t, want.Shape, append([]int{}, got[0].Shape...))
	requireClose(t, want.Data, got[0].Floats(), 1e-12, c.Call)
	for i, w := range c.Grads {
		if len(w.Data) > 0 {
			requireClose(t, w.Data, got[1+i].Floats(), 1e-10, fmt.Sprintf("%s: gradient %d", c.Call, i))
		}
	}
}

// TestRoiAlignOfHugeBoxes reads of a box no more than the image has of it, however far the box reaches.
func TestRoiAlignOfHugeBoxes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for i, opts := range [][]ops.RoiOption{nil, {ops.RoiAligned()}, {ops.RoiMax()}} {
		isMax := i == 2
		g := graph.New("huge")
		x := g.Input("x", graph.Float32, 1, 1, g.Dim("h"), 3)
		boxes := g.Input("boxes", graph.Float32, g.Dim("k"), 4)
		y := ops.RoiAlign(x, boxes, ops.Zeros(g, graph.Int64, boxes.Shape()[0]), 2, 2, opts...)
		dx := autodiff.Grad(ops.Sum(y), []node{x})[0]
		feed := exec.Feed{x: exec.Array{Shape: []int{1, 1, 3, 3}, Data: []float32{2, 2, 2, 2, 2, 2, 2, 2, 2}},
			boxes: exec.Array{Shape: []int{6, 4}, Data: []float32{
				0.5, 0.5, 1.5, 1.5, -1e9, -1e9, 1e9, 1e9, -3e38, 0, 3e38, 2, 0, 0, float32(inf), 1, float32(-inf), 0,
				float32(inf), 1, 0, float32(nan), 1, 1}}}
		prog, err := exec.Compile(g, exec.Outputs(y, dx))
		require.NoError(t, err)
		r, err := prog.NewSession().Run(context.Background(), feed)
		require.NoError(t, err)
		got, err := r.Array(y)
		require.NoError(t, err)
		for i, v := range got.Data.([]float32) {
			switch {
			case isMax && i < 12: // of which places are read depends on rounding, and with them the greatest
				require.True(t, v >= 0 && v <= 2, "%d: %v", i, v)
			case i < 4:
				require.Equal(t, float32(2), v, "a box in the image, %d", i)
			default:
				require.InDelta(t, 0, v, 1e-6, "%d", i)
			}
		}
	}
}
