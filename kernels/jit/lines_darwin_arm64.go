package jit

// cacheLines returns a length in bytes of which the lines of Apple's caches, 64 or 128 bytes, are multiples. Programs
// must not read the register that reports them: XNU leaves SCTLR_EL1.UCT at 0 (osfmk/arm64/proc_reg.h), so that it
// would be an illegal instruction.
func cacheLines() (data, code uintptr) { return 64, 64 }
