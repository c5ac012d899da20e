package fusion

import (
	"cmp"
	"slices"
)

// dependencies is which kernels need which others to run before them. It keeps them in an
// order in which they could run, which bounds every search: what comes before a kernel
// there does not need it.
type dependencies struct {
	needs [][]int // by kernel
	users [][]int // by kernel: those that need it
	place []int   // by kernel: in the order
	marks marks
}

// marks are sets of kernels of which each is soon forgotten.
type marks struct {
	last  []int // by kernel: the last set that it was put in
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

// grow makes room for a number of kernels.
func (m *marks) grow(n int) {
	if missing := n - len(m.last); missing > 0 {
		m.last = append(m.last, make([]int, missing)...)
	}
}

// add makes a kernel.
func (d *dependencies) add() int {
	at := len(d.needs)
	d.needs, d.users, d.place = append(d.needs, nil), append(d.users, nil), append(d.place, at)
	return at
}

// after says that a kernel runs after others. None of them runs after it.
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

// putBehind gives a kernel a place after another one that it needs. What needs it and what
// the other one needs move with them, as far as they have their places in between: all
// these share the places that they had. It is the algorithm of Pearce and Kelly.
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

// reach lists a kernel and those between two places to which edges lead from it, by their
// places.
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

// maxSearched bounds the kernels that a search looks at.
const maxSearched = 1 << 12

// search finds the kernels that some others need, directly or through others.
type search struct {
	d        *dependencies
	expanded marks
	needed   marks
	list     []int
	gaveUp   bool
}

// run looks for what kernels need, down to a place. It gives up where that is very much;
// everything then counts as needed.
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

// finds reports whether a kernel, at or after the place down to which the search went, is
// needed.
func (s *search) finds(k int) bool { return s.gaveUp || s.needed.has(k) }

// follows reports whether a kernel runs after another one, by what has been said so far.
func (s *search) follows(k, before int) bool {
	s.run(s.d.place[before], k)
	return s.finds(before)
}
