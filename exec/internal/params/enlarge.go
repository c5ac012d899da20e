package params

import (
	"time"

	"github.com/broadloom/broadloom/kernels/hugepage"
)

// HasSmallPages reports whether there are huge pages still to be made.
func (st *Store) HasSmallPages() bool { return st.smallPages.Load() }

// addLater records huge pages that are still to be made. The caller holds the lock.
func (st *Store) addLater(later hugepage.Later) {
	if later.Pending() {
		st.later = append(st.later, later)
		st.smallPages.Store(true)
	}
}

// Enlarge spends up to some time on making huge pages of the parameters, and returns the time spent. Of sessions that
// share them, only one does so at a time.
func (st *Store) Enlarge(most time.Duration) (took time.Duration) {
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
