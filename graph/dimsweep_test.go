package graph

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sweepNow sweeps the table as if much time had passed since everything was used.
func sweepNow() {
	dimTable.Lock()
	defer dimTable.Unlock()
	for range 3 {
		sweep()
	}
}

func entries() int {
	dimTable.Lock()
	defer dimTable.Unlock()
	return dimTable.count
}

// TestSizesOfGraphsThatAreGoneGo builds graphs of names and expressions of their own.
func TestSizesOfGraphsThatAreGoneGo(t *testing.T) {
	before := entries()
	for i := range 1000 {
		g := New("request")
		n := g.Dim(fmt.Sprint("batch_", i))
		x := g.Input("x", Float32, n.Plus(1).FloorDiv(2), n.Times(Dim(i+3)).Plus(1))
		require.NoError(t, g.Err())
		g.KeepSizes()()
		runtime.KeepAlive(x)
	}
	require.Eventually(t, func() bool {
		runtime.GC()
		sweepNow()
		return entries() < before+100
	}, 10*time.Second, time.Millisecond)
}

// TestSizesOfGraphsStay has expressions of a graph that was compiled long ago, of which nothing
// has been used since, and of one that is still being built.
func TestSizesOfGraphsStay(t *testing.T) {
	for _, compiled := range []bool{true, false} {
		g := New("server")
		n, m := g.Dim("stays_n"), g.Dim("stays_m")
		long := Dim(1)
		for i := range 8 {
			long = long.Times(n.Plus(m.Times(Dim(i + 1))).Plus(1)) // a term of its factors
		}
		x := g.Input("x", Float32, n.Plus(7), BroadcastDim(n, m), long.Times(3))
		texts := fmt.Sprint(x.Shape())
		if compiled {
			g.KeepSizes()()
		}
		for range 3 {
			sweepNow()
			for i := range 600 {
				SymbolicDim("other").Plus(Dim(i))
			}
		}
		assert.Equal(t, texts, fmt.Sprint(x.Shape()))
		assert.Equal(t, x.Shape()[0], n.Plus(7), "equal sizes are equal handles")
		assert.Equal(t, x.Shape()[1], BroadcastDim(n, m))
		q, exact := x.Shape()[2].ExactDiv(long)
		assert.True(t, exact)
		assert.Equal(t, Dim(3), q)
		runtime.KeepAlive(g)
	}
}

// TestAForgottenSizeComesAgain has a size that is made again as the same number, and is not
// valid meanwhile.
func TestAForgottenSizeComesAgain(t *testing.T) {
	New("the first graph")
	old := SymbolicDim("forgotten").Times(5).Plus(2)
	require.Eventually(t, func() bool {
		runtime.GC() // graphs of other tests may be open
		sweepNow()
		return !old.Valid()
	}, 10*time.Second, time.Millisecond)
	g := New("g")
	g.Input("x", Float32, old)
	assert.ErrorContains(t, g.Err(), "graph that no longer exists")
	assert.Equal(t, old, g.Dim("forgotten").Times(5).Plus(2))
	assert.Equal(t, "5*forgotten+2", old.String())
}

// TestSizesAreUsedWhileTheTableIsSwept computes with sizes of a living graph in goroutines.
func TestSizesAreUsedWhileTheTableIsSwept(t *testing.T) {
	g := New("g")
	n := g.Dim("used_n")
	var wait sync.WaitGroup
	for at := range 4 {
		wait.Go(func() {
			for i := range 300 {
				d := n.Times(Dim(i%20 + 2)).Plus(Dim(at)).FloorDiv(3)
				if !d.Valid() || d != n.Times(Dim(i%20+2)).Plus(Dim(at)).FloorDiv(3) {
					t.Errorf("%s is lost", d)
				}
			}
		})
	}
	for range 20 {
		sweepNow()
	}
	wait.Wait()
	runtime.KeepAlive(g)
}
