package exec_test

import (
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
)

// Sessions of one program and of programs that come and go run at once while the garbage
// collector, a CPU profile, an execution trace and dumps of all stacks go on. The time
// is a second, or what BROADLOOM_HAMMER says, such as 30s.
func TestHammer(t *testing.T) {
	if testing.Short() {
		t.Skip("keeps the machine busy")
	}
	length := time.Second
	if text := os.Getenv("BROADLOOM_HAMMER"); text != "" {
		var err error
		length, err = time.ParseDuration(text)
		require.NoError(t, err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	if pprof.StartCPUProfile(io.Discard) == nil {
		defer pprof.StopCPUProfile()
	}
	if trace.Start(io.Discard) == nil {
		defer trace.Stop()
	}
	prog, outputs, feed := wide(t)
	want := run(t, prog.NewSession(exec.Threads(1)), outputs, feed)
	end := time.Now().Add(length)
	var runs, compiled atomic.Int64
	var group sync.WaitGroup
	check := func(got [][]float32) {
		for i := range want {
			if got == nil || !sameBits(want[i], got[i]) {
				t.Errorf("output %d differs", i)
				return
			}
		}
	}
	for i := range 64 {
		group.Go(func() {
			s := prog.NewSession(exec.Threads(1 + i%4))
			for time.Now().Before(end) {
				check(run(t, s, outputs, feed))
				runs.Add(1)
			}
		})
	}
	for range 2 {
		group.Go(func() {
			for time.Now().Before(end) {
				own, outputs, feed := wide(t)
				check(run(t, own.NewSession(), outputs, feed))
				compiled.Add(1)
			}
		})
	}
	group.Go(func() {
		stacks := make([]byte, 1<<20)
		for time.Now().Before(end) {
			runtime.GC()
			runtime.Stack(stacks, true)
		}
	})
	group.Wait()
	t.Logf("%d runs, %d programs", runs.Load(), compiled.Load())
}
