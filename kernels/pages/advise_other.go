//go:build !linux

package pages

// advise leaves the size of pages to the system.
func advise([]byte) {}
