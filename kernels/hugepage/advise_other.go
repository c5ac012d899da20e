//go:build !linux

package hugepage

// advise does nothing: the system chooses the size of pages.
func advise([]byte) {}

// collapse reports that the system cannot make large pages on request.
func collapse([]byte) bool { return false }
