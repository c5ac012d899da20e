package fusion

import (
	"slices"
)

// priority says when a kernel runs.
type priority uint8

const (
	normal priority = iota // as early as it was made and what it needs allow
	early                  // right after the last one that it needs
	eager                  // so, and before those that only run soon
)

// sort returns an order in which kernels can run.
func (d *dependencies) sort(priorities []priority) []int {
	s := sorter{d: d, readers: make([][]int, len(d.needs)), missing: make([]int, len(d.needs)), begun: make([]bool, len(d.needs))}
	for _, h := range []priority{eager, early} {
		for k, needs := range d.needs {
			for _, j := range needs {
				if priorities[k] == h {
					s.readers[j] = append(s.readers[j], k)
				}
			}
		}
	}
	for k, needs := range d.needs {
		for _, j := range needs {
			if len(d.needs[j]) > 0 {
				s.missing[k]++
			}
		}
	}
	for k := range d.needs {
		s.place(k)
	}
	return s.sorted
}

// sorter brings kernels into an order.
type sorter struct {
	d       *dependencies
	readers [][]int // by kernel: those that hurry
	missing []int   // by kernel: how many that it needs have no place yet; those that need none themselves can come with it
	begun   []bool
	path    []sorting
	sorted  []int
}

// sorting is how far a kernel is on the way to its place: kernels that it needs come
// first, those in a hurry to read it come next.
type sorting struct{ kernel, needs, readers int }

// place puts a kernel after what it needs, and behind it what has been waiting for it.
func (s *sorter) place(k int) {
	s.begin(k)
	for len(s.path) > 0 {
		at := &s.path[len(s.path)-1]
		needs, readers := s.d.needs[at.kernel], s.readers[at.kernel]
		switch {
		case at.needs < len(needs):
			at.needs++
			s.begin(needs[at.needs-1])
			continue
		case at.readers == 0:
			s.sorted = append(s.sorted, at.kernel)
			if len(needs) == 0 {
				break
			}
			for _, user := range s.d.users[at.kernel] {
				s.missing[user]--
			}
		}
		ready := slices.IndexFunc(readers[at.readers:], func(r int) bool { return s.missing[r] == 0 && !s.begun[r] })
		if ready < 0 {
			s.path = s.path[:len(s.path)-1]
			continue
		}
		at.readers += ready + 1
		s.begin(readers[at.readers-1])
	}
}

func (s *sorter) begin(k int) {
	if !s.begun[k] {
		s.begun[k] = true
		s.path = append(s.path, sorting{kernel: k})
	}
}
