package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Images that get other sizes, and signals in frames.
var _ = add(
	resizedAllAxes, resizedToNothing, resizedWithCorners, resizedCubicVolume, resizedBytes, resizedByThird,
	resizedByFactors,
	resizedLinearRounded, resizedToMeansPlaced, resizedTwicePlaced, resizedPartOfAxes, resizedBeside,
	shuffledOdd, unshuffledOdd, dealtOdd, columnsOfOther,
	sampledByTriples, sampledOfOtherBatch, sampledInCircles, sampledWhole, gridOfSquares,
	gridOfAFlatTheta, gridOfWholeBatches,
	pooledLines, pooledOverFour, unpooledWithFloats, unpooledPlaces, pooledByNoPower,
	framesOfShort, framesOfImages, framesOfWideWindow, signalOfHalf, signalOfGaps,
	deformedElsewhere, deformedInGroups,
	deformedThere, signalThere, unpooledWhole, sampledNamed, resizedNamed, shuffledNamed, columnsThere,
)

func resizedAllAxes(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 3, 8, 8)
	ops.Resize(x, ops.ResizeNearest, []graph.Dim{3, 16, 16}) // want error BL132 "same number of spatial dimensions" "[8, 8]" "[3, 16, 16]"
}

func resizedToNothing(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 3, 8, 8)
	ops.Resize(x, ops.ResizeLinear, []graph.Dim{0, 16}) // want error BL132 "should be greater than 0"
}

func resizedWithCorners(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 1, 3, 8, 8)
	ops.Resize(x, ops.ResizeNearest, []graph.Dim{4, 4}, ops.AlignCorners()) // want error BL001 "align_corners option" "AlignCorners()"
}

func resizedCubicVolume(g *graph.Graph) {
	ops.ResizeBy(g.Input("x", graph.Float32, 1, 3, 4, 8, 8), ops.ResizeCubic, []float64{2}) // want error BL001 "Got 5D input" "ResizeBy(x, ResizeCubic"
}

func resizedBytes(g *graph.Graph) {
	ops.Resize(g.Input("x", graph.Uint8, 1, 3, 8, 8), ops.ResizeLinear, []graph.Dim{4, 4}) // want error BL340 "not implemented for 'Byte'"
}

func resizedByThird(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 1, 3, g.Dim("h"), 8)
	ops.ResizeBy(x, ops.ResizeLinear, []float64{0.3, 2}) // want error BL001 "0.3 times h is not a valid size" "or give sizes to ops.Resize"
}

func resizedByFactors(g *graph.Graph) {
	ops.ResizeBy(g.Input("x", graph.Float32, 1, 3, 8, 8), ops.ResizeNearest, []float64{1, 1, 2, 2}) // want error BL001 "4 factors for x" "one for each axis after the channels"
}

func resizedLinearRounded(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 1, 3, 8, 8)
	ops.Resize(x, ops.ResizeLinear, []graph.Dim{4, 4}, ops.RoundUp) // want error BL001 "RoundUp is for ResizeNearest and ResizeNearestExact, but the mode is ResizeLinear"
}

func resizedToMeansPlaced(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 1, 3, 8, 8)
	ops.Resize(x, ops.ResizeArea, []graph.Dim{4, 4}, ops.PlacesHalf) // want error BL001 "ResizeArea has no coordinates" "Resize(x, ResizeArea, []graph.Dim{4, 4}, PlacesHalf)"
}

func resizedTwicePlaced(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 1, 3, 8, 8)
	ops.Resize(x, ops.ResizeCubic, []graph.Dim{4, 4}, ops.AlignCorners(), ops.PlacesFirst) // want error BL001 "the options of places exclude each other"
}

func resizedPartOfAxes(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 1, 3, 8, 8)
	ops.Resize(x, ops.ResizeLinear, []graph.Dim{4, 4}, ops.ResizeCrop([]float64{0}, []float64{1}, 0)) // want error BL001 "1 starts and 1 ends for 2 axes" "ResizeCrop([]float64{0}, []float64{1}, 0)"
}

func resizedBeside(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 1, 3, 8, 8)
	ops.Resize(x, ops.ResizeLinear, []graph.Dim{4, 4}, ops.OutsideNothing) // want error BL001 "other modes do not read outside an axis"
}

func shuffledOdd(g *graph.Graph) {
	ops.PixelShuffle(g.Input("x", graph.Float32, g.Dim("batch"), 6, 8, 8), 2) // want error BL120 "pixel_shuffle: axis 1 of x, whose size is 6, is not divisible by 4"
}

func unshuffledOdd(g *graph.Graph) {
	n := g.Dim("n")
	ops.PixelUnshuffle(g.Input("x", graph.Float32, 3, n, n.Times(2).Plus(1)), 2) // want error BL120 "axis 2 of x, whose size is 2*n+1, is not divisible by 2"
}

func dealtOdd(g *graph.Graph) {
	ops.ChannelShuffle(g.Input("x", graph.Float32, 1, 7, 8, 8), 2) // want error BL120 "whose size is 7"
}

func columnsOfOther(g *graph.Graph) {
	columns := ops.Im2Col(g.Input("x", graph.Float32, 1, 3, 8, 8), 3, 3, ops.Padding(1))
	ops.Col2Im(columns, 8, 8, [2]int{3, 3}) // want error BL120 "Col2Im(columns" "[6, 6]"
}

func sampledByTriples(g *graph.Graph) {
	x, grid := g.Input("x", graph.Float32, 1, 3, 8, 8), g.Input("grid", graph.Float32, 1, 4, 4, 3)
	ops.GridSample(x, grid, ops.ResizeLinear, ops.PadZeros) // want error BL132 "expected grid to have size 2 in last dimension"
}

func sampledOfOtherBatch(g *graph.Graph) {
	x, grid := g.Input("x", graph.Float32, 2, 3, 8, 8), g.Input("grid", graph.Float32, 1, 4, 4, 2)
	ops.GridSample(x, grid, ops.ResizeLinear, ops.PadZeros) // want error BL132 "same batch size"
}

func sampledInCircles(g *graph.Graph) {
	x, grid := g.Input("x", graph.Float32, 1, 3, 8, 8), g.Input("grid", graph.Float32, 1, 4, 4, 2)
	ops.GridSample(x, grid, ops.ResizeLinear, ops.PadCircular) // want error BL001 "PadZeros, PadReplicate or PadReflect, but got: PadCircular"
}

func sampledWhole(g *graph.Graph) {
	x, grid := g.Input("x", graph.Int32, 1, 3, 8, 8), g.Input("grid", graph.Int32, 1, 4, 4, 2)
	ops.GridSample(x, grid, ops.ResizeNearest, ops.PadZeros) // want error BL340 "not implemented for 'Int'"
}

func gridOfSquares(g *graph.Graph) {
	ops.AffineGrid(g.Input("theta", graph.Float32, 1, 2, 2), []graph.Dim{8, 8}) // want error BL132 "Nx2x3" "[1, 2, 2]"
}

func gridOfAFlatTheta(g *graph.Graph) {
	theta := g.Input("theta", graph.Float32, g.Dim("n"), 6)
	ops.AffineGrid(theta, []graph.Dim{8, 8}) // want error BL132 "Nx2x3" "[n, 6]" "help: Reshape(theta, n, 2, 3)"
}

func gridOfWholeBatches(g *graph.Graph) {
	theta, x := g.Input("theta", graph.Float32, 4, 2, 3), g.Input("x", graph.Float32, 4, 3, 8, 8)
	ops.AffineGrid(theta, x.Shape()) // want error BL001 "images have 2 sizes" "help: give the sizes" "x.Shape()[2:]"
}

func pooledOverFour(g *graph.Graph) {
	ops.MaxPoolIndex(g.Input("x", graph.Float32, 1, 3, 8, 8), []int{1, 1, 2, 2}) // want error BL132 "MaxPoolIndex(x, []int{1, 1, 2, 2})" "a kernel of 1 to 3 sizes"
}

func unpooledWithFloats(g *graph.Graph) {
	x, at := g.Input("x", graph.Float32, 1, 3, 4), g.Input("at", graph.Float32, 1, 3, 4)
	ops.MaxUnpool(x, at, 8) // want error BL340 "indices should be type int64"
}

func unpooledPlaces(g *graph.Graph) {
	x, at := g.Input("x", graph.Float32, 1, 3, 4, 4), g.Input("at", graph.Int64, 1, 3, 4, 4)
	ops.MaxUnpool(x, at, 8) // want error BL103 "Expected 2D or 3D tensor" "[1, 3, 4, 4]"
}

func pooledByNoPower(g *graph.Graph) {
	ops.LpPool(g.Input("x", graph.Float32, 1, 3, 8), 0, []int{2}) // want error BL001 "the power must be finite and not 0, but it is 0"
}

func deformedElsewhere(g *graph.Graph) {
	x, w := g.Input("x", graph.Float32, 1, 4, 8, 8), g.Input("w", graph.Float32, 6, 4, 3, 3)
	ops.DeformConv2D(x, g.Input("offset", graph.Float32, 1, 18, 8, 8), w, nil, nil) // want error BL132 "offset has shape [1, 18, 8, 8], but must have [1, 18, 6, 6]"
}

func deformedInGroups(g *graph.Graph) {
	x, w := g.Input("x", graph.Float32, 1, 4, 8, 8), g.Input("w", graph.Float32, 6, 3, 3, 3)
	ops.DeformConv2D(x, g.Input("offset", graph.Float32, 1, 18, 6, 6), w, nil, nil) // want error BL132 "a multiple of 3 input channels" "x has 4"
}

func deformedThere(g *graph.Graph) {
	h := g.Dim("h", graph.AtLeast(3))
	x, w := g.Input("x", graph.Float32, g.Dim("batch"), 4, h, 8), g.Input("w", graph.Float32, 6, 4, 3, 3)
	offset := ops.Conv2D(x, g.Input("v", graph.Float32, 18, 4, 3, 3), nil, ops.Padding(1))
	ops.DeformConv2D(x, offset, w, nil, nil, ops.Padding(1))
}

func framesOfShort(g *graph.Graph) {
	ops.STFT(g.Input("x", graph.Float32, g.Dim("batch"), 200), 512) // want error BL122 "STFT(x, 512)" "less than the corresponding input dimension" "(256, 256)"
}

func framesOfImages(g *graph.Graph) {
	ops.STFT(g.Input("x", graph.Float32, 1, 3, 800), 64) // want error BL103 "expected a 1D or 2D tensor"
}

func framesOfWideWindow(g *graph.Graph) {
	x, w := g.Input("x", graph.Float32, 800), g.Input("w", graph.Float32, 80)
	ops.STFT(x, 64, ops.STFTWindow(w)) // want error BL001 "win_length=80 and n_fft=64" "STFT(x, 64"
}

func signalOfHalf(g *graph.Graph) {
	spectra := ops.STFT(g.Input("x", graph.Float32, 800), 64)
	ops.ISTFT(spectra, 64, ops.STFTWhole()) // want error BL001 "to be 64, but got 33"
}

func signalOfGaps(g *graph.Graph) {
	spectra := ops.STFT(g.Input("x", graph.Float32, 800), 64, ops.STFTHop(80))
	ops.ISTFT(spectra, 64, ops.STFTHop(80)) // want error BL001 "frames leave gaps"
}

func signalThere(g *graph.Graph) {
	n := g.Dim("n", graph.AtLeast(40))
	x, w := g.Input("x", graph.Float32, g.Dim("batch"), n), ops.HannWindow(g, graph.Float32, 64, true)
	spectra := ops.STFT(x, 64, ops.STFTWindow(w))
	ops.Sub(ops.ISTFT(spectra, 64, ops.STFTWindow(w), ops.STFTLength(n)), x)
}

func unpooledWhole(g *graph.Graph) {
	n := g.Dim("n", graph.AtLeast(2))
	x := g.Input("x", graph.Float32, g.Dim("batch"), 3, n, n)
	values, indices := ops.MaxPoolIndex(x, []int{2, 2})
	ops.Add(ops.MaxUnpool(values, indices, n, n), x)
}

func sampledNamed(g *graph.Graph) {
	n, h := g.Dim("n"), g.Dim("h", graph.AtLeast(1))
	x, theta := g.Input("x", graph.Float32, n, 3, h, h), g.Input("theta", graph.Float32, n, 2, 3)
	ops.Add(ops.GridSample(x, ops.AffineGrid(theta, []graph.Dim{h, h}), ops.ResizeLinear, ops.PadZeros), x)
}

func resizedNamed(g *graph.Graph) {
	h := g.Dim("h", graph.AtLeast(1))
	x := g.Input("x", graph.Float32, g.Dim("batch"), 3, h, 8)
	up := ops.ResizeBy(x, ops.ResizeLinear, []float64{1.5, 2})
	ops.Add(up, g.Input("skip", graph.Float32, 3, h.Times(3).FloorDiv(2), 16))
}

func shuffledNamed(g *graph.Graph) {
	c := g.Dim("c", graph.AtLeast(1))
	x := g.Input("x", graph.Float32, g.Dim("batch"), c.Times(4), 8, 8)
	ops.Add(ops.PixelShuffle(x, 2), g.Input("skip", graph.Float32, c, 16, 16))
}

func columnsThere(g *graph.Graph) {
	n := g.Dim("n", graph.AtLeast(3))
	columns := ops.Im2Col(g.Input("x", graph.Float32, g.Dim("batch"), 3, n, n), 3, 3, ops.Padding(1))
	ops.Col2Im(columns, n, n, [2]int{3, 3}, ops.Padding(1))
}

// Pooling takes the greatest of windows, whose results are no weights: a product may sum along one axis of them.
func pooledLines(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("b"), 3, 28, 28)
	rows, columns := g.Input("rows", graph.Float32, 14, 10), g.Input("columns", graph.Float32, 28, 10)
	ops.MatMul(ops.MaxPool2D(x, 2, 2), rows)
	ops.MatMul(ops.Transpose(ops.MaxPool2D(x, 3, 3, ops.Stride(1), ops.Padding(1)), 2, 3), columns)
}
