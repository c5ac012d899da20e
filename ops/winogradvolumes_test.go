package ops_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Volumes are convolved by tiles of their slices, as precisely as images are: with filters that see one slice or
// several, all kinds of padding, one volume and several, in parts and not.
func TestVolumesByTiles(t *testing.T) {
	for _, c := range []struct{ x, filter, padding []int }{
		{[]int{1, 64, 5, 28, 28}, []int{64, 64, 3, 3, 3}, []int{1, 1, 1}},
		{[]int{2, 64, 4, 23, 22}, []int{128, 64, 3, 3, 3}, []int{0, 0, 2}},
		{[]int{3, 64, 3, 15, 14}, []int{96, 64, 3, 3, 3}, []int{2, 1, 1}}, // by the smaller tiles
		{[]int{2, 128, 6, 17, 18}, []int{64, 128, 1, 3, 3}, []int{0, 1, 0}},
		{[]int{1, 64, 7, 20, 20}, []int{64, 64, 5, 3, 3}, []int{2, 1, 1}},
		{[]int{1, 96, 6, 28, 28}, []int{96, 96, 2, 3, 3}, []int{0, 1, 1}},
		{[]int{5, 64, 8, 28, 30}, []int{64, 64, 3, 3, 3}, []int{1, 1, 1}},   // volumes in parts
		{[]int{1, 64, 3, 131, 130}, []int{64, 64, 3, 3, 3}, []int{1, 2, 1}}, // rows in parts
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			g := graph.New("by tiles")
			y := ops.Conv3D(g.Input("x", graph.Float32, graph.MakeShape(c.x...)...),
				g.Input("w", graph.Float32, graph.MakeShape(c.filter...)...), nil,
				ops.Padding(c.padding...))
			p, err := exec.Compile(g, exec.Outputs(y))
			require.NoError(t, err)
			require.Greater(t, p.Kernels(), 3)
			requireTilesAsWindows(t, c.x, c.filter, c.padding)
		})
	}
}
