package ops_test

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestWindowsAsJAX compares values and gradients with those of jax.lax.reduce_window.
func TestWindowsAsJAX(t *testing.T) {
	by := map[string]ops.Reduction{"sum": ops.ReduceSum, "prod": ops.ReduceProd, "max": ops.ReduceMax,
		"min": ops.ReduceMin}
	list := func(t *testing.T, word string) (numbers []int) {
		if word == "-" {
			return nil
		}
		for _, w := range strings.Split(word, ",") {
			n, err := strconv.Atoi(w)
			require.NoError(t, err)
			numbers = append(numbers, n)
		}
		return numbers
	}
	runCases(t, "windows", map[string]func(*testing.T, choiceCase, []node) []node{
		"ReduceWindow": func(t *testing.T, c choiceCase, in []node) []node {
			words := c.words()
			w := ops.Windows{Sizes: list(t, words[1]), Strides: list(t, words[2]), Dilations: list(t, words[3]),
				Apart: list(t, words[4])}
			for pair := range slices.Chunk(list(t, words[5]), 2) {
				w.Padding = append(w.Padding, [2]int{pair[0], pair[1]})
			}
			return []node{ops.ReduceWindow(in[0], by[words[0]], w)}
		},
	})
}

// TestWindowsOfExtremeIntegers has the greatest and the least numbers of a dtype beside padding, which must not count.
func TestWindowsOfExtremeIntegers(t *testing.T) {
	g := graph.New("extremes")
	x, u := g.Input("x", graph.Int64, g.Dim("n")), g.Input("u", graph.Uint8, 2)
	w := ops.Windows{Sizes: []int{2}, Strides: []int{3}, Padding: [][2]int{{1, 1}}}
	outputs := []node{ops.ReduceWindow(x, ops.ReduceMax, w), ops.ReduceWindow(x, ops.ReduceMin, w),
		ops.ReduceWindow(x, ops.ReduceSum, ops.Windows{Sizes: []int{2}}),
		ops.ReduceWindow(u, ops.ReduceMin, w), ops.ReduceWindow(u, ops.ReduceSum, ops.Windows{Sizes: []int{2}})}
	prog, err := exec.Compile(g, exec.Outputs(outputs...))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(context.Background(),
		exec.Feed{x: exec.Array{Shape: []int{4}, Data: []int64{math.MinInt64, 5, math.MaxInt64, math.MaxInt64}},
			u: exec.Array{Shape: []int{2}, Data: []uint8{255, 2}}})
	require.NoError(t, err)
	want := []any{[]int64{math.MinInt64, math.MaxInt64}, []int64{math.MinInt64, math.MaxInt64},
		[]int64{math.MinInt64 + 5, math.MinInt64 + 4, -2}, []uint8{255}, []uint8{1}}
	for i, y := range outputs {
		a, err := r.Array(y)
		require.NoError(t, err)
		require.Equal(t, want[i], a.Data, "%d", i)
	}
}

// TestWindowsThatAreRefused says what is wrong, always in the same words.
func TestWindowsThatAreRefused(t *testing.T) {
	g := graph.New("refused")
	x := g.Input("x", graph.Int32, 3, 4)
	for _, c := range []struct {
		by   ops.Reduction
		w    ops.Windows
		says string
	}{
		{ops.ReduceSum, ops.Windows{}, "ReduceWindow(x, ops.ReduceSum, ops.Windows{}): Sizes has 0 numbers for 2 axes"},
		{ops.ReduceMin, ops.Windows{Sizes: []int{1, 0}, Strides: []int{1}, Dilations: []int{2}},
			"Sizes must be from 1 to 2^30, but one is 0"},
		{ops.ReduceMin, ops.Windows{Sizes: []int{1, 2}, Padding: [][2]int{{0, 1}}},
			"ReduceWindow(x, ops.ReduceMin, ops.Windows{Sizes: []int{1, 2}, Padding: [][2]int{{0, 1}}}): Padding has 1 pairs for 2 axes"},
		{ops.ReduceMin, ops.Windows{Sizes: []int{5, 2}},
			"ReduceWindow(x, ops.ReduceMin, ops.Windows{Sizes: []int{5, 2}})"},
		{ops.ReduceMean, ops.Windows{Sizes: []int{1, 2}}, "but not by ops.ReduceMean"},
	} {
		err := ops.ReduceWindow(x, c.by, c.w).Err()
		require.ErrorContains(t, err, c.says, "%v", c)
		require.NotContains(t, err.Error(), "BitNot")
	}
	require.ErrorContains(
		t, ops.ReduceWindow(g.Input("b", graph.Bool, 2), ops.ReduceMax, ops.Windows{Sizes: []int{2}}).Err(),
		"windows need numbers")
}
