// Package workdir knows the directory to which source positions in messages are relative. It is that of the process. In
// a program that the broadloom command runs in the folder of a user's package, it is the one in which the command was
// called.
package workdir

import (
	"os"
	"sync/atomic"
)

var set atomic.Pointer[string]

// Set makes places relative to a directory; "" is that of the process.
func Set(dir string) { set.Store(&dir) }

// Dir returns the directory to which places are relative, or "" if it is unknown.
func Dir() string {
	if dir := set.Load(); dir != nil && *dir != "" {
		return *dir
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}
