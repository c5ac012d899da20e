//go:build !linux

package hugepage

// advise leaves the size of pages to the system.
func advise([]byte) {}
