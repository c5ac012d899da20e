package depthwise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// cases are convolutions with all combinations of steps, on planes narrower and wider than a vector.
func cases() (list []Conv) {
	for _, a := range [][2]Axis{
		{{7, 7, 3, 1, 1, 1, 1}, {7, 7, 3, 1, 1, 1, 1}},
		{{5, 5, 3, 1, 1, 1, 1}, {37, 37, 3, 1, 1, 1, 1}},
		{{6, 6, 5, 1, 1, 1, 2}, {70, 70, 7, 1, 1, 1, 3}},
		{{9, 5, 3, 2, 1, 1, 1}, {14, 7, 3, 2, 1, 1, 1}},
		{{8, 4, 3, 2, 1, 1, 1}, {33, 17, 3, 2, 1, 1, 1}},
		{{7, 2, 5, 2, 1, 1, 0}, {40, 18, 5, 2, 1, 1, 0}},
		{{1, 1, 1, 1, 1, 1, 0}, {128, 128, 31, 1, 1, 1, 15}},
		{{9, 5, 3, 1, 2, 1, 0}, {20, 24, 3, 1, 2, 1, 4}},
		{{9, 4, 2, 2, 3, 1, 1}, {20, 11, 3, 2, 2, 1, 3}},
		{{5, 9, 3, 1, 1, 2, 1}, {7, 14, 3, 1, 1, 2, 1}},
		{{4, 8, 3, 1, 1, 2, 1}, {17, 33, 3, 1, 1, 2, 1}},
		{{4, 8, 2, 1, 1, 2, 2}, {17, 34, 4, 1, 1, 2, 2}},
		{{4, 8, 3, 1, 1, 2, 1}, {6, 6, 3, 1, 1, 1, 1}},
		{{4, 6, 1, 1, 1, 2, 0}, {6, 10, 1, 1, 1, 2, 0}}, // places that no number of the filter reaches
		{{3, 0, 5, 1, 1, 1, 0}, {6, 6, 3, 1, 1, 1, 1}},
		{{0, 2, 3, 1, 1, 1, 2}, {6, 6, 3, 1, 1, 1, 1}},
		{{40, 20, 3, 2, 1, 1, 1}, {70, 35, 3, 2, 1, 1, 1}},
		{{9, 5, 5, 2, 1, 1, 2}, {33, 17, 5, 2, 1, 1, 2}},
		{{20, 20, 5, 1, 1, 1, 2}, {16, 16, 5, 1, 1, 1, 2}},
		{{6, 4, 3, 1, 1, 1, 0}, {20, 18, 3, 1, 1, 1, 0}},
		{{1, 1, 3, 1, 1, 1, 1}, {1, 1, 3, 1, 1, 1, 1}},
		{{3, 5, 3, 1, 1, 1, 2}, {16, 18, 3, 1, 1, 1, 2}},
		{{3, 9, 5, 1, 1, 1, 5}, {2, 8, 5, 1, 1, 1, 5}}, // places that see zeros alone
		{{4, 4, 3, 2, 1, 1, 3}, {17, 11, 3, 2, 1, 1, 3}},
		{{7, 3, 3, 2, 1, 1, 0}, {36, 18, 3, 2, 1, 1, 1}},
		{{7, 7, 7, 1, 1, 1, 3}, {7, 7, 7, 1, 1, 1, 3}},
		{{30, 28, 7, 1, 1, 1, 2}, {37, 36, 7, 1, 1, 1, 3}},
	} {
		list = append(list, Conv{Channels: 3, Axes: a})
	}
	return list
}

// at is the element of a plane that a place of the result multiplies by a number of the filter, or 0.
func (c *Conv) at(x []float32, channel int, place, number [2]int) (float32, bool) {
	index := 0
	for i, a := range c.Axes {
		at := place[i]*a.Stride + number[i]*a.Dilation - a.Before
		if at < 0 || at%a.Spread != 0 || at/a.Spread >= a.In {
			return 0, false
		}
		index = index*a.In + at/a.Spread
	}
	return x[channel*c.Axes[0].In*c.Axes[1].In+index], true
}

func (c *Conv) each(f func(channel int, place [2]int)) {
	for channel := range c.Channels {
		for i := range c.Axes[0].Out {
			for j := range c.Axes[1].Out {
				f(channel, [2]int{i, j})
			}
		}
	}
}

func random(n int) []float32 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func (c *Conv) sizes() (in, out int) {
	return c.Channels * c.Axes[0].In * c.Axes[1].In, c.Channels * c.Axes[0].Out * c.Axes[1].Out
}

// room is memory with old contents, followed by memory that must not change.
func room(n int) []float32 {
	x := make([]float32, n+1)
	for i := range x {
		x[i] = float32(math.NaN())
	}
	x[n] = 42
	return x
}

// used is memory filled with words that are NaN.
func used(n int) []uint64 {
	memory := make([]uint64, n)
	for i := range memory {
		memory[i] = ^uint64(0)
	}
	return memory
}

func run(l *loops, c Conv, y, x, w []float32) {
	was := current
	current = l
	defer func() { current = was }()
	c.Run(y, x, w, used(c.Memory()), make([]int, c.Numbers()))
}

// Each sum adds the products in the order of the filter, in all loops.
func TestConvolutions(t *testing.T) {
	for name, l := range allLoops() {
		for _, c := range cases() {
			in, out := c.sizes()
			x, w, y := random(in), random(c.Channels*c.kernel()), room(out)
			run(l, c, y[:out], x, w)
			at := 0
			c.each(func(channel int, place [2]int) {
				want := float32(0)
				for k := range c.kernel() {
					number := [2]int{k / c.Axes[1].Kernel, k % c.Axes[1].Kernel}
					if v, is := c.at(x, channel, place, number); is {
						want = scalar.FMA32(v, w[channel*c.kernel()+k], want)
					}
				}
				require.Equal(t, want, y[at], "%s: %+v: channel %d, place %v", name, c, channel, place)
				at++
			})
			require.Equal(t, float32(42), y[out], "%s: %+v writes beyond the result", name, c)
		}
	}
}

// Infinite numbers of a filter multiply the zeros around a plane, in all loops.
func TestInfiniteFilters(t *testing.T) {
	for _, c := range cases() {
		in, out := c.sizes()
		x, w := random(in), random(c.Channels*c.kernel())
		w[0], w[len(w)-1] = float32(math.Inf(1)), float32(math.NaN())
		want := make([]float32, out)
		run(&plain, c, want, x, w)
		for name, l := range allLoops() {
			y := make([]float32, out)
			run(l, c, y, x, w)
			for i, v := range want {
				if v == v || y[i] == y[i] { // not both NaN
					require.Equal(t, v, y[i], "%s: %+v: place %d", name, c, i)
				}
			}
		}
	}
}

// The gradient for filters has the same bits in all loops, and an infinite element affects only the numbers that
// multiply it.
func TestGradientsForFilters(t *testing.T) {
	for _, c := range cases() {
		if c.Axes[0].Spread != 1 || c.Axes[1].Spread != 1 {
			continue
		}
		in, out := c.sizes()
		x, dy, n := random(in), random(out), c.Channels*c.kernel()
		if in > 0 {
			x[0] = float32(math.Inf(1))
		}
		want := make([]float64, n)
		c.each(func(channel int, place [2]int) {
			for k := range c.kernel() {
				number := [2]int{k / c.Axes[1].Kernel, k % c.Axes[1].Kernel}
				if v, is := c.at(x, channel, place, number); is {
					want[channel*c.kernel()+k] += float64(v) *
						float64(dy[(channel*c.Axes[0].Out+place[0])*c.Axes[1].Out+place[1]])
				}
			}
		})
		var first []float32
		for name, l := range allLoops() {
			got := room(n)
			was := current
			current = l
			c.Filters(got[:n], x, dy, used(c.FiltersMemory()), make([]int, c.Numbers()))
			current = was
			for i, v := range want {
				if math.IsInf(v, 0) || math.IsNaN(v) {
					require.Equal(t, math.IsNaN(v), math.IsNaN(float64(got[i])), "%s: %+v: number %d", name, c, i)
					continue
				}
				require.InDelta(t, v, float64(got[i]), 1e-4, "%s: %+v: number %d", name, c, i)
			}
			require.Equal(t, float32(42), got[n], "%s: %+v writes beyond the result", name, c)
			if first == nil {
				first = got
			}
			for i := range first {
				require.Equal(t, math.Float32bits(first[i]), math.Float32bits(got[i]), "%s: %+v: number %d", name, c, i)
			}
		}
	}
}

// A call allocates nothing after the first one has ended.
func TestNothingIsAllocated(t *testing.T) {
	c := cases()[0]
	in, out := c.sizes()
	x, w, y, memory, numbers := random(in), random(c.Channels*c.kernel()), room(out)[:out], used(c.Memory()),
		make([]int, c.Numbers())
	require.Zero(t, testing.AllocsPerRun(100, func() { c.Run(y, x, w, memory, numbers) }))
}
