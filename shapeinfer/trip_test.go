package shapeinfer_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// sized is a size as an expression, and as a function of numbers that shares no code with it.
type sized struct {
	dim graph.Dim
	at  func(values) (v int64, ok bool)
}

type values map[string]int64

// trip is a random program of one value that is taken apart and put together again, with the
// truth about it: what its shape is for numbers, or that PyTorch refuses it.
type trip struct {
	rng    *rand.Rand
	g      *graph.Graph
	names  []string
	x      *graph.Node
	truth  func(values) (shape []int64, ok bool)
	past   []func(values) ([]int64, bool)
	shapes []graph.Shape
	told   []string
}

func (t *trip) name() sized {
	name := t.names[t.rng.IntN(len(t.names))]
	return sized{t.g.Dim(name), func(v values) (int64, bool) { return v[name], true }}
}

func number(n int64) sized {
	return sized{graph.Dim(n), func(values) (int64, bool) { return n, true }}
}

func (a sized) apply(b sized, d graph.Dim, op func(x, y int64) (int64, bool)) sized {
	return sized{d, func(v values) (int64, bool) {
		x, okX := a.at(v)
		y, okY := b.at(v)
		if !okX || !okY {
			return 0, false
		}
		return op(x, y)
	}}
}

func (a sized) times(b sized) sized {
	return a.apply(b, a.dim.Times(b.dim), func(x, y int64) (int64, bool) { return x * y, true })
}

func (a sized) plus(b sized) sized {
	return a.apply(b, a.dim.Plus(b.dim), func(x, y int64) (int64, bool) { return x + y, true })
}

// over rounds down.
func (a sized) over(b sized) sized {
	return a.apply(b, a.dim.FloorDivBy(b.dim), func(x, y int64) (int64, bool) {
		if y < 1 {
			return 0, false
		}
		return x / y, true
	})
}

// size returns a random size made of names and numbers.
func (t *trip) size() sized {
	switch t.rng.IntN(8) {
	case 0:
		return number(int64(1 + t.rng.IntN(6)))
	case 1:
		return t.name().times(number(int64(2 + t.rng.IntN(3))))
	case 2:
		return t.name().times(t.name())
	case 3:
		return t.name().plus(number(1))
	case 4:
		return t.name().plus(t.name())
	}
	return t.name()
}

// part returns a random size to divide by.
func (t *trip) part() sized {
	if t.rng.IntN(2) == 0 {
		return number(int64(1 + t.rng.IntN(4)))
	}
	return t.name()
}

// beyond is more than any value here has elements.
const beyond = 1 << 62

// product returns the number of elements, or beyond.
func product(list []int64) int64 {
	p := int64(1)
	for _, n := range list {
		if n != 0 && p > beyond/n {
			p = beyond
		} else {
			p *= n
		}
	}
	return p
}

// step goes on to another value.
func (t *trip) step(text string, x *graph.Node, truth func(shape []int64, v values) ([]int64, bool)) {
	before := t.truth
	t.past, t.shapes = append(t.past, before), append(t.shapes, t.x.Shape())
	t.told = append(t.told, text)
	t.x = x
	t.truth = func(v values) ([]int64, bool) {
		s, ok := before(v)
		if !ok {
			return nil, false
		}
		return truth(s, v)
	}
}

func dims(list []sized) (s []graph.Dim) {
	for _, d := range list {
		s = append(s, d.dim)
	}
	return s
}

// reshaped is PyTorch's reshape of numbers.
func reshaped(from, want []int64) ([]int64, bool) {
	hole, known := -1, int64(1)
	for i, d := range want {
		if d == -1 {
			hole = i
		} else {
			known *= d
		}
	}
	out := append([]int64{}, want...)
	switch total := product(from); {
	case hole < 0:
		return out, total == known
	case known == 0 || total%known != 0:
		return nil, false
	default:
		out[hole] = total / known
		return out, true
	}
}

func (t *trip) reshape(list []sized) {
	t.step(fmt.Sprintf("Reshape(%v)", graph.Shape(dims(list))), ops.Reshape(t.x, dims(list)...),
		func(s []int64, v values) ([]int64, bool) {
			want := make([]int64, len(list))
			for i, d := range list {
				n, ok := d.at(v)
				if !ok {
					return nil, false
				}
				want[i] = n
			}
			return reshaped(s, want)
		})
}

// current returns size i of the value.
func (t *trip) current(i int) sized {
	truth := t.truth
	return sized{t.x.Shape()[i], func(v values) (int64, bool) {
		s, ok := truth(v)
		if !ok {
			return 0, false
		}
		return s[i], true
	}}
}

// inferred reshapes to other sizes and one that is found from them.
func (t *trip) inferred() {
	list := []sized{number(-1)}
	for range 1 + t.rng.IntN(2) {
		d := t.part()
		if t.rng.IntN(3) == 0 {
			d = t.current(t.rng.IntN(t.x.Rank()))
		}
		list = append(list, d)
	}
	t.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	t.reshape(list)
}

// back reshapes to the shape of a value before, with one size found from the others or not.
func (t *trip) back() {
	if len(t.past) == 0 {
		return
	}
	at := t.rng.IntN(len(t.past))
	var list []sized
	for i, d := range t.shapes[at] {
		truth := t.past[at]
		list = append(list, sized{d, func(v values) (int64, bool) {
			s, ok := truth(v)
			if !ok {
				return 0, false
			}
			return s[i], true
		}})
	}
	if i := t.rng.IntN(2 * len(list)); i < len(list) {
		list[i] = number(-1)
	}
	t.reshape(list)
}

// divided splits an axis into a part and what it is divided by, rounded down.
func (t *trip) divided() {
	axis, by := t.rng.IntN(t.x.Rank()), t.part()
	if name := by.dim.String(); by.dim.IsSymbolic() && t.g.Bounds(name).Min < 1 {
		return // as names cancel, n/n has a value where n is 0
	}
	var list []sized
	for i := range t.x.Rank() {
		if i != axis {
			list = append(list, t.current(i))
			continue
		}
		list = append(list, by, t.current(i).over(by))
	}
	t.reshape(list)
}

// unflattened splits an axis and lets one size be found.
func (t *trip) unflattened() {
	axis, by := t.rng.IntN(t.x.Rank()), t.part()
	t.step(fmt.Sprintf("Unflatten(%d, %v, -1)", axis, by.dim), ops.Unflatten(t.x, axis, by.dim, -1),
		func(s []int64, v values) ([]int64, bool) {
			n, _ := by.at(v)
			if n < 1 || s[axis]%n != 0 {
				return nil, false
			}
			return append(append(append([]int64{}, s[:axis]...), n, s[axis]/n), s[axis+1:]...), true
		})
}

// flattened merges two axes.
func (t *trip) flattened() {
	if t.x.Rank() < 2 {
		return
	}
	axis := t.rng.IntN(t.x.Rank() - 1)
	t.step(fmt.Sprintf("Flatten(%d, %d)", axis, axis+1), ops.Flatten(t.x, axis, axis+1),
		func(s []int64, _ values) ([]int64, bool) {
			return append(append(append([]int64{}, s[:axis]...), s[axis]*s[axis+1]), s[axis+2:]...), true
		})
}

// chunked cuts an axis into parts and takes one of them, or joins them again.
func (t *trip) chunked() {
	axis, n := t.rng.IntN(t.x.Rank()), 1+t.rng.IntN(4)
	if t.x.Shape()[axis].IsConst() {
		return // the number of parts is PyTorch's
	}
	parts := ops.Chunk(t.x, axis, n)
	take := t.rng.IntN(n + 2)
	if t.isStrict() {
		take = n
	}
	x, text := parts[min(take, n-1)], fmt.Sprintf("Chunk(%d, %d)[%d]", axis, n, take)
	if take >= n {
		x, text = ops.Concat(axis, parts...), fmt.Sprintf("Concat(Chunk(%d, %d))", axis, n)
	}
	t.step(text, x, func(s []int64, _ values) ([]int64, bool) {
		size := s[axis]
		part := (size + int64(n) - 1) / int64(n)
		last := size - part*int64(n-1)
		if last < min(size, 1) {
			return nil, false
		}
		out := append([]int64{}, s...)
		switch {
		case take == n-1:
			out[axis] = last
		case take < n:
			out[axis] = part
		}
		return out, true
	})
}

// isStrict reports whether sizes of different names are refused where they meet: a part of a
// value does not go back to the shape of the whole then.
func (t *trip) isStrict() bool { return t.g.Policy().Names == graph.Strict }

// sliced takes every other element, or those that lie before or behind a named bound.
func (t *trip) sliced() {
	axis, bound, step := t.rng.IntN(t.x.Rank()), t.part(), 1+t.rng.IntN(3)
	start, stop, kind := graph.Dim(0), graph.Dim(ops.End), t.rng.IntN(3)
	switch kind {
	case 0:
		start = graph.Dim(0).Minus(bound.dim)
	case 1:
		start = bound.dim
	case 2:
		stop = graph.Dim(0).Minus(bound.dim)
	}
	if t.x.Shape()[axis].IsConst() && bound.dim.IsConst() || t.isStrict() {
		return // bounds outside are brought in
	}
	t.step(fmt.Sprintf("Slice(%d, %v, %v, %d)", axis, start, stop, step), ops.Slice(t.x, axis, start, stop, step),
		func(s []int64, v values) ([]int64, bool) {
			n, _ := bound.at(v)
			if n > s[axis] || kind != 1 && n == 0 {
				return nil, false
			}
			length := s[axis] - n
			if kind == 0 {
				length = n
			}
			out := append([]int64{}, s...)
			out[axis] = (length + int64(step) - 1) / int64(step)
			return out, true
		})
}

// newTrip makes a program of sizes of one to three names.
func newTrip(rng *rand.Rand, names ...string) *trip {
	policy := graph.Policy{AxisMixing: graph.AllowSilently,
		Names: []graph.NamesPolicy{graph.Strict, graph.Unify}[rng.IntN(2)]}
	t := &trip{rng: rng, g: graph.New("trip", graph.WithPolicy(policy)), names: names[:1+rng.IntN(3)]}
	for _, name := range t.names {
		var said []graph.DimOption
		switch rng.IntN(6) {
		case 0:
			said = append(said, graph.MultipleOf(int64(2+rng.IntN(3))))
		case 1:
			said = append(said, graph.AtLeast(0))
		case 2:
			v := int64(4 * (1 + rng.IntN(2)))
			said = append(said, graph.AtLeast(v), graph.AtMost(v))
		}
		t.g.Dim(name, said...)
	}
	var list []sized
	for range 1 + rng.IntN(3) {
		list = append(list, t.size())
	}
	t.x = t.g.Input("x", graph.Float32, dims(list)...)
	t.told = []string{t.x.Shape().String()}
	t.truth = func(v values) (s []int64, ok bool) {
		for _, d := range list {
			n, _ := d.at(v)
			s = append(s, n)
		}
		return s, true
	}
	for range 1 + rng.IntN(4) {
		if !t.x.Judged() {
			break
		}
		[]func(){t.inferred, t.inferred, t.back, t.back, t.divided, t.unflattened, t.flattened, t.chunked,
			t.sliced}[rng.IntN(9)]()
	}
	return t
}
