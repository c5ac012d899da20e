// Package panicked tells where a panic that was recovered was raised.
package panicked

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// Frame returns the function that has panicked; what the Go runtime raised is its caller's. It is
// to be called while the deferred function runs that has called recover.
func Frame() (f runtime.Frame, ok bool) {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	panicking := false
	for more := true; more; {
		f, more = frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(f.Function, "runtime."):
			return f, true
		}
	}
	return f, false
}

// Place returns the file and line of a frame: "ops.go:12".
func Place(f runtime.Frame) string { return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line) }

// Text tells what was given to panic, and where, for a sentence: "panics at ops.go:12: …". It is
// to be called as [Frame] is.
func Text(value any) string {
	if f, ok := Frame(); ok {
		return fmt.Sprintf("panics at %s: %v", Place(f), value)
	}
	return fmt.Sprintf("panics: %v", value)
}
