package exec

import "syscall"

// adviseHugePages asks for large pages. That the system has none is no error.
func adviseHugePages(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
