//go:build !linux

package hugepage

// probe does not ask other systems.
func probe(int) bool { return true }

// systemLimit is unknown for other systems.
func systemLimit() (n int, of string) { return 0, "" }
