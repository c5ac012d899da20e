package exec_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// claim is what an operation is made to claim, and what the error says; nothing where it is true.
type claim struct {
	of     func(name string) *graph.Op
	change func(op *graph.Op)
	says   string
}

// of1 makes an elementwise operation of one operand from a primitive, of2 one of two.
func of1(p graph.Prim) func(name string) *graph.Op {
	return func(name string) *graph.Op {
		op := ownScale(name)
		op.Emit = func(e graph.Emitter, _ *graph.Node, x []graph.Value) graph.Value { return e.Prim(p, x[0]) }
		return op
	}
}

func of2(p graph.Prim) func(name string) *graph.Op {
	return func(name string) *graph.Op {
		op := ownMix(name)
		op.Emit = func(e graph.Emitter, _ *graph.Node, x []graph.Value) graph.Value { return e.Prim(p, x...) }
		return op
	}
}

func identity(v float64, operands ...int) func(op *graph.Op) {
	return func(op *graph.Op) {
		op.Identity = func(_ graph.DType, i int) (float64, bool) { return v, slices.Contains(operands, i) }
	}
}

func involution(op *graph.Op) { op.Involution = true }

func fill(op *graph.Op) { op.Fill = true }

// stored is a write of the second operand.
func stored(name string) *graph.Op {
	op := *ownUpdate(name)
	op.OutOfPlace = nil
	op.Emit = func(_ graph.Emitter, _ *graph.Node, x []graph.Value) graph.Value { return x[1] }
	return &op
}

// ownRowsOf is a composite that says how it reads its operand: row by row.
func ownRowsOf(expand func(x *graph.Node) *graph.Node) func(name string) *graph.Op {
	return func(name string) *graph.Op {
		op := ownWritten(name)
		op.Expand = func(_ *graph.Node, in []*graph.Node) *graph.Node { return expand(in[0]) }
		op.Aligned = func(*graph.Node, int) []int { return []int{0, -1} }
		return op
	}
}

var claimsOf = map[string]claim{
	"a sum and -0": {of2(graph.PrimAdd), identity(math.Copysign(0, -1), 0, 1), ""},
	"a sum and 0": {of2(graph.PrimAdd), identity(0, 1),
		"it claims Identity, and of float64 it gives 0 for operand 1: Own(-0, 0) is 0"},
	"a product and 1": {of2(graph.PrimMul), identity(1, 0, 1), ""},
	"a product and 2": {of2(graph.PrimMul), identity(2, 0),
		"of float64 it gives 2 for operand 0: Own(2, 1) is 2"},
	"a difference and 0, right": {of2(graph.PrimSub), identity(0, 1), ""},
	"a difference and 0, left": {of2(graph.PrimSub), identity(0, 0),
		"of float64 it gives 0 for operand 0: Own(0, -0) is 0"},
	"a maximum and -inf": {of2(graph.PrimMax), identity(math.Inf(-1), 0, 1), ""},
	"a maximum and the smallest": {of2(graph.PrimMax), identity(-math.MaxFloat64, 1),
		"Own(-Inf, -1.7976931348623157e+308) is -1.7976931348623157e+308"},
	"a power and 1": {of2(graph.PrimPow), identity(1, 1), ""},
	"Identity panics": {of2(graph.PrimAdd), func(op *graph.Op) {
		op.Identity = func(graph.DType, int) (float64, bool) { panic("oh") }
	}, "Identity panics at ownclaims_test.go:"},

	"a negation": {of1(graph.PrimNeg), involution, ""},
	"a reciprocal": {of1(graph.PrimRecip), involution,
		"it claims Involution, and Own(Own(49)) of float64 is 49.00000000000001"},
	"an inverse":    {of1(graph.PrimFloor), involution, "Own(Own(0.5)) of float64 is 0"},
	"a scale of 3":  {ownScale, involution, "Own(Own(1)) of float64 is 9"},
	"rows backward": {ownTurn, involution, ""},
	"rows moved on": {func(name string) *graph.Op {
		op := ownTurn(name)
		op.View = func(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
			out := graph.Layout{Shape: n.Shape(), Strides: slices.Clone(in.Strides), Offset: in.Offset}
			out.Strides[0] = 0
			return out, true
		}
		return op
	}, involution, "applied twice to the numbers 0, 1, … in shape [2, 3] it gives 0 in the place of 3"},

	"a copy": {stored, fill, ""},
	"a sum that is written": {func(name string) *graph.Op { op := ownUpdate(name); op.OutOfPlace = nil; return op },
		fill, "it claims Fill, and Own(1, 0) of float64 stores 1"},
	"the same out of place": {ownUpdate, func(*graph.Op) {}, ""},
	"another out of place": {ownUpdate, func(op *graph.Op) { op.OutOfPlace = ops.Lookup("add") },
		`it claims OutOfPlace, and Own(0, 1) of float64 stores 3, and Add gives 1`},

	"rows by themselves": {ownRowsOf(func(x *graph.Node) *graph.Node { return ops.CumSum(x, 1) }), func(*graph.Op) {},
		""},
	"rows added up": {ownRowsOf(func(x *graph.Node) *graph.Node { return ops.Add(x, ops.Flip(x, 0)) }),
		func(*graph.Op) {},
		"it claims Aligned, and axis 0 of operand 0 is read at the position of axis 0 of the result: what is at 1 there changes the result at 0"},
}

// TestFalseClaims: a false claim of an operation is reported with a number that refutes it.
func TestFalseClaims(t *testing.T) {
	for name, c := range claimsOf {
		op := c.of("own")
		c.change(op)
		g := graph.New("claims")
		x, z := g.Input("x", graph.Float64, 2, 3), g.Input("z", graph.Float64, 2, 3)
		in := nodes{ops.Copy(x), z}[:op.MinIn]
		y := graph.Apply(op, nil, in...)
		_, err := exec.Compile(g, exec.Outputs(y))
		if c.says == "" {
			require.NoError(t, err, name)
			continue
		}
		var report *shapeinfer.Report
		require.True(t, errors.As(err, &report), "%s: %v", name, err)
		require.ErrorContains(t, err, c.says, name)
		require.Regexp(t, `^ownclaims_test\.go:\d+:\d+: error BL005: Own\(`, err.Error(), name)
	}
}

// A view that claims Once but shows an element twice is reported when its sizes are known.
func TestFalseClaimsOfOnce(t *testing.T) {
	op := ownTurn("own")
	op.Once = true
	op.View = func(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
		out := graph.Layout{Shape: n.Shape(), Strides: slices.Clone(in.Strides), Offset: in.Offset}
		out.Strides[0] = 0
		return out, true
	}
	const says = "it claims Once, but View shows element 0 of its operand at [0 0] and at [1 0]"
	g := graph.New("claims")
	_, err := exec.Compile(g, exec.Outputs(graph.Apply(op, nil, g.Input("x", graph.Float64, 2, 3))))
	require.ErrorContains(t, err, says)
	require.Regexp(t, `^ownclaims_test\.go:\d+:\d+: error BL005: Own\(x`, err.Error())

	g = graph.New("claims")
	x := g.Input("x", graph.Float64, g.Dim("m"), g.Dim("n"))
	p, err := exec.Compile(g, exec.Outputs(graph.Apply(op, nil, x)))
	require.NoError(t, err)
	_, err = p.NewSession().Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{2, 3}, Data: make([]float64, 6)}})
	require.ErrorContains(t, err, says)
	op.Once = false
	_, err = p.NewSession().Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{1, 3}, Data: make([]float64, 3)}})
	require.NoError(t, err)
}

// Claims are tried on the dtype in which an operation is used.
func TestFalseClaimsOfDTypes(t *testing.T) {
	for dtype, says := range map[graph.DType]string{
		graph.Float16: "Own(-Inf, -65504) is -65504", graph.Float32: "", graph.Int8: "Own(-128, -127) is -127",
		graph.Int64: "", graph.Uint8: "",
	} {
		op := of2(graph.PrimMax)("own")
		op.Identity = func(t graph.DType, i int) (float64, bool) {
			return map[graph.DType]float64{graph.Float16: -65504, graph.Float32: math.Inf(-1), graph.Int8: -127,
				graph.Int64: math.MinInt64}[t], i == 1
		}
		g := graph.New("claims")
		x := g.Input("x", dtype, g.Dim("n"))
		_, err := exec.Compile(g, exec.Outputs(graph.Apply(op, nil, x, x)))
		if says == "" {
			require.NoError(t, err, dtype)
			continue
		}
		require.ErrorContains(t, err, says, dtype)
	}
}

// A copy of an operation of the library's that claims more is a user's, and so is one that a composite is written with.
func TestFalseClaimsWithin(t *testing.T) {
	copied := *ops.Lookup("exp")
	copied.Involution = true
	hidden := ownWritten("outer")
	hidden.Expand = func(_ *graph.Node, in []*graph.Node) *graph.Node {
		return graph.Apply(&copied, nil, graph.Apply(&copied, nil, in[0]))
	}
	for _, op := range []*graph.Op{&copied, hidden} {
		g := graph.New("claims")
		y := graph.Apply(op, nil, g.Input("x", graph.Float64, 2, 3))
		_, err := exec.Compile(g, exec.Outputs(y))
		require.ErrorContains(
			t, err,
			`the operation "exp" is incomplete: it claims Involution, and Exp(Exp(0)) of float64 is 2.718281828459045`)
		require.Regexp(t, `^ownclaims_test\.go:\d+`, err.Error())
	}
}
