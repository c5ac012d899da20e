// Package panicked finds where a recovered panic was raised.
package panicked

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// Frame returns the function that has panicked. A panic of the Go runtime, its library or graph.Elements counts as its
// caller's. Call Frame while the deferred function runs that has called recover.
func Frame() (f runtime.Frame, ok bool) {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	panicking, library := false, ""
	for more := true; more; {
		f, more = frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicking, library = true, strings.TrimSuffix(f.File, "runtime/panic.go")
		case panicking && !isLibrary(f, library):
			return f, true
		}
	}
	return f, false
}

// isLibrary reports whether a frame is of Go's library, whose files are in a folder, or of a function that blames its
// caller.
func isLibrary(f runtime.Frame, folder string) bool {
	return strings.HasPrefix(f.Function, "runtime.") ||
		strings.HasPrefix(f.Function, "github.com/broadloom/broadloom/graph.Elements") ||
		strings.HasPrefix(f.Function, "github.com/broadloom/broadloom/graph.NewArray") ||
		folder != "" && strings.HasPrefix(f.File, folder)
}

// Place returns the file and line of a frame: "ops.go:12".
func Place(f runtime.Frame) string { return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line) }

// Error is [Text] as an error. It wraps the argument of panic if that is an error.
func Error(value any) error {
	text := Text(value)
	if err, ok := value.(error); ok {
		return &failure{text, err}
	}
	return errors.New(text)
}

type failure struct {
	text string
	err  error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.err }

// Text describes the argument of panic, and its place, for a sentence: "panics at ops.go:12: …". The rule for calling
// [Frame] applies.
func Text(value any) string {
	if f, ok := Frame(); ok {
		return fmt.Sprintf("panics at %s: %v", Place(f), value)
	}
	return fmt.Sprintf("panics: %v", value)
}
