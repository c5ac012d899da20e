package symbolic_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/graph/symbolic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSizesOfGraphsThatAreGoneGo builds graphs of names and expressions of their own.
func TestSizesOfGraphsThatAreGoneGo(t *testing.T) {
	before := symbolic.Entries()
	for i := range 1000 {
		g := graph.New("request")
		n := g.Dim(fmt.Sprint("batch_", i))
		x := g.Input("x", graph.Float32, n.Plus(1).FloorDiv(2), n.Times(symbolic.Dim(i+3)).Plus(1))
		require.NoError(t, g.Err())
		g.KeepSizes()()
		runtime.KeepAlive(x)
	}
	require.Eventually(t, func() bool {
		runtime.GC()
		symbolic.SweepNow()
		return symbolic.Entries() < before+100
	}, 10*time.Second, time.Millisecond)
}

// TestSizesOfGraphsStay has expressions of a graph that was compiled long ago, of which nothing
// has been used since, and of one that is still being built.
func TestSizesOfGraphsStay(t *testing.T) {
	for _, compiled := range []bool{true, false} {
		g := graph.New("server")
		n, m := g.Dim("stays_n"), g.Dim("stays_m")
		long := symbolic.Dim(1)
		for i := range 8 {
			long = long.Times(n.Plus(m.Times(symbolic.Dim(i + 1))).Plus(1)) // a term of its factors
		}
		x := g.Input("x", graph.Float32, n.Plus(7), symbolic.Broadcast(n, m), long.Times(3))
		texts := fmt.Sprint(x.Shape())
		if compiled {
			g.KeepSizes()()
		}
		for range 3 {
			symbolic.SweepNow()
			for i := range 600 {
				symbolic.Named("other").Plus(symbolic.Dim(i))
			}
		}
		assert.Equal(t, texts, fmt.Sprint(x.Shape()))
		assert.Equal(t, x.Shape()[0], n.Plus(7), "equal sizes are equal handles")
		assert.Equal(t, x.Shape()[1], symbolic.Broadcast(n, m))
		q, exact := x.Shape()[2].ExactDiv(long)
		assert.True(t, exact)
		assert.Equal(t, symbolic.Dim(3), q)
		runtime.KeepAlive(g)
	}
}

// TestAForgottenSizeComesAgain has a size that is made again as the same number, and is not
// valid meanwhile.
func TestAForgottenSizeComesAgain(t *testing.T) {
	graph.New("the first graph")
	old := symbolic.Named("forgotten").Times(5).Plus(2)
	require.Eventually(t, func() bool {
		runtime.GC() // graphs of other tests may be open
		symbolic.SweepNow()
		return !old.Valid()
	}, 10*time.Second, time.Millisecond)
	g := graph.New("g")
	g.Input("x", graph.Float32, old)
	assert.ErrorContains(t, g.Err(), "graph that no longer exists")
	assert.Equal(t, old, g.Dim("forgotten").Times(5).Plus(2))
	assert.Equal(t, "5*forgotten+2", old.String())
}

// TestSizesAreUsedWhileTheTableIsSwept computes with sizes of a living graph in goroutines.
func TestSizesAreUsedWhileTheTableIsSwept(t *testing.T) {
	g := graph.New("g")
	n := g.Dim("used_n")
	var wait sync.WaitGroup
	for at := range 4 {
		wait.Go(func() {
			for i := range 300 {
				d := n.Times(symbolic.Dim(i%20 + 2)).Plus(symbolic.Dim(at)).FloorDiv(3)
				if !d.Valid() || d != n.Times(symbolic.Dim(i%20+2)).Plus(symbolic.Dim(at)).FloorDiv(3) {
					t.Errorf("%s is lost", d)
				}
			}
		})
	}
	for range 20 {
		symbolic.SweepNow()
	}
	wait.Wait()
	runtime.KeepAlive(g)
}
