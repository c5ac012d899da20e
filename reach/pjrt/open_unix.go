//go:build !windows

package pjrt

import "github.com/ebitengine/purego"

// symbol opens a library, which stays open, and returns the address of a function in it.
func symbol(path, name string) (uintptr, error) {
	library, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return 0, err
	}
	return purego.Dlsym(library, name)
}
