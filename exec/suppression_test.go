package exec_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestSuppressionTakesStepsOfBoxesThatStay compares thousands of boxes that one hides with thousands that do not
// overlap.
func TestSuppressionTakesStepsOfBoxesThatStay(t *testing.T) {
	g := graph.New("boxes")
	n := g.Dim("n")
	boxes, scores := g.Input("boxes", graph.Float32, n, 4), g.Input("scores", graph.Float32, n)
	_, count := ops.NMS(boxes, scores, 0.5, n, graph.Num(-1))
	prog, err := exec.Compile(g, exec.Outputs(count))
	require.NoError(t, err)
	s := prog.NewSession()
	shortest := func(apart float32) (least time.Duration, remain float64) {
		const many = 3000
		corners, ranks := make([][4]float32, many), make([]float32, many)
		for i := range corners {
			at := float32(i) * apart
			corners[i], ranks[i] = [4]float32{at, 0, at + 1, 1}, float32(i)
		}
		for i := range 3 {
			begin := time.Now()
			got, err := s.Run(context.Background(), exec.Feed{boxes: corners, scores: ranks})
			require.NoError(t, err)
			if took := time.Since(begin); i == 0 || took < least {
				least = took
			}
			remain, err = got.Scalar(count)
			require.NoError(t, err)
		}
		return least, remain
	}
	hidden, one := shortest(0)
	visible, all := shortest(2)
	require.EqualValues(t, 1, one)
	require.EqualValues(t, 3000, all)
	require.Less(t, 4*hidden, visible)
}
