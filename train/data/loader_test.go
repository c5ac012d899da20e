package data

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// counted makes columns of the numbers from 0 to n-1: pairs, and classes.
func counted(t *testing.T, n int) []Column {
	pairs, classes := make([]float32, 2*n), make([]uint8, n)
	for i := range n {
		pairs[2*i], pairs[2*i+1], classes[i] = float32(i), float32(-i), uint8(i)
	}
	x, err := Of(pairs, 2)
	require.NoError(t, err)
	y, err := Converted(classes, func(c uint8) int64 { return int64(c) })
	require.NoError(t, err)
	return []Column{x, y}
}

// rows returns the examples of an epoch from a batch on, and checks what comes with them.
func rows(t *testing.T, l *Loader, epoch, first int) (all [][]int) {
	for b, err := range l.From(t.Context(), epoch, first) {
		require.NoError(t, err)
		assert.Equal(t, first+len(all), b.Number)
		require.Equal(t, []int{len(b.Rows), 2}, b.Columns[0].Shape)
		require.Equal(t, []int{len(b.Rows)}, b.Columns[1].Shape)
		for i, row := range b.Rows {
			assert.Equal(t, []float32{float32(row), float32(-row)}, b.Columns[0].Data.([]float32)[2*i:2*i+2])
			assert.Equal(t, int64(row), b.Columns[1].Data.([]int64)[i])
		}
		all = append(all, slices.Clone(b.Rows))
	}
	return all
}

func TestBatches(t *testing.T) {
	for _, ahead := range []int{0, 1, 3, 100} {
		l, err := New(4, counted(t, 10), Prefetched(ahead))
		require.NoError(t, err)
		assert.Equal(t, [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}}, rows(t, l, 0, 0))
		assert.Equal(t, 3, l.Batches())

		l, err = New(4, counted(t, 10), DropLast(), Prefetched(ahead))
		require.NoError(t, err)
		assert.Equal(t, [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}}, rows(t, l, 0, 0))
		assert.Equal(t, 2, l.Batches())

		l, err = New(3, counted(t, 10), Shuffled(7), Prefetched(ahead))
		require.NoError(t, err)
		first, second := rows(t, l, 0, 0), rows(t, l, 1, 0)
		assert.NotEqual(t, first, second, "each epoch has an order of its own")
		assert.Equal(t, first, rows(t, l, 0, 0), "the seed decides the order")
		assert.Equal(t, second[2:], rows(t, l, 1, 2))
		all := slices.Concat(first...)
		slices.Sort(all)
		assert.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, all)

		l, err = New(3, counted(t, 0), Prefetched(ahead))
		require.NoError(t, err)
		assert.Empty(t, rows(t, l, 0, 0))
	}
}

// failing is a column whose third batch cannot be read.
type failing struct {
	Column
	calls int
}

var errDisk = errors.New("the disk is gone")

func (f *failing) Batch(ctx context.Context, rows []int) (exec.Array, error) {
	if f.calls++; f.calls == 3 {
		return exec.Array{}, errDisk
	}
	return f.Column.Batch(ctx, rows)
}

func TestAColumnsErrorEndsTheEpoch(t *testing.T) {
	for _, ahead := range []int{0, 2} {
		l, err := New(1, []Column{&failing{Column: counted(t, 9)[0]}}, Prefetched(ahead))
		require.NoError(t, err)
		var seen []error
		for _, err := range l.Epoch(t.Context(), 0) {
			seen = append(seen, err)
		}
		require.Len(t, seen, 3)
		require.NoError(t, errors.Join(seen[:2]...))
		require.ErrorIs(t, seen[2], errDisk)
		assert.ErrorContains(t, seen[2], "column 0 of batch 2")
	}
}

func TestTheContextEndsTheEpoch(t *testing.T) {
	reason := errors.New("enough")
	for _, ahead := range []int{0, 1, 5} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			l, err := New(1, counted(t, 100), Prefetched(ahead))
			require.NoError(t, err)
			var seen []error
			for _, err := range l.Epoch(ctx, 0) {
				if seen = append(seen, err); len(seen) == 4 {
					cancel(reason)
				}
			}
			require.Len(t, seen, 5)
			require.NoError(t, errors.Join(seen[:4]...))
			require.ErrorIs(t, seen[4], reason)
			synctest.Wait()
		}) // which fails where a goroutine is left
	}
}

// waiting is a column that reads for as long as its context lets it.
type waiting struct{}

func (waiting) Len() int { return 10 }

func (waiting) Batch(ctx context.Context, rows []int) (exec.Array, error) {
	if rows[0] == 0 {
		return exec.Array{Shape: []int{1}, Data: []float32{0}}, nil
	}
	<-ctx.Done()
	return exec.Array{}, context.Cause(ctx)
}

func TestLeavingALoopEndsWhatRunsInTheBackground(t *testing.T) {
	before := runtime.NumGoroutine()
	l, err := New(1, []Column{waiting{}}, Prefetched(3))
	require.NoError(t, err)
	began := time.Now()
	for range l.Epoch(t.Context(), 0) {
		break
	}
	assert.Less(t, time.Since(began), 5*time.Second)
	assert.LessOrEqual(t, runtime.NumGoroutine(), before+1, "the loop has waited for it")
}

func TestFeeds(t *testing.T) {
	g := graph.New("feeds")
	x := g.Input("x", graph.Float32, g.Dim("n"), 2)
	l, err := New(4, counted(t, 6))
	require.NoError(t, err)
	_, err = l.Feeds(x)
	require.ErrorContains(t, err, "got 1 inputs for 2 columns")
	feeds, err := l.Feeds(x, nil)
	require.NoError(t, err)
	n := 0
	for feed, err := range feeds(t.Context(), 0, 1) {
		require.NoError(t, err)
		assert.Equal(t, exec.Feed{x: exec.Array{Shape: []int{2, 2}, Data: []float32{4, -4, 5, -5}}}, feed)
		n++
	}
	assert.Equal(t, 1, n)
}

// A column of nothing is an error, and no crash.
func TestColumnsOfNothing(t *testing.T) {
	_, err := Converted[int, float32]([]int{1}, nil)
	require.ErrorContains(t, err, "the function of Converted is nil")
	_, err = Rows(nil, []int{0}).Batch(t.Context(), []int{0})
	require.ErrorContains(t, err, "is given no column")
}

func TestColumns(t *testing.T) {
	training, test := Split(10, 0.25, 3)
	assert.Len(t, training, 7)
	assert.Len(t, test, 3)
	c := Rows(counted(t, 10)[1], test)
	a, err := c.Batch(t.Context(), []int{2, 0})
	require.NoError(t, err)
	assert.Equal(t, exec.Array{Shape: []int{2}, Data: []int64{int64(test[2]), int64(test[0])}}, a)

	for _, dtype := range graph.DTypes() {
		of, err := Array(exec.Array{Shape: []int{3, 2}, Data: dtype.MakeSlice(6)})
		require.NoError(t, err, dtype)
		a, err := of.Batch(t.Context(), []int{1, 2})
		require.NoError(t, err, dtype)
		assert.Equal(t, exec.Array{Shape: []int{2, 2}, Data: dtype.MakeSlice(4)}, a, dtype)
	}

	for _, bad := range []func() error{
		func() error { _, err := c.Batch(t.Context(), []int{3}); return err },
		func() error { _, err := Rows(c, []int{-1}).Batch(t.Context(), []int{0}); return err },
		func() error { _, err := Of([]float32{1, 2, 3}, 2); return err },
		func() error { _, err := Of([]float32{}, 0); return err },
		func() error { _, err := Of([]float32{1}, -1); return err },
		func() error { _, err := Of([]float32{1}, math.MaxInt, math.MaxInt); return err },
		func() error { _, err := Array(exec.Array{Data: []float32{1}}); return err },
		func() error { _, err := Array(exec.Array{Shape: []int{3, 2}, Data: []float32{1, 2}}); return err },
		func() error { _, err := Array(exec.Array{Shape: []int{1}, Data: []string{"1"}}); return err },
		func() error { _, err := New(0, counted(t, 1)); return err },
		func() error { _, err := New(1, nil); return err },
		func() error { _, err := New(1, []Column{nil}); return err },
		func() error { _, err := New(1, append(counted(t, 1), counted(t, 2)...)); return err },
	} {
		assert.ErrorContains(t, bad(), "data: ")
	}
}

// broken is a column that panics in its second batch.
type broken struct{ Column }

func (b broken) Batch(ctx context.Context, rows []int) (exec.Array, error) {
	if rows[0] > 0 {
		panic(errBroken)
	}
	return b.Column.Batch(ctx, rows)
}

var errBroken = errors.New("no such file")

// A column that panics does so in the goroutine of the loop, which can recover, whoever called it.
func TestPanicsOfColumns(t *testing.T) {
	for _, ahead := range []int{0, 1, 3} {
		c, err := Of([]float32{1, 2, 3, 4})
		require.NoError(t, err)
		l, err := New(2, []Column{broken{c}}, Prefetched(ahead))
		require.NoError(t, err)
		batches := 0
		func() {
			defer func() {
				err, _ := recover().(error)
				require.ErrorIs(t, err, errBroken)
				if ahead > 0 {
					require.ErrorContains(t, err, "panics at loader_test.go:")
				}
			}()
			for range l.Epoch(t.Context(), 0) {
				batches++
			}
		}()
		require.Equal(t, 1, batches)
	}
}

func TestRowsThatThereAreNot(t *testing.T) {
	c, err := Of([]float32{1, 2, 3, 4})
	require.NoError(t, err)
	for _, row := range []int{-1, 4} {
		_, err = New(2, []Column{Rows(c, []int{0, row})})
		require.ErrorContains(t, err, "data: column 0: Rows names example "+strconv.Itoa(row)+" of 4")
	}
	_, err = New(2, []Column{Rows(nil, []int{0})})
	require.ErrorContains(t, err, "data: column 0: Rows is given no column")
}
