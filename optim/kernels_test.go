package optim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// One more parameter costs one more kernel: its update with all its state, and its gradient with
// it. Adafactor, Lamb and Lars have norms of whole tensors, which others wait for.
func TestAnUpdateIsOneKernel(t *testing.T) {
	for name, o := range optimizers {
		kernels := func(params int) int {
			g := graph.New("kernels")
			loss := graph.Num(0.0)
			for i := range params {
				w := g.ParamInit(fmt.Sprintf("w%d", i), graph.Float32, ramp(1), 5, graph.Dim(i+2))
				loss = ops.Add(loss, ops.Sum(ops.Mul(ops.Square(w), w)))
			}
			prog, err := exec.Compile(g, exec.Updates(o.Minimize(loss)...))
			require.NoError(t, err)
			return prog.Kernels()
		}
		each := (kernels(7) - kernels(3)) / 4
		if kind, _, _ := strings.Cut(name, " "); slices.Contains([]string{"adafactor", "lamb", "lars"}, kind) {
			require.LessOrEqual(t, each, 7, name)
			continue
		}
		require.Equal(t, 1, each, name)
	}
}
