package hugepage

import "syscall"

// advise asks for large pages. It is not an error if the system has none.
func advise(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }

// madvCollapse is MADV_COLLAPSE of Linux 6.1 and later, which makes large pages at once.
const madvCollapse = 25

// collapse makes one large page of small ones, and reports whether the system can. It can even if it has no free large
// page at the moment.
func collapse(page []byte) bool {
	err := syscall.Madvise(page, madvCollapse)
	return err == nil || err == syscall.EAGAIN || err == syscall.ENOMEM
}
