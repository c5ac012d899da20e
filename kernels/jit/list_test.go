//go:build amd64 || arm64

package jit

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Code that only a list refers to, and its arguments, live as long as the list.
func TestListKeepsWhatItCalls(t *testing.T) {
	var l List
	for i := range 8 {
		c := adder(t)
		for range 3 {
			l.Add(c, 0, unsafe.Pointer(&[3]int64{0, int64(i), 10}))
		}
	}
	require.Panics(t, func() { l.Add(adder(t), -1, nil) })
	var dropped atomic.Bool
	runtime.AddCleanup(adder(t), func(int) { dropped.Store(true) }, 0)
	require.Eventually(t, func() bool { // by then, all that nothing refers to is gone
		runtime.GC()
		return dropped.Load()
	}, 5*time.Second, time.Millisecond)
	for run := range 3 {
		l.Call()
		for i, e := range l.entries {
			require.Equal(t, int64(10*(i/3)*(run+1)), *(*int64)(e.args))
		}
	}
}

// Each call of a list sees the results of the one before.
func TestListCallsInOrder(t *testing.T) {
	var l List
	l.Call() // of nothing
	numbers := [...]int64{1, 1, 1, 1, 1, 1, 1}
	for i := len(numbers) - 3; i >= 0; i-- {
		l.Add(adder(t), 0, unsafe.Pointer(&numbers[i]))
	}
	l.Call()
	require.Equal(t, [...]int64{155, 22, 7, 3, 2, 1, 1}, numbers)
}

// Lists are made and called in many goroutines while garbage is collected and stacks grow.
func TestHammerLists(t *testing.T) {
	rounds := 2000
	if testing.Short() {
		rounds = 200
	}
	shared := adder(t)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range rounds {
				var l List
				args := &[3]int64{0, int64(g), 50}
				for range 10 {
					l.Add(shared, 0, unsafe.Pointer(args))
				}
				deep(i%64, l.Call)
				if want := int64(500 * g); args[0] != want {
					t.Errorf("got %d, want %d", args[0], want)
					return
				}
				if i%100 == 0 {
					runtime.GC()
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkList(b *testing.B) {
	c := adder(b)
	args := [3]int64{0, 1, 1}
	var l List
	for range 100 {
		l.Add(c, 0, unsafe.Pointer(&args))
	}
	for b.Loop() {
		l.Call()
	}
}
