//go:build windows && amd64

package jit

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// reserve returns writable pages.
func reserve(size int) ([]byte, error) {
	address, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_COMMIT|windows.MEM_RESERVE,
		windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size), nil
}

// makeExecutable makes writable pages executable, and no longer writable. It returns an error if a policy of the
// process forbids code that is made at run time, as "arbitrary code guard" does.
func makeExecutable(mem []byte) error {
	var was uint32
	return windows.VirtualProtect(addressOf(mem), uintptr(len(mem)), windows.PAGE_EXECUTE_READ, &was)
}

func unmap(mem []byte) { _ = windows.VirtualFree(addressOf(mem), 0, windows.MEM_RELEASE) }

func addressOf(mem []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }
