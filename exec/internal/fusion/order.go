package fusion

import (
	"slices"
)

// priority says how early a kernel runs.
type priority uint8

const (
	normal priority = iota // as early as its position and dependencies allow
	early                  // right after its last dependency
	eager                  // likewise, and before early kernels
)

// sort returns a topological order of the kernels.
func (d *dependencies) sort(priorities []priority) []int {
	s := sorter{d: d, readers: make([][]int, len(d.needs)), missing: make([]int, len(d.needs)),
		begun: make([]bool, len(d.needs))}
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

// sorter sorts kernels.
type sorter struct {
	d       *dependencies
	readers [][]int // by kernel: its early and eager users
	missing []int   // by kernel: unplaced dependencies, except those that depend on nothing and can come along
	begun   []bool
	path    []sorting
	sorted  []int
}

// sorting is the state of a kernel on the way to its place. Its dependencies come first, then early readers.
type sorting struct{ kernel, needs, readers int }

// place places a kernel after its dependencies, followed by early readers that waited for it.
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
