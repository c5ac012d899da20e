package stablehlo

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// matmul is the matrix product of t: of vectors, matrices, and batches that broadcast. It has the highest
// precision that an engine has: others round operands to fewer digits.
func (e *exporter) matmul(t tensor, x, y *value) *value {
	if y := e.convolution(t, x, y); y != nil {
		return y
	}
	if len(x.shape) == 1 {
		x = e.reshape(x, []int{1, x.shape[0]})
	}
	if len(y.shape) == 1 {
		y = e.reshape(y, []int{y.shape[0], 1})
	}
	rank := max(len(x.shape), len(y.shape))
	rows, cols := x.shape[len(x.shape)-2], y.shape[len(y.shape)-1]
	switch {
	case len(y.shape) == 2: // one matrix for the whole batch of x
		return e.reshape(e.dot(x, y, 0, len(x.shape)-1, 0), t.shape)
	case len(x.shape) == 2: // one matrix for the whole batch of y
		last := len(y.shape) - 1
		product := e.dot(x, y, 0, 1, last-1) // [rows, batch…, cols]
		order := []int{}
		for i := 1; i < last; i++ {
			order = append(order, i)
		}
		return e.reshape(e.transpose(product, append(order, 0, last)), t.shape)
	}
	batch := make([]int, rank-2)
	for i := range batch {
		batch[i] = max(sizeFrom(x.shape, rank-i), sizeFrom(y.shape, rank-i))
		if sizeFrom(x.shape, rank-i) == 0 || sizeFrom(y.shape, rank-i) == 0 {
			batch[i] = 0
		}
	}
	inner := x.shape[len(x.shape)-1]
	x = e.broadcast(x, append(append([]int{}, batch...), rows, inner))
	y = e.broadcast(y, append(append([]int{}, batch...), inner, cols))
	return e.reshape(e.dot(x, y, rank-2, rank-1, rank-2), t.shape)
}

// sizeFrom returns the size of an axis that is counted from the end, from 1; 1 if there is none.
func sizeFrom(shape []int, back int) int {
	if back > len(shape) {
		return 1
	}
	return shape[len(shape)-back]
}

// dot multiplies over one axis of each operand, for each element of their first axes: the result has the axes of the
// batch, the others of x and the others of y.
func (e *exporter) dot(x, y *value, batch, xAxis, yAxis int) *value {
	shape, both := append([]int{}, x.shape[:batch]...), []int{}
	for i := range batch {
		both = append(both, i)
	}
	shape = append(shape, without(x.shape[batch:], []int{xAxis - batch})...)
	shape = append(shape, without(y.shape[batch:], []int{yAxis - batch})...)
	numbers := fmt.Sprintf(
		"#stablehlo.dot<lhs_batching_dimensions = %s, rhs_batching_dimensions = %s, lhs_contracting_dimensions = [%d], rhs_contracting_dimensions = [%d]>",
		axes(both), axes(both), xAxis, yAxis)
	return e.product(x, y, func(x, y *value, sums graph.DType) *value {
		return e.apply("stablehlo.dot_general", tensor{sums, shape},
			[]attr{{"dot_dimension_numbers", numbers}, precise}, x, y)
	})
}

// product writes sums of products: those of numbers of 16 bits are sums in float32, which are rounded once, and such
// that were widened are multiplied as they were.
func (e *exporter) product(x, y *value, write func(x, y *value, sums graph.DType) *value) *value {
	result, sums := x.dtype, heldAs(x.dtype)
	if a, b := e.unwidened(x), e.unwidened(y); a != nil && b != nil && a.dtype == b.dtype {
		x, y = a, b
	}
	return e.convert(write(x, y, sums), result)
}

// unwidened returns the value that a value of float32, under rearrangements, was widened from; nil if there is none.
func (e *exporter) unwidened(x *value) *value {
	if x.def == nil || x.dtype != graph.Float32 {
		return nil
	}
	in := slices.Clone(x.def.in)
	switch x.def.op {
	case "stablehlo.convert":
		if heldAs(in[0].dtype) == graph.Float32 {
			return in[0]
		}
		return nil
	case "stablehlo.pad":
		if zero, is := number(in[1]); !is || zero != element(x.dtype, []float64{0}, 0) {
			return nil
		}
	case "stablehlo.transpose", "stablehlo.reshape", "stablehlo.broadcast_in_dim", "stablehlo.slice",
		"stablehlo.reverse":
	default:
		return nil
	}
	if in[0] = e.unwidened(in[0]); in[0] == nil {
		return nil
	}
	if len(in) > 1 {
		in[1] = e.splat(tensor{dtype: in[0].dtype}, 0)
	}
	return e.apply(x.def.op, x.of(in[0].dtype), x.def.attrs, in...)
}

// precise asks for products of full precision.
var precise = attr{"precision_config", "[#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]"}
