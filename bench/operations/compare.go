package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// tolerances are how far an element may be from PyTorch's, relatively to its magnitude and the mean one.
var tolerances = map[graph.DType]float64{
	graph.Float16: 5e-3, graph.BFloat16: 3e-2, graph.Float32: 2e-4, graph.Float64: 1e-8}

// result is a result in PyTorch.
type result struct {
	shape  []int
	values []float64
}

// differs says how a result differs from PyTorch's beyond rounding; "" if it does not.
func differs(got exec.Array, want result, drawn bool) string {
	nothing := slices.Equal(want.shape, []int{0}) // of an operand on which nothing depends
	if nothing && got.Shape != nil {
		return ""
	}
	if !slices.Equal(got.Shape, want.shape) {
		return fmt.Sprintf("the shape is %v, and %v in PyTorch", got.Shape, want.shape)
	}
	values := floats(got.Data)
	if drawn {
		mean, deviation := moments(values)
		theirs, theirDeviation := moments(want.values)
		if far := (0.02 + 5/math.Sqrt(float64(len(values)))) * max(0.1, theirDeviation); math.Abs(mean-theirs) > far ||
			math.Abs(deviation-theirDeviation) > far {
			return fmt.Sprintf("mean and deviation are %.4g and %.4g, and %.4g and %.4g in PyTorch", mean, deviation,
				theirs, theirDeviation)
		}
		return ""
	}
	t, _ := graph.DTypeOfSlice(got.Data)
	tolerance, scale := tolerances[t], meanMagnitude(want.values)
	wrong, first := 0, -1
	for i, v := range values {
		w := want.values[i]
		if v == w || math.IsNaN(v) && math.IsNaN(w) || math.Abs(v-w) <= tolerance*(math.Abs(w)+scale) {
			continue
		}
		if wrong++; first < 0 {
			first = i
		}
	}
	if wrong == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d elements differ: element %d is %v, and %v in PyTorch", wrong, len(values), first,
		values[first], want.values[first])
}

// meanMagnitude is that of the finite elements.
func meanMagnitude(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			sum += math.Abs(v)
		}
	}
	return sum / float64(max(1, len(list)))
}

// moments are mean and standard deviation.
func moments(list []float64) (mean, deviation float64) {
	sum, squares := 0.0, 0.0
	for _, v := range list {
		sum += v
		squares += v * v
	}
	n := float64(max(1, len(list)))
	return sum / n, math.Sqrt(max(0, squares/n-sum*sum/n/n))
}

// notFinite is the share of elements that are no number or infinite.
func notFinite(list []exec.Array) float64 {
	count, all := 0, 0
	for _, a := range list {
		for _, v := range floats(a.Data) {
			all++
			if math.IsNaN(v) || math.IsInf(v, 0) {
				count++
			}
		}
	}
	return float64(count) / float64(max(1, all))
}
