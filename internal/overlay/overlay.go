// Package overlay finds the text of a source file from which a program was built, if it is not
// in the file itself but in an editor's unsaved buffer.
package overlay

import "sync/atomic"

var files atomic.Pointer[map[string]string]

// Set says which file has the text of each file of the map. It is called once, before any source is read.
func Set(replaced map[string]string) { files.Store(&replaced) }

// Path returns the file that contains the text of a file.
func Path(file string) string {
	if replaced := files.Load(); replaced != nil {
		if other, ok := (*replaced)[file]; ok {
			return other
		}
	}
	return file
}
