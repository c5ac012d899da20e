package stablehlo

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/arrayforms"
	"github.com/broadloom/broadloom/ops"
)

// functions are the operations that are Go functions of whole arrays, which have a form in StableHLO.
var functions = map[*graph.Op]func(e *exporter, n *graph.Node, in []*value) *value{
	ops.Lookup("order"):      (*exporter).order,
	ops.Lookup("cholesky"):   (*exporter).cholesky,
	ops.Lookup("triangular"): (*exporter).triangular,
	ops.Lookup("bit_cast"):   (*exporter).bitCast,
	ops.Lookup("dft"):        (*exporter).fourier, ops.Lookup("real_dft"): (*exporter).fourierOfReal,
	ops.Lookup("real_from_dft"): (*exporter).fourierToReal,
}

// function computes a node whose operation is a Go function, which no other engine has.
func (e *exporter) function(n *graph.Node, in []*value) *value {
	form, other := functions[n.Op()], arrayforms.Of(n.Op())
	switch {
	case form == nil && other == nil:
		return e.Fail(
			n,
			"cannot be written in StableHLO: it is computed by a Go function. Compute it before or after the exported program, "+
				"and feed the result to it")
	case e.typeOf(n).count() == 0:
		return e.splat(e.typeOf(n), 0)
	case other != nil:
		return e.WriteAs(n, in, other)
	}
	wide := make([]*value, len(in))
	for i, x := range in {
		if wide[i] = x; !n.Op().AsStored {
			wide[i] = e.widened(x)
		}
	}
	return e.convert(form(e, n, wide), n.DType())
}

// bitCast reinterprets the bits of elements as another dtype. StableHLO puts the parts of wider elements along an
// additional axis.
func (e *exporter) bitCast(n *graph.Node, in []*value) *value {
	x, t := in[0], e.typeOf(n)
	if x.dtype == graph.Bool { // which has one bit there
		x = e.convert(x, graph.Uint8)
	}
	form := tensor{t.dtype, slices.Clone(x.shape)}
	switch from, to := x.dtype.Size(), t.dtype.Size(); {
	case from > to:
		form.shape = append(form.shape, from/to)
	case from < to:
		x = e.stable("reshape", tensor{x.dtype, append(slices.Clone(t.shape), to/from)}, x)
		form.shape = slices.Clone(t.shape)
	}
	if x.dtype == form.dtype {
		return e.stable("reshape", t, x)
	}
	return e.stable("reshape", t, e.stable("bitcast_convert", form, x))
}

// order returns the places of the first elements of the last axis in their order. NaN is the greatest, and equal
// elements stay in order.
func (e *exporter) order(n *graph.Node, in []*value) *value {
	x, t := in[0], e.typeOf(n)
	axis := len(x.shape) - 1
	places := e.iota(x.of(graph.Int64), axis)
	descending := n.Attrs().(interface{ IsDescending() bool }).IsDescending()
	body := newBlock("stablehlo.return")
	for _, d := range []graph.DType{x.dtype, x.dtype, graph.Int64, graph.Int64} {
		body.argument(tensor{dtype: d})
	}
	e.within(body, func() {
		first, second := body.args[0], body.args[1]
		if descending {
			first, second = second, first
		}
		before := e.compare("LT", first, second)
		if x.dtype.IsFloat() {
			before = e.same("or", before, e.same("and", e.compare("EQ", first, first), e.compare("NE", second, second)))
		}
		body.out = []*value{before}
	})
	sorted := e.append("stablehlo.sort", []tensor{x.tensor, places.tensor},
		[]attr{{"dimension", fmt.Sprintf("%d : i64", axis)}, {"is_stable", "true"}}, []*block{body},
		[]*value{x, places}).out[1]
	start, step := make([]int, len(t.shape)), make([]int, len(t.shape))
	for i := range step {
		step[i] = 1
	}
	return e.slice(sorted, start, t.shape, step)
}

// cholesky returns the lower triangle L with L·Lᵀ = A. XLA leaves the upper one undefined, and gives NaN if there is no
// such L.
func (e *exporter) cholesky(_ *graph.Node, in []*value) *value {
	x := in[0]
	y := e.apply("stablehlo.cholesky", x.tensor, []attr{{"lower", "true"}}, x)
	rows, cols := e.iota(x.of(graph.Int64), len(x.shape)-2), e.iota(x.of(graph.Int64), len(x.shape)-1)
	y = e.choose(e.compare("GE", rows, cols), y, e.splat(y.tensor, 0))
	e.claim(e.compare("EQ", y, y),
		"the factorization could not be completed because the input is not positive-definite")
	return y
}

// triangular returns the solution X of A·X = B for triangular matrices A.
func (e *exporter) triangular(n *graph.Node, in []*value) *value {
	upper, transposed, unit := n.Attrs().(interface {
		Triangle() (upper, transposed, unit bool)
	}).Triangle()
	form := "NO_TRANSPOSE"
	if transposed {
		form = "TRANSPOSE"
	}
	return e.apply("stablehlo.triangular_solve", in[1].tensor, []attr{
		{"left_side", "true"}, {"lower", strconv.FormatBool(!upper)}, {"unit_diagonal", strconv.FormatBool(unit)},
		{"transpose_a", "#stablehlo<transpose " + form + ">"},
	}, in...)
}
