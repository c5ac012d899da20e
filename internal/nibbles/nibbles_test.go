package nibbles_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/nibbles"
	"github.com/broadloom/broadloom/ops"
)

func TestHalvesOfBytes(t *testing.T) {
	g := graph.New("bytes")
	x, y := g.Input("x", graph.Uint8, 3, 4), g.Input("y", graph.Uint8, 3, 4)
	num := func(v int) *graph.Node { return graph.Num(v) }
	signed := func(wide *graph.Node) *graph.Node { // of halves in bytes of their own
		return ops.BitOr(wide, ops.Mul(ops.BitAnd(wide, num(0x0808)), num(30)))
	}
	wide := ops.Cast(x, graph.Uint16)
	apart := ops.BitOr(ops.BitAnd(wide, num(15)), ops.Mul(ops.BitAnd(wide, num(0xf0)), num(16)))
	upper := ops.BitAnd(ops.ShiftRight(wide, num(4)), num(15))
	swapped := ops.BitOr(ops.Mul(ops.BitAnd(wide, num(15)), num(256)), upper)
	doubled := wide
	for range 100 {
		doubled = ops.Add(doubled, doubled)
	}
	of := func(n *graph.Node) *graph.Node {
		for n.Op().Class == graph.Movement {
			n = n.In(0)
		}
		return nibbles.Of(n)
	}
	require.Same(t, x, of(ops.UnpackInt4(x)))
	require.Same(t, x, of(ops.BitCast(signed(apart), graph.Int8)), "in another way")
	rows := ops.Narrow(x, 0, 1, 2)
	require.Same(t, rows, of(ops.UnpackInt4(rows)))
	require.Same(t, x, of(ops.UnpackUint4(x)))
	for name, n := range map[string]*graph.Node{
		"without signs":    ops.BitCast(apart, graph.Int8),
		"other order":      ops.BitCast(signed(swapped), graph.Int8),
		"signed as others": ops.BitCast(signed(apart), graph.Uint8),
		"two values":       ops.BitCast(ops.BitOr(wide, ops.Cast(y, graph.Uint16)), graph.Int8),
		"no bytes":         ops.BitCast(g.Input("w", graph.Uint16, 3, 4), graph.Int8),
		"many operations":  ops.BitCast(doubled, graph.Int8),
		"repeated rows":    ops.BitCast(ops.Add(wide, ops.Zeros(g, graph.Uint16, 2, 3, 4)), graph.Int8),
		"another dtype":    ops.BitCast(x, graph.Int8),
	} {
		require.Nil(t, of(n), name)
	}
	require.NoError(t, g.Err())
}
