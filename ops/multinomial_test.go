package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Many places are drawn of many, in each row by its own weights, and none that has no weight, be it the first or the
// last.
func TestManyArePickedOfManyPlaces(t *testing.T) {
	const classes, draws = 50_000, 40_000
	weights := make([]float64, 2*classes)
	for i := 1; i < classes-1; i++ {
		weights[i], weights[classes+i] = float64(i%2), float64(1-i%2)
	}
	weights[1] = classes
	g := graph.New("random")
	got := drawWith(t, 11, ops.Multinomial(
		g.Input("seed", graph.Int64), graph.Constant(g, weights, 2, classes), draws, true))
	require.Len(t, got, 2*draws)
	ones, sum := 0, 0.0
	for i, place := range got {
		require.Positive(t, weights[i/draws*classes+int(place)], "draw %d", i)
		if i < draws && place == 1 {
			ones++
		} else if i >= draws {
			sum += place
		}
	}
	require.InDelta(t, 2.0/3, float64(ones)/draws, 0.02)
	require.InDelta(t, 0.5, sum/draws/classes, 0.01, "the places of the second row are spread evenly")
}
