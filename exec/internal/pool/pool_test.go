package pool

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// counted counts how often each tile is computed.
type counted []atomic.Int32

func (c counted) Tile(i int, _ Workspace) { c[i].Add(1) }

// Every tile is computed once, even if workers come late or not at all.
func TestEveryTileIsComputedOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		for _, tiles := range []int{0, 1, 2, 7, 8, 100} {
			for present := 1; present <= threads; present++ {
				c := make(counted, tiles)
				j := Job{Task: c, Tiles: tiles}
				j.divide(threads)
				var wait sync.WaitGroup
				var taken atomic.Int64
				for thread := range present {
					wait.Go(func() { taken.Add(int64(j.work(threads-1-thread, nil))) })
				}
				wait.Wait()
				require.Equal(t, int64(tiles), taken.Load())
				for i := range c {
					require.Equal(t, int32(1), c[i].Load(), "tile %d of %d, %d threads of %d", i, tiles, present,
						threads)
				}
			}
		}
	}
}

// A thread takes its own tiles in order, and then the last ones of others.
func TestThreadsBeginWithTheirShare(t *testing.T) {
	var order []int
	j := Job{Task: ordered(func(i int) { order = append(order, i) }), Tiles: 9}
	j.divide(3)
	require.Equal(t, 9, j.work(1, nil))
	require.Equal(t, []int{3, 4, 5, 8, 7, 6, 2, 1, 0}, order)
}

type ordered func(i int)

func (f ordered) Tile(i int, _ Workspace) { f(i) }
