//go:build linux || freebsd || netbsd

package jit

import (
	"fmt"
	"os"
	"syscall"
)

// int3 fills the rest of the last page.
const int3 = 0xcc

// mapExecutable puts code in memory of its own, which is writable first and executable
// afterwards.
func mapExecutable(code []byte) ([]byte, error) {
	page := os.Getpagesize()
	size := (len(code) + page) &^ (page - 1)
	mem, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	copy(mem, code)
	for i := len(code); i < size; i++ {
		mem[i] = int3
	}
	if err := syscall.Mprotect(mem, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		unmap(mem)
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return mem, nil
}

func unmap(mem []byte) { _ = syscall.Munmap(mem) }
