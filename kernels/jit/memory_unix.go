//go:build linux || freebsd || netbsd

package jit

import "golang.org/x/sys/unix"

// reserve gives pages that can be written.
func reserve(size int) ([]byte, error) {
	return unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}

// makeExecutable makes of pages that can be written some that can be carried out.
func makeExecutable(mem []byte) error { return unix.Mprotect(mem, unix.PROT_READ|unix.PROT_EXEC) }

func unmap(mem []byte) { _ = unix.Munmap(mem) }
