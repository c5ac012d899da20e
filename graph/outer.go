package graph

import (
	"os"
	"runtime"
	"unique"
)

// Outer returns the place from which the user's function at p was called; ok is false where that
// is not known, or its source is none that can be read.
func (p Pos) Outer() (outer Pos, ok bool) {
	inner, known := p.Frame()
	if !known {
		return p, false
	}
	pcs := p.counters()
	isInner := false // the function at p was reached
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
			copy(left[:], pcs[i:])
			return Pos{pcs: unique.Make(left)}, true
		}
	}
	return p, false
}

// Func returns the user's function at p, without its package; that of the one around it for a
// function literal.
func (p Pos) Func() string {
	f, ok := p.Frame()
	if !ok {
		return ""
	}
	return f.function()
}
