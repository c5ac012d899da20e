package exec_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/settings"
	"github.com/broadloom/broadloom/ops"
)

// Whole numbers divided by powers of 2 of the program are rounded down, and remainders are never negative, on every
// instruction set.
func TestWholeNumbersAreDividedByPowers(t *testing.T) {
	large := []int64{0, 1, -1, 2, -2, 3, -3, 7, -8, 255, -256, 1 << 31, -1 << 31, 1<<62 + 1, -1<<62 - 1, math.MaxInt64,
		math.MinInt64, math.MinInt64 + 1}
	settings.Same(t, func() string {
		text := ""
		for by := range 63 {
			c := int64(1) << by
			g := graph.New("powers")
			x := g.Input("x", graph.Int64, g.Dim("n"))
			number := g.Number(graph.LiteralAttrs{Whole: c, Kind: graph.CategoryInt}, graph.Int64)
			q, r := ops.FloorDiv(x, number), ops.Remainder(x, number)
			outputs := nodes{q, r}
			if by < 31 {
				narrow, by32 := ops.Cast(x, graph.Int32), g.Scalar(graph.Int32, float64(c))
				outputs = append(outputs, ops.FloorDiv(narrow, by32), ops.Remainder(narrow, by32))
			}
			p, err := exec.Compile(g, exec.Outputs(outputs...))
			require.NoError(t, err)
			out, err := p.NewSession().Run(t.Context(), exec.Feed{x: large})
			require.NoError(t, err)
			for i, v := range large {
				require.Equal(t, v>>by, exec.ArrayOf(t, out, q).Data.([]int64)[i], "%d // %d", v, c)
				require.Equal(t, v&(c-1), exec.ArrayOf(t, out, r).Data.([]int64)[i], "%d %% %d", v, c)
				if by < 31 {
					require.Equal(t, int32(v)>>by, exec.ArrayOf(t, out, outputs[2]).Data.([]int32)[i], "%d // %d",
						int32(v), c)
					require.Equal(t, int32(v)&int32(c-1), exec.ArrayOf(t, out, outputs[3]).Data.([]int32)[i],
						"%d %% %d", int32(v), c)
				}
			}
			text += fmt.Sprint(exec.ArrayOf(t, out, q).Data)
		}
		return text
	})
}
