package engine

import "time"

// If huge pages are slow to obtain, the arena and the parameters start with small pages, and runs replace them.

// enlargeShare limits the time for huge pages to 1/enlargeShare of the runs' time.
const enlargeShare = 4

// hasSmallPages reports whether there are huge pages still to be made.
func (s *State) hasSmallPages() bool {
	return s.later.Pending() || s.Store != nil && s.Store.HasSmallPages()
}

// enlarge makes huge pages after a run that began at some time: first of the arena, then of the parameters.
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
