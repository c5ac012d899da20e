// Package hugepage makes memory that begins at a line of the cache and, where it is large, lies
// in large pages.
//
// hugepage.go makes memory; advise_linux.go asks the system for large pages, and advise_other.go
// has none to ask. limit.go, with limit_linux.go and limit_other.go, says how much memory there
// is.
package hugepage
