//go:build !linux

package exec

// adviseHugePages leaves the size of pages to the system.
func adviseHugePages([]byte) {}
