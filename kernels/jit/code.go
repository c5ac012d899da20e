package jit

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

// ErrUnavailable says that the system provides no executable memory, or a policy forbids it.
var ErrUnavailable = errors.New("jit: no executable memory")

// Code is a block of machine code.
type Code struct {
	mem  []byte
	size int
}

// New copies machine code to executable memory, at the beginning of a page. The error
// is [ErrUnavailable] or wraps it.
func New(code []byte) (*Code, error) {
	mem, err := mapExecutable(code)
	if err != nil {
		return nil, err
	}
	c := &Code{mem, len(code)}
	runtime.AddCleanup(c, unmap, mem)
	return c, nil
}

// int3 fills the rest of the last page. It is a breakpoint on amd64, and undefined on arm64.
const int3 = 0xcc

// mapExecutable copies code to separate memory, which is first writable and then executable.
func mapExecutable(code []byte) ([]byte, error) {
	page := os.Getpagesize()
	size := (len(code) + page) &^ (page - 1)
	mem, err := reserve(size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	copy(mem, code)
	for i := len(code); i < size; i++ {
		mem[i] = int3
	}
	synchronize(mem)
	if err := makeExecutable(mem); err != nil {
		unmap(mem)
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return mem, nil
}

// Call runs the code from an offset on, with the address of its arguments. The caller must keep memory alive to which
// the arguments point.
func (c *Code) Call(offset int, args unsafe.Pointer) {
	call(c.at(offset), args)
	runtime.KeepAlive(c)
}

// Address is the address of the code at an offset, for other machine code to call. The caller must keep c alive as long
// as that may happen.
func (c *Code) Address(offset int) uintptr { return uintptr(c.at(offset)) }

// at returns the address of code. It is valid as long as c is alive.
func (c *Code) at(offset int) unsafe.Pointer {
	if uint(offset) >= uint(c.size) {
		panic("jit: call beyond the code")
	}
	return unsafe.Pointer(&c.mem[offset])
}

// Size is the number of bytes of code.
func (c *Code) Size() int { return c.size }
