package graph

import (
	"os"
	"runtime"
	"unique"
)

// Outer returns the position from which the user's function at p was called; ok is false if it is unknown, or its
// source cannot be read.
func (p Pos) Outer() (outer Pos, ok bool) {
	inner, known := p.Frame()
	if !known {
		return p, false
	}
	pcs := p.counters()
	isInner, callee := false, 0 // whether the function at p was reached; the last frame, which the next one called
	for i, pc := range pcs {
		if pc == 0 {
			break
		}
		fr, _ := runtime.CallersFrames(pcs[i : i+1]).Next()
		f := Frame{File: fr.File, Line: fr.Line, Func: fr.Function}
		switch {
		case isGo(fr) || isLibrary(fr):
		case !isInner:
			isInner = true
		case f.function() != inner.function():
			if _, err := os.Stat(f.File); err != nil {
				return p, false
			}
			var left [posDepth]uintptr
			copy(left[:], pcs[callee:])
			return Pos{pcs: unique.Make(left), called: true}, true
		}
		if !isGo(fr) {
			callee = i
		}
	}
	return p, false
}

// Func returns the name of the user's function at p, without its package; for a function literal that of the
// enclosing function.
func (p Pos) Func() string {
	f, ok := p.Frame()
	if !ok {
		return ""
	}
	return f.function()
}
