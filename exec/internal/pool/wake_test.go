package pool

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// slow counts the tiles that workers compute.
type slow struct {
	caller Workspace
	others atomic.Int64
}

func (s *slow) Tile(_ int, ws Workspace) {
	if ws != s.caller {
		s.others.Add(1)
	}
	time.Sleep(50 * time.Microsecond)
}

// memory is a distinct workspace.
type memory struct{ _ int }

func (*memory) Release() {}

func (*memory) Reset() {}

// Kernels that are too small to wake a worker, one by one, wake one together.
func TestManySmallKernelsWakeWorkers(t *testing.T) {
	p := New(func() Workspace { return new(memory) })
	ws := new(memory)
	count := func(cost, kernels int) int64 {
		s := &slow{caller: ws}
		j := Job{Task: s, Tiles: 8}
		for range kernels {
			p.Share(&j, 2, cost, ws)
		}
		return s.others.Load()
	}
	require.Eventually(t, func() bool { return p.first(1)[0].asleep.Load() }, 10*time.Second, time.Millisecond)
	require.Zero(t, count(wakeCost-1, 1))
	require.Positive(t, count(wakeCost/4, 400))
}
