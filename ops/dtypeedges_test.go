package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestLeastIntegers expects PyTorch's answers where an integer has no magnitude in its dtype.
func TestLeastIntegers(t *testing.T) {
	g := graph.New("least")
	x, y := g.Input("x", graph.Int8, 4), g.Input("y", graph.Int8, 4)
	in := feeds{x: reference.Of([]int8{-128, -128, 126, 3}, 4), y: reference.Of([]int8{7, -1, -128, -128}, 4)}
	require.Equal(t, []int8{-2, 0, 126, 3}, value(t, in, ops.Fmod(x, y)).Data)
	require.Equal(t, []int8{1, 1, 2, 1}, value(t, in, ops.Gcd(x, y)).Data)
	a, b := g.Input("a", graph.Int64, 2), g.Input("b", graph.Int64, 2)
	in = feeds{a: reference.Of([]int64{math.MinInt64, math.MaxInt64}, 2), b: reference.Of([]int64{7, math.MinInt64}, 2)}
	require.Equal(t, []int64{-1, math.MaxInt64}, value(t, in, ops.Fmod(a, b)).Data)
	require.Equal(t, []int64{1, 1}, value(t, in, ops.Gcd(a, b)).Data)
}

// TestPaddingOfIntegersIsNoMaximum pools negative integers of each dtype beside padding.
func TestPaddingOfIntegersIsNoMaximum(t *testing.T) {
	for _, dtype := range []graph.DType{graph.Int8, graph.Int16, graph.Int32, graph.Int64} {
		g := graph.New("pool")
		x := g.Input("x", dtype, 1, 1, 3)
		in := feeds{x: reference.FromFloats(dtype, []float64{-5, -3, -4}, 1, 1, 3)}
		pooled, place := ops.MaxPoolIndex(x, []int{2}, ops.Padding(1))
		require.Equal(t, []float64{-5, -3}, value(t, in, ops.MaxPool1D(x, 2, ops.Padding(1))).Floats(), dtype)
		require.Equal(t, []float64{-5, -3}, value(t, in, pooled).Floats(), dtype)
		require.Equal(t, []int64{0, 1}, value(t, in, place).Data, dtype)
	}
	g := graph.New("pool")
	x := g.Input("x", graph.Uint8, 1, 1, 2)
	in := feeds{x: reference.Of([]uint8{0, 200}, 1, 1, 2)}
	require.Equal(t, []uint8{0, 200}, value(t, in, ops.MaxPool1D(x, 2, ops.Padding(1))).Data)
}

// TestDTypesOfResultsAsPyTorch compares dtypes of results that are not those of operands.
func TestDTypesOfResultsAsPyTorch(t *testing.T) {
	g := graph.New("dtypes")
	in := func(dtype graph.DType) node { return g.Input(dtype.String(), dtype, 3) }
	small, bools, halves, singles := in(graph.Int8), in(graph.Bool), in(graph.Float16), in(graph.Float32)
	index := g.Input("index", graph.Int64, 3)
	for i, c := range []struct {
		of   node
		want graph.DType
	}{
		{ops.DiagEmbed(small, 1), graph.Int8}, {ops.DiagEmbed(bools, 0), graph.Bool},
		{ops.DiagEmbed(halves, 0), graph.Float16},
		{ops.Vander(small, 2, true), graph.Int64}, {ops.Vander(bools, 0, true), graph.Int64},
		{ops.Vander(halves, 3, true), graph.Float16},
		{ops.Ldexp(halves, small), graph.Float16}, {ops.Ldexp(small, small), graph.Float32},
		{ops.Ldexp(halves, singles), graph.Float32},
		{ops.Bincount(index, 4, small), graph.Float64}, {ops.Bincount(index, 4, singles), graph.Float32},
		{ops.Bincount(index, 4, halves), graph.Float64},
		{ops.Linspace(g, graph.Int16, -1.5, 3, 4), graph.Int16},
	} {
		require.NoError(t, c.of.Err())
		require.Equal(t, c.want, c.of.DType(), "row %d", i)
	}
	fed := feeds{small: reference.Of([]int8{-1, 2, 3}, 3), bools: reference.Of([]bool{true, false, true}, 3)}
	require.Equal(t, []int64{1, -1, 1, 2, 1, 3}, value(t, fed, ops.Vander(small, 2, true)).Data)
	require.Equal(t, []int16{-1, 0, 1, 3}, value(t, fed, ops.Linspace(g, graph.Int16, -1.5, 3, 4)).Data)
	bytes := g.Input("bytes", graph.Uint8, 2)
	fed[bytes] = reference.Of([]uint8{5, 0}, 2)
	require.Equal(t, []bool{true, false}, value(
		t, fed, ops.IsClose(bytes, graph.Constant(g, []uint8{6, 2}, 2), 0, 1)).Data)
	require.Equal(t, []int64{1, 0, 0, 0, 0, 1, 0}, value(t, fed, ops.Bincount(bytes, 7, nil)).Data)
	require.Equal(t, []bool{true, true, true}, value(t, fed, ops.IsClose(bools, ops.Not(bools), 0, 1)).Data)
}

// TestNumbersThatADTypeDoesNotHold fills, pads, bounds and chooses numbers as PyTorch does, which refuses those that
// overflow and lets negative ones wrap around in unsigned dtypes.
func TestNumbersThatADTypeDoesNotHold(t *testing.T) {
	g := graph.New("numbers")
	small, half, mask, index := g.Input("small", graph.Uint8, 3), g.Input("half", graph.Float16, 3),
		g.Input("mask", graph.Bool, 3), g.Input("index", graph.Int64, 1)
	for i, of := range []node{
		ops.Full(g, graph.Uint8, 300, 2), ops.Full(g, graph.Int8, -129, 2), ops.Full(g, graph.Float16, 65505, 1),
		ops.Full(g, graph.BFloat16, 3.4e38, 1),
		ops.Full(g, graph.Int64, math.Inf(1), 1), ops.Full(g, graph.Uint8, -300, 1), ops.FullLike(small, 300),
		ops.MaskedFill(half, mask, graph.Num(-1e9)),
		ops.MaskedFill(small, mask, graph.Num(256)), ops.Where(mask, small, graph.Num(300)),
		ops.Pad(half, 0, 1, 1, -1e9), ops.Clamp(small, 0, 300),
		ops.ClampMin(half, -1e9), ops.AtMost(small, graph.Num(300)), ops.Minimum(small, graph.Num(300)),
		ops.Threshold(half, 1, 1e9), ops.IndexFill(small, 0, index, graph.Num(300)),
	} {
		require.ErrorContains(t, of.Err(), "without overflow: ", "row %d", i)
	}
	require.ErrorContains(
		t, g.Err(),
		"Where(mask, small, 300): value cannot be converted to type uint8 without overflow: 300 is not from 0 to 255")
	g = graph.New("held")
	small, half, mask = g.Input("small", graph.Uint8, 3), g.Input("half", graph.Float16, 3),
		g.Input("mask", graph.Bool, 3)
	in := feeds{small: reference.Of([]uint8{0, 100, 255}, 3), mask: reference.Of([]bool{true, false, true}, 3)}
	require.Equal(t, []uint8{255, 100, 255}, value(t, in, ops.MaskedFill(small, mask, graph.Num(-1))).Data)
	require.Equal(t, []uint8{44, 144, 43}, value(t, in, ops.Add(small, graph.Num(300))).Data)
	for _, of := range []node{
		ops.MaskedFill(half, mask, graph.Num(math.Inf(-1))), ops.Pad(half, 0, 1, 0, math.NaN()),
		ops.Clamp(half, -65504, math.Inf(1)), ops.Full(g, graph.Bool, 2, 1),
		ops.Full(g, graph.Uint8, -255, 1), ops.Full(g, graph.Int64, math.MaxInt64, 1),
		ops.Full(g, graph.Uint64, math.MaxUint64, 1), ops.Full(g, graph.Int8, -128, 1),
		ops.Greater(small, graph.Num(300)), ops.Add(half, graph.Num(1e9)),
	} {
		require.NoError(t, of.Err())
	}
}

// TestCTCOfHalves computes in float32, so that the logarithm of 0 is a number, and rounds once.
func TestCTCOfHalves(t *testing.T) {
	g := graph.New("ctc")
	x, targets, lengths := g.Input("x", graph.Float16, 4, 2, 3), g.Input("targets", graph.Int64, 2, 2),
		g.Input("lengths", graph.Int64, 2)
	steps := graph.Constant(g, []int64{4, 4}, 2)
	in := feeds{targets: reference.Of([]int64{1, 2, 1, 1}, 2, 2), lengths: reference.Of([]int64{2, 1}, 2)}
	numbers := make([]float32, 24)
	for i := range numbers {
		numbers[i] = float32(i%7)/4 - 1
	}
	in[x] = reference.Of(half.ToFloat16(numbers), 4, 2, 3)
	loss := func(x node) node { return ops.CTC(ops.LogSoftmax(x, 2), targets, steps, lengths, ops.SumLoss()) }
	short, long := loss(x),
		ops.CTC(ops.Cast(ops.LogSoftmax(x, 2), graph.Float32), targets, steps, lengths, ops.SumLoss())
	require.Equal(t, value(t, in, ops.Cast(long, graph.Float16)).Data, value(t, in, short).Data)
	slope := value(t, in, ops.Cast(autodiff.Grad(short, []node{x})[0], graph.Float32)).Data.([]float32)
	wide := value(t, in, ops.Cast(autodiff.Grad(long, []node{x})[0], graph.Float32)).Data.([]float32)
	for i, v := range slope {
		require.InDelta(t, wide[i], v, 4e-3, "%d", i)
	}
}

// TestPartsOfHalves compares the neighbours and the parts of numbers of 16 bits with those that their codes show.
func TestPartsOfHalves(t *testing.T) {
	g := graph.New("halves")
	var codes []half.Float16
	for c := range 0x7c00 { // all that are finite and not negative
		codes = append(codes, half.Float16(c))
	}
	x := g.Input("x", graph.Float16, graph.Dim(len(codes)))
	in := feeds{x: reference.Of(codes, len(codes))}
	mantissa, exponent := ops.Frexp(x)
	up := value(t, in, ops.NextAfter(x, graph.Num(math.Inf(1)))).Data.([]half.Float16)
	down := value(t, in, ops.NextAfter(x, graph.Num(0))).Data.([]half.Float16)
	again := value(t, in,
		ops.Mul(ops.Cast(mantissa, graph.Float64), ops.Pow(graph.Num(2), ops.Cast(exponent, graph.Float64)))).Floats()
	for i, c := range codes {
		require.Equal(t, c+1, up[i])
		require.Equal(t, max(c, 1)-1, down[i])
		require.Equal(t, float64(c.Float32()), again[i])
	}
	b := g.Input("b", graph.BFloat16, 3)
	in = feeds{b: reference.FromFloats(graph.BFloat16, []float64{math.NaN(), math.Inf(1), math.Inf(-1)}, 3)}
	require.Equal(t, []float64{0.5, 0x1.fep127, -0x1.fep127},
		value(t, in, ops.NanToNum(b, 0.5, math.Inf(1), math.Inf(-1))).Floats())
	in[b] = reference.FromFloats(graph.BFloat16, []float64{0, 1, 0x1.fep127}, 3)
	require.Equal(t, []float64{0x1p-133, 1 + 0x1p-7, math.Inf(1)},
		value(t, in, ops.NextAfter(b, graph.Num(math.Inf(1)))).Floats())
}

// TestPadTakesElementsAway pads by fewer than no elements, whose gradient is 0.
func TestPadTakesElementsAway(t *testing.T) {
	g := graph.New("pad")
	x := g.Input("x", graph.Float64, g.Dim("n", graph.AtLeast(3)), 2)
	in := feeds{x: reference.Of([]float64{1, 2, 3, 4, 5, 6}, 3, 2)}
	y := ops.Pad(x, 0, -1, 1, 9)
	require.Equal(t, []float64{3, 4, 5, 6, 9, 9}, value(t, in, y).Floats())
	require.Equal(t, []float64{0, 0, 1, 1, 1, 1}, value(t, in, autodiff.Grad(ops.Sum(y), []node{x})[0]).Floats())
	require.Equal(t, []int{1, 2}, value(t, in, ops.Pad(x, -2, -1, -1, 0)).Shape)
}

// TestVarianceOfRows takes a variance without x's last axis for one of each row, as PyTorch does.
func TestVarianceOfRows(t *testing.T) {
	g := graph.New("variance")
	x, target := g.Input("x", graph.Float64, 2, 2), g.Input("t", graph.Float64, 2, 2)
	rows, wrong := g.Input("rows", graph.Float64, 2), g.Input("wrong", graph.Float64, 3)
	in := feeds{x: reference.Of([]float64{1, 2, 3, 4}, 2, 2), target: reference.Of([]float64{1, 1, 1, 1}, 2, 2),
		rows: reference.Of([]float64{1, 4}, 2)}
	want := []float64{0, 0.5, 0.5 * (math.Log(4) + 1), 0.5 * (math.Log(4) + 9./4)}
	for _, v := range []node{rows, ops.Unsqueeze(rows, 1)} {
		requireClose(t, want, value(t, in, ops.GaussianNLL(x, target, v, ops.EachLoss())).Floats(), 1e-12,
			"GaussianNLL")
	}
	requireClose(t, []float64{0, 0.5, 2, 4.5},
		value(t, in, ops.GaussianNLL(x, target, graph.Num(1.0), ops.EachLoss())).Floats(), 1e-12, "one number")
	requireMistake(t, ops.GaussianNLL(x, target, wrong), "var is of incorrect size: it is [3], but x is [2, 2]")
}

// TestNumbersThatMeanNothing refuses what PyTorch refuses.
func TestNumbersThatMeanNothing(t *testing.T) {
	g := graph.New("numbers")
	x := g.Input("x", graph.Float32, 3)
	requireMistake(t, ops.Huber(x, x, 0), "huber_loss does not support non-positive values for delta, but it is 0")
	requireMistake(t, ops.SoftShrink(x, -1), "lambda must be greater or equal to 0, but found to be -1")
	requireMistake(t, ops.HardTanh(x, 2, 1), "min_val cannot be greater than max_val, but they are 2 and 1")
	_, places := ops.TopK(g.Input("s", graph.Float32), 0, 0, true)
	requireMistake(t, places, "selected index k out of range: a scalar has one element, but k is 0")
}

// TestSlopeOfInfinities: an infinite x above 0 has no part in PRelu's gradient to the slope.
func TestSlopeOfInfinities(t *testing.T) {
	g := graph.New("prelu")
	x, slope := g.Input("x", graph.Float64, 3), g.Input("slope", graph.Float64, 1)
	in := feeds{x: reference.Of([]float64{math.Inf(1), -2, 3}, 3), slope: reference.Of([]float64{0.5}, 1)}
	grads := autodiff.Grad(ops.Sum(ops.PRelu(x, slope)), []node{x, slope})
	require.Equal(t, []float64{1, 0.5, 1}, value(t, in, grads[0]).Floats())
	require.Equal(t, []float64{-2}, value(t, in, grads[1]).Floats())
}

// TestLossesRefuseWhatTheyDoNotRead gives losses options of others.
func TestLossesRefuseWhatTheyDoNotRead(t *testing.T) {
	for want, build := range map[string]func(x, target, w node) node{
		"MSE has no option ClassWeights: its options are ElementWeights, SumLoss and EachLoss": func(x, target,
			w node) node {
			return ops.MSE(x, target, ops.ClassWeights(w))
		},
		"CrossEntropy has no option ElementWeights: its options are IgnoreIndex, ClassWeights, LabelSmoothing, SumLoss and EachLoss": func(x,
			target, w node) node {
			return ops.CrossEntropy(x, target, ops.ElementWeights(w), ops.LabelSmoothing(0.1))
		},
		"NLL has no option LabelSmoothing: its options are IgnoreIndex, ClassWeights, SumLoss and EachLoss": func(x,
			target, w node) node {
			return ops.NLL(x, ops.ArgMax(target, 1), ops.LabelSmoothing(0.1))
		},
		"": func(x, target, w node) node {
			return ops.MultiLabelSoftMargin(x, target, ops.ClassWeights(w), ops.SumLoss())
		},
	} {
		g := graph.New("options")
		build(g.Input("x", graph.Float32, 2, 3), g.Input("t", graph.Float32, 2, 3), g.Param("w", graph.Float32, 3))
		if want == "" {
			require.NoError(t, g.Err())
			continue
		}
		require.ErrorContains(t, g.Err(), want)
		require.NotContains(t, g.Err().Error(), "1 more", want)
	}
}

// TestDeviationWhoseSquaresLeaveTheRange: a standard deviation is of the size of its elements, whose squares may be
// beyond Float32.
func TestDeviationWhoseSquaresLeaveTheRange(t *testing.T) {
	for _, size := range []float32{3e19, 1, 3e-23, 1e38} {
		g := graph.New("deviation")
		x := g.Input("x", graph.Float32, 2, 4)
		in := feeds{x: reference.Value{DType: graph.Float32, Shape: []int{2, 4},
			Data: []float32{size, 2 * size, 3 * size, -size / 4, 7, 7, 7, 7}}}
		deviation := math.Sqrt((0.4375*0.4375 + 0.5625*0.5625 + 1.5625*1.5625 + 1.6875*1.6875) / 3)
		y := value(t, in, ops.Div(ops.Std(x, 1, 1), graph.Num(float64(size)))).Floats()
		requireClose(t, []float64{deviation, 0}, y, 1e-6, "Std")
		if size > 1e37 {
			continue // the sum of the elements, too
		}
		slopes := value(t, in, autodiff.Grad(ops.Sum(ops.Std(x, 1, 1)), []node{x})[0]).Floats()
		requireClose(t, []float64{-0.4375 / 3 / deviation, 0.5625 / 3 / deviation, 1.5625 / 3 / deviation,
			-1.6875 / 3 / deviation, 0, 0, 0, 0}, slopes, 1e-6, "gradient of Std")
	}
}

// TestBytesOfNumbers: a byte of a number is the last one of the whole number of 64 bits, of which the greatest and the
// least stand for all beyond.
func TestBytesOfNumbers(t *testing.T) {
	numbers := []float32{0, -0.5, 1.9, -1.9, 127, 128, 255.9, 256, -129.7, 300, 2147483520, 2147483648, -2147483648,
		-2147483904, 1e10, -1e10, 1 << 40, 3 << 38,
		9223371487098961920, 1 << 63, -1 << 63, -9223373136366403584, 1e30, -1e30, float32(math.Inf(1)),
		float32(math.Inf(-1)), float32(math.NaN())}
	g := graph.New("bytes")
	x := g.Input("x", graph.Float32, graph.Dim(len(numbers)))
	in := feeds{x: reference.Value{DType: graph.Float32, Shape: []int{len(numbers)}, Data: numbers}}
	signed, unsigned := value(t, in, ops.Cast(x, graph.Int8)).Floats(), value(t, in, ops.Cast(x, graph.Uint8)).Floats()
	for i, v := range numbers {
		whole := int64(0)
		switch {
		case v >= 1<<63:
			whole = math.MaxInt64
		case v < -1<<63:
			whole = math.MinInt64
		case v == v:
			whole = int64(v)
		}
		require.Equal(t, float64(int8(whole)), signed[i], "Int8 of %v", v)
		require.Equal(t, float64(uint8(whole)), unsigned[i], "Uint8 of %v", v)
	}
}
