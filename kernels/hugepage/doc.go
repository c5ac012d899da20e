// Package hugepage allocates memory that is aligned to a cache line and, if it is large, uses large
// pages.
//
// hugepage.go allocates memory, and later.go allocates memory whose pages become large while it is in
// use, if large ones are slow to obtain; advise_linux.go requests large pages from the system, and
// advise_other.go does nothing. limit.go, with limit_linux.go and limit_other.go, returns the amount of
// memory.
package hugepage
