package engine

import (
	"time"

	"github.com/broadloom/broadloom/kernels/hugepage"
)

// Where large pages are slow to come by, the arena and the parameters begin with small ones, and
// runs make them large.

// enlargeShare is the part of the time of runs, 1/enlargeShare, that large pages may take.
const enlargeShare = 4

// hasSmallPages reports whether there are large pages to be made.
func (s *State) hasSmallPages() bool {
	return s.later.Pending() || s.Store != nil && s.Store.smallPages.Load()
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
		s.credit -= s.Store.enlarge(s.credit)
	}
}

// makeRoom makes memory for parameters; the caller holds the lock.
func (st *ParamStore) makeRoom(size int) []byte {
	memory, later := hugepage.MakeLater(size, hugepage.Slow)
	st.addLater(later)
	return memory
}

func (st *ParamStore) addLater(later hugepage.Later) {
	if later.Pending() {
		st.later = append(st.later, later)
		st.smallPages.Store(true)
	}
}

// enlarge makes large pages of the parameters for some time, and returns how long that took. Of
// sessions that share them one does so at a time.
func (st *ParamStore) enlarge(most time.Duration) (took time.Duration) {
	if !st.mu.TryLock() {
		return 0
	}
	defer st.mu.Unlock()
	if len(st.later) == 0 {
		return 0
	}
	took = st.later[0].Enlarge(most)
	if !st.later[0].Pending() {
		st.later = st.later[1:]
		st.smallPages.Store(len(st.later) > 0)
	}
	return took
}
