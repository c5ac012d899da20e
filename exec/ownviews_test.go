package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A movement of named sizes is judged when they are bound: what reaches outside of its operand then reads no memory.
func TestOwnMovementsOfNamedSizes(t *testing.T) {
	n, m := graph.SymbolicDim("n"), graph.SymbolicDim("m")
	view := func(offset graph.Dim, strides ...graph.Dim) func(op *graph.Op) {
		return func(op *graph.Op) {
			op.View = func(_ *graph.Node, in graph.Layout) (graph.Layout, bool) {
				if in.Offset != 0 {
					return in, false
				}
				return graph.Layout{Shape: in.Shape, Strides: strides, Offset: offset}, true
			}
		}
	}
	place := func(start graph.Dim) func(op *graph.Op) {
		return func(op *graph.Op) {
			op.Assemble = func(*graph.Node) (a graph.Assembly) {
				a.Put(shape{start, 0}, shape{1, 1})
				return a
			}
		}
	}
	for name, c := range map[string]struct {
		of     func(string) *graph.Op
		change func(op *graph.Op)
		says   string // by n = 2 and m = 3
		holds  bool   // by n = 3 and m = 2
	}{
		"behind": {ownTurn, view(n.Times(n), m, 1), "View reaches elements 4 to 9 of an operand that has 6",
			false},
		"before": {ownTurn, view(n.Minus(m), m, 1), "View reaches elements -1 to 4 of an operand that has 6",
			false},
		"some strides": {ownTurn, view(0, m.Times(m.Minus(1)), 1),
			"View reaches elements 0 to 8 of an operand that has 6", true},
		"of either sign": {ownTurn, view(0, n.Minus(m), 0), "View reaches elements -1 to 0 of an operand that has 6",
			true},
		"far": {ownTurn, view(0, m.Times(1<<40), 1),
			"View reaches elements 0 to 3298534883330 of an operand that has 6", false},
		"apart": {ownSpread, place(m.Minus(2).Times(3)),
			"Assemble places operand 0 at 3 to 4 in steps of 1 along axis 0, whose size is 4", true},
		"right": {ownTurn, func(*graph.Op) {}, "", true},
	} {
		op := c.of("own")
		c.change(op)
		g := graph.New("views")
		x := g.Input("x", graph.Float64, g.Dim("n"), g.Dim("m"))
		y := graph.Apply(op, nil, x)
		p, err := exec.Compile(g, exec.Outputs(y, ops.Exp(y)))
		require.NoError(t, err, name)
		s := p.NewSession()
		_, err = s.Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{2, 3}, Data: make([]float64, 6)}})
		if c.says == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.says, name)
			require.Regexp(t, `n = 2 +from input x, axis 0(.|\n)*used by Own\(x\) at ownviews_test\.go:\d+`,
				err.Error(), name)
		}
		_, err = s.Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{3, 2}, Data: make([]float64, 6)}})
		require.Equal(t, c.holds, err == nil, "%s: %v", name, err)
	}
}

// View is also called for operands that are views. One that returns the layout of a dense operand is reported.
func TestOwnViewsOfViews(t *testing.T) {
	for name, sizes := range map[string]shape{"numbers": {2, 3}, "names": {graph.SymbolicDim("n"), 3}} {
		op := ownTurn("own")
		op.View = func(n *graph.Node, _ graph.Layout) (graph.Layout, bool) {
			s := n.Shape()
			return graph.Layout{Shape: s, Strides: []graph.Dim{s[1].Times(-1), 1}, Offset: s[0].Minus(1).Times(s[1])},
				true
		}
		g := graph.New("views")
		g.Dim("n")
		x := g.Input("x", graph.Float64, sizes...)
		y := graph.Apply(op, nil, ops.Transpose(ops.Transpose(x, 0, 1), 0, 1))
		p, err := exec.Compile(g, exec.Outputs(y))
		if err == nil {
			_, err = p.NewSession().Run(t.Context(),
				exec.Feed{x: exec.Array{Shape: []int{2, 3}, Data: make([]float64, 6)}})
		}
		require.ErrorContains(
			t, err,
			"another one if the operand's axes have another order in memory: it must use the offset and the strides",
			name)
		require.Regexp(t, `ownviews_test\.go:\d+`, err.Error(), name)
	}
}
