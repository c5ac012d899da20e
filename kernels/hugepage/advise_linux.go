package hugepage

import "syscall"

// advise asks for large pages. That the system has none is no error.
func advise(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }

// madvCollapse is MADV_COLLAPSE, which Linux has from 6.1 on: it makes large pages at once.
const madvCollapse = 25

// collapse makes a large page of small ones, and reports whether the system can. That it has no page
// to give at the moment is no refusal.
func collapse(page []byte) bool {
	err := syscall.Madvise(page, madvCollapse)
	return err == nil || err == syscall.EAGAIN || err == syscall.ENOMEM
}
