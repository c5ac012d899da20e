// Package hugepage makes memory that begins at a line of the cache and, where it is large, lies
// in large pages.
//
// hugepage.go makes memory, and later.go such whose pages become large while it is used, where large
// ones are slow to come by; advise_linux.go asks the system for large pages, and advise_other.go
// has none to ask. limit.go, with limit_linux.go and limit_other.go, says how much memory there
// is.
package hugepage
