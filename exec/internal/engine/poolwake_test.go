package engine

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// slow is a task that counts the tiles that workers compute.
type slow struct {
	caller *Workspace
	others atomic.Int64
}

func (s *slow) Tile(_ int, ws *Workspace) {
	if ws != s.caller {
		s.others.Add(1)
	}
	time.Sleep(50 * time.Microsecond)
}

// Kernels none of which is worth waking a worker for are so together.
func TestManySmallKernelsWakeWorkers(t *testing.T) {
	var ws Workspace
	count := func(cost, kernels int) int64 {
		s := &slow{caller: &ws}
		j := job{task: s, tiles: 8}
		for range kernels {
			j.share(2, cost, &ws)
		}
		return s.others.Load()
	}
	require.Eventually(t, func() bool { return workers(1)[0].asleep.Load() }, 10*time.Second, time.Millisecond)
	require.Zero(t, count(WakeCost-1, 1))
	require.Positive(t, count(WakeCost/4, 400))
}
