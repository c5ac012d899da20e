//go:build !linux

package hugepage

// advise leaves the size of pages to the system.
func advise([]byte) {}

// collapse reports that the system makes no large pages when it is asked.
func collapse([]byte) bool { return false }
