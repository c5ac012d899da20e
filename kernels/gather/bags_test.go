package gather

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBags sums rows one by one, short ones and long ones.
func TestBags(t *testing.T) {
	for _, inner := range []int{1, 3, 7, 8, 33, 130} {
		src, index := make([]float32, 5*inner), []int64{4, 0, 0, 2, 1, 4, 3, 3, 3}
		for i := range src {
			src[i] = float32(i*i%101) - 50
		}
		got, want := make([]float32, 3*inner), make([]float32, 3*inner)
		got[0] = 7
		for i, at := range index {
			for j := range inner {
				want[i/3*inner+j] += src[int(at)*inner+j]
			}
		}
		require.Equal(t, -1, Bags(got, src, index, 3, inner))
		require.Equal(t, want, got)
		index[5] = 5
		require.Equal(t, 5, Bags(got, src, index, 3, inner))
		index[5], index[2] = 0, -1
		require.Equal(t, 2, Bags(got, src, index, 3, inner))
		require.Equal(t, -1, Bags(got, src, nil, 3, inner))
		require.Equal(t, make([]float32, 3*inner), got)
		require.Equal(t, -1, Bags(nil, src, nil, 0, inner))
	}
}
