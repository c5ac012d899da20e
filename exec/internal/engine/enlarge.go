package engine

import "time"

// Where large pages are slow to come by, the arena and the parameters begin with small ones, and
// runs make them large.

// enlargeShare is the part of the time of runs, 1/enlargeShare, that large pages may take.
const enlargeShare = 4

// hasSmallPages reports whether there are large pages to be made.
func (s *State) hasSmallPages() bool {
	return s.later.Pending() || s.Store != nil && s.Store.HasSmallPages()
}

// enlarge makes large pages after a run that began at some time: first of the arena, then of the
// parameters.
func (s *State) enlarge(began time.Time) {
	if s.credit += time.Since(began) / enlargeShare; s.credit <= 0 {
		return
	}
	if s.later.Pending() {
		s.credit -= s.later.Enlarge(s.credit)
	} else if s.Store != nil {
		s.credit -= s.Store.Enlarge(s.credit)
	}
}
