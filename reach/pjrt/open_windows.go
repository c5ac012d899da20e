package pjrt

import "syscall"

// symbol opens a library, which stays open, and returns the address of a function in it.
func symbol(path, name string) (uintptr, error) {
	library, err := syscall.LoadLibrary(path)
	if err != nil {
		return 0, err
	}
	return syscall.GetProcAddress(library, name)
}
