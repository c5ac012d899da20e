package prefetch

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Only rows of tables that do not fit into a near cache are prefetched, and as many as the processor can wait for at
// once.
func TestAhead(t *testing.T) {
	for _, c := range []struct{ rows, elements, ahead int }{
		{0, 0, 0}, {1 << 20, 0, 0}, {100, 128, 0}, {1 << 20, 1, 0}, {1 << 20, 15, 0},
		{1 << 20, 16, 16}, {1 << 13, 128, 4}, {1 << 11, 300, 2}, {1 << 8, 4096, 2},
	} {
		require.Equal(t, c.ahead, Of(make([]float32, c.rows*c.elements), c.elements).Ahead, "%d rows of %d", c.rows,
			c.elements)
	}
}

// A prefetch changes nothing.
func TestFetchChangesNothing(t *testing.T) {
	table := make([]float64, 1<<16)
	rows := Of(table, 33)
	for row := range len(table) / 33 {
		rows.Fetch(row)
	}
	require.Equal(t, make([]float64, 1<<16), table)
}
