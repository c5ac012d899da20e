//go:build linux || freebsd || netbsd

package jit

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// int3 fills the rest of the last page: it stops amd64, and arm64 does not know it.
const int3 = 0xcc

// mapExecutable puts code in memory of its own, which is writable first and executable
// afterwards.
func mapExecutable(code []byte) ([]byte, error) {
	page := os.Getpagesize()
	size := (len(code) + page) &^ (page - 1)
	mem, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	copy(mem, code)
	for i := len(code); i < size; i++ {
		mem[i] = int3
	}
	synchronize(mem)
	if err := unix.Mprotect(mem, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		unmap(mem)
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return mem, nil
}

func unmap(mem []byte) { _ = unix.Munmap(mem) }
