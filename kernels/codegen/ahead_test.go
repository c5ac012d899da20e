package codegen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Bodies of many operations prefetch each of their operands a page ahead. Short ones leave that to the hardware
// prefetcher, which keeps up with them.
func TestHeavyBodiesFetchAhead(t *testing.T) {
	for _, tt := range []struct {
		functions int
		ahead     []string
	}{
		{1, nil},
		{5, []string{"rsi", "r8"}}, // the first two operands are x and y
	} {
		b := rowprog.NewBuilder("tanh", 1)
		x, y := b.Load(b.In("x", rowprog.F32, rowprog.Vec)), b.Load(b.In("y", rowprog.F32, rowprog.Vec))
		for range tt.functions {
			x = b.Apply(rowprog.OpTanh, b.Apply(rowprog.OpAdd, x, y))
		}
		b.Store(b.Out("z", rowprog.F32, rowprog.Vec), x)
		p, err := b.Build()
		require.NoError(t, err)
		for _, target := range []Target{AVX2, AVX512} {
			c, err := Compile(p, target)
			require.NoError(t, err)
			text := strings.Join(listing(t, c), "\n")
			require.Equal(t, len(tt.ahead) > 0, strings.Contains(text, "prefetch"), "%d functions", tt.functions)
			for _, base := range tt.ahead {
				require.Contains(t, text, "["+base+"+rax*4+0x1000]")
			}
		}
	}
}

// The exponentials of a softmax prefetch the next row, since its maximum is computed next. Code that only loads does
// not.
func TestLaterStagesFetchTheNextRow(t *testing.T) {
	for _, op := range []rowprog.Op{rowprog.OpExp, rowprog.OpNeg} {
		b := rowprog.NewBuilder("rows", 1)
		in := b.In("x", rowprog.F32, rowprog.Vec)
		most := b.Reduce(rowprog.Max, b.Load(in))
		b.NextStage()
		b.Store(b.Out("y", rowprog.F32, rowprog.Vec), b.Apply(op, b.Apply(rowprog.OpSub, b.Load(in), most)))
		p, err := b.Build()
		require.NoError(t, err)
		for _, target := range []Target{AVX2, AVX512} {
			c, err := Compile(p, target)
			require.NoError(t, err)
			require.Equal(t, op == rowprog.OpExp, strings.Contains(strings.Join(listing(t, c), "\n"), "[rcx+rax*4]"),
				"%v", op)
		}
	}
}
