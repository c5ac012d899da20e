package fusion

import (
	"cmp"
	"slices"
)

// dependencies is the graph of kernels. It maintains a topological order, which bounds every search: a kernel depends
// on none that comes later.
type dependencies struct {
	needs [][]int // by kernel
	users [][]int // by kernel: those that depend on it
	place []int   // by kernel: its position in the order
	marks marks
}

// marks are short-lived sets of kernels.
type marks struct {
	last  []int // by kernel: the last set to which it was added
	round int
}

func (m *marks) clear() { m.round++ }

func (m *marks) has(k int) bool { return m.last[k] == m.round }

// put adds a kernel, and reports whether it is new.
func (m *marks) put(k int) bool {
	isNew := !m.has(k)
	m.last[k] = m.round
	return isNew
}

// grow makes room for n kernels.
func (m *marks) grow(n int) {
	if missing := n - len(m.last); missing > 0 {
		m.last = append(m.last, make([]int, missing)...)
	}
}

// add adds a kernel.
func (d *dependencies) add() int {
	at := len(d.needs)
	d.needs, d.users, d.place = append(d.needs, nil), append(d.users, nil), append(d.place, at)
	return at
}

// after makes a kernel depend on others. None of them depends on it.
func (d *dependencies) after(k int, before ...int) {
	d.marks.grow(len(d.needs))
	d.marks.clear()
	d.marks.put(k)
	for _, j := range d.needs[k] {
		d.marks.put(j)
	}
	old := len(d.needs[k])
	for _, j := range before {
		if d.marks.put(j) {
			d.needs[k] = append(d.needs[k], j)
		}
	}
	for _, j := range d.needs[k][old:] {
		d.users[j] = append(d.users[j], k)
		d.putBehind(k, j)
	}
}

// putBehind moves a kernel after another one on which it depends. The kernels in between that depend on the first, or
// on which the second depends, move as well; all these share their old positions. This is the algorithm of Pearce and
// Kelly.
func (d *dependencies) putBehind(k, before int) {
	low, high := d.place[k], d.place[before]
	if low > high {
		return
	}
	moved := append(d.reach(d.needs, before, low, high), d.reach(d.users, k, low, high)...)
	places := make([]int, len(moved))
	for i, j := range moved {
		places[i] = d.place[j]
	}
	slices.Sort(places)
	for i, j := range moved {
		d.place[j] = places[i]
	}
}

// reach lists the kernels between two positions that are reachable from a kernel, itself included, by position.
func (d *dependencies) reach(edges [][]int, from, low, high int) []int {
	d.marks.clear()
	d.marks.put(from)
	list := []int{from}
	for i := 0; i < len(list); i++ {
		for _, j := range edges[list[i]] {
			if low <= d.place[j] && d.place[j] <= high && d.marks.put(j) {
				list = append(list, j)
			}
		}
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Compare(d.place[a], d.place[b]) })
	return list
}

// maxSearched is the most kernels that a search visits.
const maxSearched = 1 << 12

// search finds the transitive dependencies of kernels.
type search struct {
	d        *dependencies
	expanded marks
	needed   marks
	list     []int
	gaveUp   bool
}

// run searches the dependencies of kernels, down to a position. If there are too many it gives up, and everything
// counts as a dependency.
func (s *search) run(low int, kernels ...int) {
	s.expanded.grow(len(s.d.needs))
	s.needed.grow(len(s.d.needs))
	s.expanded.clear()
	s.needed.clear()
	s.list, s.gaveUp = s.list[:0], false
	visit := func(k int) {
		if s.d.place[k] > low && s.expanded.put(k) {
			s.list = append(s.list, k)
		}
	}
	for _, k := range kernels {
		visit(k)
	}
	for i := 0; i < len(s.list); i++ {
		if s.gaveUp = i == maxSearched; s.gaveUp {
			return
		}
		for _, j := range s.d.needs[s.list[i]] {
			s.needed.put(j)
			visit(j)
		}
	}
}

// finds reports whether a kernel, at or after the position down to which run searched, is a dependency.
func (s *search) finds(k int) bool { return s.gaveUp || s.needed.has(k) }

// follows reports whether a kernel depends on another one so far.
func (s *search) follows(k, before int) bool {
	s.run(s.d.place[before], k)
	return s.finds(before)
}
