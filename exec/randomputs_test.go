package exec_test

import (
	"math/rand/v2"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// This file makes random loops that put slices into what they carry, as nodes and as the same loops over plain slices:
// whole numbers, which all dtypes hold.

// cube is a value of three axes.
type cube struct {
	size [3]int
	v    []int
}

func newCube(size [3]int, of func(at [3]int) int) cube {
	c := cube{size, make([]int, size[0]*size[1]*size[2])}
	for i := range c.v {
		c.v[i] = of([3]int{i / (size[1] * size[2]), i / size[2] % size[1], i % size[2]})
	}
	return c
}

func (c cube) at(p [3]int) int { return c.v[(p[0]*c.size[1]+p[1])*c.size[2]+p[2]] }

// moved is a place at another position of an axis.
func movedTo(p [3]int, axis, to int) [3]int {
	p[axis] = to
	return p
}

// place is a position along an axis: (times*i + plus) mod size, where i is the number of a step.
type place struct{ times, plus, counter int }

func (p place) of(counters []int, size int) int { return (p.times*counters[p.counter] + p.plus) % size }

func (p place) node(counters []*graph.Node, size graph.Dim) *graph.Node {
	i := counters[p.counter]
	at := ops.Add(ops.Mul(i, graph.Num(p.times)), graph.Num(p.plus))
	return ops.Unsqueeze(ops.Remainder(at, ops.Size(i.Graph(), graph.Int64, size)), 0)
}

// statement appends a value, or those of an inner loop, to those that there are.
type statement struct {
	kind    string
	a, b    int // operands
	axis    int
	to, and place
	inner   *putLoop
	carried []int
}

// putLoop is a loop's body and the values that it carries.
type putLoop struct {
	steps      int
	statements []statement
	next       []int
	depth      int
}

var putKinds = []string{"put", "put", "put", "put two", "shift", "update", "element", "add slice", "add slice", "add",
	"max", "flip", "roll", "swap", "repeat", "branch", "loop", "write"}

func randomPutLoop(rng *rand.Rand, carried, depth int) *putLoop {
	l := &putLoop{steps: rng.IntN(4), depth: depth}
	if depth == 0 {
		l.steps = rng.IntN(7)
	}
	count := carried
	for range 1 + rng.IntN(5-depth) {
		recent := func() int {
			if rng.IntN(2) == 0 {
				return count - 1 - rng.IntN(min(2, count))
			}
			return rng.IntN(count)
		}
		at := func() place { return place{rng.IntN(3), rng.IntN(3), rng.IntN(depth + 1)} }
		s := statement{kind: putKinds[rng.IntN(len(putKinds))], a: recent(), b: recent(), axis: rng.IntN(3), to: at(),
			and: at()}
		made := 1
		if s.kind == "loop" {
			if depth > 0 {
				continue
			}
			for range 1 + rng.IntN(2) {
				s.carried = append(s.carried, recent())
			}
			s.inner = randomPutLoop(rng, len(s.carried)+1, depth+1)
			s.inner.next = s.inner.next[:len(s.carried)]
			made = len(s.carried)
		}
		l.statements = append(l.statements, s)
		count += made
	}
	for i := range carried {
		at := rng.IntN(count)
		if rng.IntN(3) > 0 {
			at = max(count-1-rng.IntN(3), 0)
		}
		if rng.IntN(6) == 0 {
			at = i
		}
		l.next = append(l.next, at)
	}
	return l
}

// run gives all values of a step.
func (l *putLoop) run(counters []int, v []cube, t graph.DType) []cube {
	isBool := t == graph.Bool
	v = append([]cube{}, v...)
	for _, s := range l.statements {
		a, b := v[s.a], v[s.b]
		n := a.size[s.axis]
		to, and := s.to.of(counters, n), s.and.of(counters, n)
		sum := func(x, y int) int {
			if isBool {
				return x ^ y
			}
			return (x + y) % 5
		}
		pick := func(of func(p [3]int) int) { v = append(v, newCube(a.size, of)) }
		isAt := func(p [3]int, i int) bool { return p[s.axis] == i }
		put := func(p [3]int) int {
			if isAt(p, to) {
				return b.at(movedTo(p, s.axis, and))
			}
			return a.at(p)
		}
		switch s.kind {
		case "put":
			pick(put)
		case "put two":
			pick(func(p [3]int) int {
				if isAt(p, and) {
					return b.at(movedTo(p, s.axis, to))
				}
				return put(p)
			})
		case "shift":
			pick(func(p [3]int) int { return a.at(movedTo(p, s.axis, max(p[s.axis]-1, 0))) })
		case "update":
			start := min(to, n-(n+1)/2)
			pick(func(p [3]int) int {
				if p[s.axis] >= start && p[s.axis] < start+(n+1)/2 {
					return b.at(movedTo(p, s.axis, p[s.axis]-start))
				}
				return a.at(p)
			})
		case "element":
			i, j := s.to.of(counters, a.size[0]), s.and.of(counters, a.size[1])
			pick(func(p [3]int) int {
				if p[0] == i && p[1] == j {
					return b.at([3]int{j % a.size[0], i % a.size[1], p[2]})
				}
				return a.at(p)
			})
		case "add slice":
			pick(func(p [3]int) int {
				added := b.at(movedTo(p, s.axis, and)) % 5
				switch {
				case !isAt(p, to):
					return a.at(p)
				case isBool:
					return a.at(p) | added
				case isWide(t):
					return a.at(p) + added
				}
				return (a.at(p) + added) % 97
			})
		case "add", "write":
			pick(func(p [3]int) int { return sum(a.at(p), b.at(p)) })
		case "max":
			pick(func(p [3]int) int { return max(a.at(p), b.at(p)) })
		case "flip":
			pick(func(p [3]int) int { return a.at(movedTo(p, s.axis, n-1-p[s.axis])) })
		case "roll":
			pick(func(p [3]int) int { return a.at(movedTo(p, s.axis, (p[s.axis]+n-1)%n)) })
		case "swap":
			i, j := s.axis, (s.axis+1)%3
			if a.size[i] != a.size[j] {
				pick(a.at)
				break
			}
			pick(func(p [3]int) int { p[i], p[j] = p[j], p[i]; return a.at(p) })
		case "repeat":
			pick(func(p [3]int) int { return a.at(movedTo(p, s.axis, 0)) })
		case "branch":
			if to%2 == 0 {
				pick(put)
			} else {
				pick(b.at)
			}
		case "loop":
			var c []cube
			for _, i := range s.carried {
				c = append(c, v[i])
			}
			for i := range s.inner.steps {
				all := s.inner.run(append(counters[:1:1], i), append(c[:len(c):len(c)], a), t)
				for k := range c {
					c[k] = all[s.inner.next[k]]
				}
			}
			v = append(v, c...)
		}
	}
	return v
}

// build gives the nodes of all values of a step.
func (l *putLoop) build(counters []*graph.Node, v []*graph.Node, swaps func(i, j int) bool) []*graph.Node {
	v = append([]*graph.Node{}, v...)
	for _, s := range l.statements {
		a, b := v[s.a], v[s.b]
		g, shape := a.Graph(), a.Shape()
		n := shape[s.axis]
		to, and := s.to.node(counters, n), s.and.node(counters, n)
		isBool := a.DType() == graph.Bool
		put := func() *graph.Node { return ops.IndexCopy(a, s.axis, to, ops.Take(b, s.axis, and)) }
		var y *graph.Node
		switch s.kind {
		case "put":
			y = put()
		case "put two":
			y = ops.IndexCopy(a, s.axis, ops.Concat(0, to, and), ops.Take(b, s.axis, ops.Concat(0, and, to)))
		case "shift":
			y = ops.IndexCopy(a, s.axis, ops.Add(ops.Iota(g, 0, n.Minus(1)), graph.Num(1)),
				ops.Slice(a, s.axis, 0, n.Minus(1), 1))
		case "update":
			k, _ := n.Int()
			starts := []*graph.Node{g.Scalar(graph.Int64, 0), g.Scalar(graph.Int64, 0), g.Scalar(graph.Int64, 0)}
			starts[s.axis] = ops.Select(to, 0, 0)
			y = ops.DynamicUpdateSlice(a, ops.Slice(b, s.axis, 0, graph.Dim((k+1)/2), 1), starts...)
		case "element":
			i, j := s.to.node(counters, shape[0]), s.and.node(counters, shape[1])
			y = ops.IndexPut(a, []*graph.Node{i, j},
				ops.Index(b, ops.Remainder(j, ops.Size(g, graph.Int64, shape[0])),
					ops.Remainder(i, ops.Size(g, graph.Int64, shape[1]))))
		case "add slice":
			added := ops.Take(b, s.axis, and)
			if !isBool {
				added = ops.Remainder(added, graph.Num(5))
			}
			if y = ops.IndexAdd(a, s.axis, to, added); !isBool && !isWide(a.DType()) {
				y = ops.Where(ops.Less(y, graph.Num(97)), y, ops.Sub(y, graph.Num(97)))
			}
		case "add", "write":
			switch {
			case isBool:
				y = ops.Xor(a, b)
			case s.kind == "write":
				y = ops.InPlace(ops.Lookup("remainder"), nil, ops.AddInPlace(ops.Copy(a), b), graph.Num(5))
			default:
				y = ops.Remainder(ops.Add(a, b), graph.Num(5))
			}
		case "max":
			if y = ops.Maximum(a, b); isBool {
				y = ops.Or(a, b)
			}
		case "flip":
			y = ops.Flip(a, s.axis)
		case "roll":
			y = ops.Roll(a, s.axis, 1)
		case "swap":
			if y = a; swaps(s.axis, (s.axis+1)%3) {
				y = ops.Transpose(a, s.axis, (s.axis+1)%3)
			}
		case "repeat":
			y = ops.Expand(ops.Slice(a, s.axis, 0, 1, 1), shape...)
		case "branch":
			even := ops.Equal(ops.Remainder(ops.Select(to, 0, 0), graph.Num(2)), graph.Num(0))
			y = ops.Cond(even, func() []*graph.Node { return []*graph.Node{put()} }, func() []*graph.Node {
				return []*graph.Node{b}
			})[0]
		case "loop":
			var c []*graph.Node
			for _, i := range s.carried {
				c = append(c, v[i])
			}
			v = append(v, ops.Fori(graph.Dim(s.inner.steps), c,
				func(i *graph.Node, c []*graph.Node) (next []*graph.Node) {
					all := s.inner.build(append(counters[:1:1], i), append(c[:len(c):len(c)], a), swaps)
					for _, k := range s.inner.next {
						next = append(next, all[k])
					}
					return next
				})...)
			continue
		}
		v = append(v, y)
	}
	return v
}
