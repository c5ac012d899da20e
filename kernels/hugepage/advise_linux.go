package hugepage

import "syscall"

// advise asks for large pages. That the system has none is no error.
func advise(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
