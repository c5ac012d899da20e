//go:build !linux

package hugepage

// probe asks nothing of other systems.
func probe(int) bool { return true }

// systemLimit knows none of other systems.
func systemLimit() (n int, of string) { return 0, "" }
