//go:build linux || freebsd || netbsd || darwin

package jit

import "golang.org/x/sys/unix"

// reserve returns writable pages.
func reserve(size int) ([]byte, error) {
	return unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}

// makeExecutable makes writable pages executable, and no longer writable.
func makeExecutable(mem []byte) error { return unix.Mprotect(mem, unix.PROT_READ|unix.PROT_EXEC) }

func unmap(mem []byte) { _ = unix.Munmap(mem) }
