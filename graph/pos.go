package graph

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unique"

	"github.com/broadloom/broadloom/internal/workdir"
)

// posDepth bounds the frames kept for one node: enough to leave the library's own
// frames (a layer that calls a layer that calls an operation) and reach the user's.
const posDepth = 16

// Pos is a position in the user's program. It represents program counters, which are converted to a file and a line
// only when printed. Nodes made by one line in a loop share it.
type Pos struct {
	pcs    unique.Handle[[posDepth]uintptr]
	called bool // the innermost frame is that of a function that was called, not of who called it
}

// Caller returns the position from which the library was called.
func Caller() Pos {
	var pcs [posDepth]uintptr
	runtime.Callers(3, pcs[:])
	return Pos{pcs: unique.Make(pcs)}
}

// ownCall is Caller for a function of the library that others call: the place knows its name.
func ownCall() Pos { return Caller() }

// counters returns the program counters, innermost first; those that are 0 are none.
func (p Pos) counters() (pcs [posDepth]uintptr) {
	if p != (Pos{}) {
		pcs = p.pcs.Value()
	}
	return pcs
}

// Frame is a resolved Pos.
type Frame struct {
	File string // full path
	Line int
	// Column is counted from 1, in bytes; 0 if it was not determined.
	Column int
	Func   string
	Call   string // the function of the library that was called, without its package
}

// Frame resolves p to the innermost frame outside the library; ok is false if there is none.
func (p Pos) Frame() (f Frame, ok bool) {
	frames := p.users()
	if len(frames) == 0 {
		return Frame{}, false
	}
	return frames[0].Frame, true
}

// isAt reports whether two frames are of one line and call. Where the compiler writes a
// function into its callers, function literals inside it have a name for each.
func (f Frame) isAt(other Frame) bool {
	return f.File == other.File && f.Line == other.Line && f.Call == other.Call
}

// function returns the name of the frame's function; that of the one around it for a function
// literal.
func (f Frame) function() string {
	words := strings.Split(f.Func[strings.LastIndexByte(f.Func, '/')+1:], ".")
	for i, word := range slices.Backward(words) {
		if i > 0 && !isLiteral(word) {
			return strings.TrimSuffix(word, "[...]")
		}
	}
	return withoutPackage(f.Func)
}

// Callers returns the frames from which the function of [Pos.Frame] was called, innermost first, as far as they are
// known and in the user's code.
func (p Pos) Callers() (callers []Frame) {
	for _, frame := range p.users()[min(1, len(p.users())):] {
		callers = append(callers, frame.Frame)
	}
	return callers
}

// userFrame is a frame of the user's, with the call that it makes.
type userFrame struct {
	Frame
	callee string // the name of the function that it calls: Call, or the user's own
	site   callSite
}

// callSite tells calls on one line apart. Calls of an inlined function may share a program counter, so its own is
// needed too.
type callSite struct{ call, inlined uintptr }

func compareSites(a, b callSite) int {
	return cmp.Or(cmp.Compare(a.call, b.call), cmp.Compare(a.inlined, b.inlined))
}

// isLike reports whether two frames call the same function on the same line.
func (f userFrame) isLike(other userFrame) bool {
	return f.Frame == other.Frame && f.callee == other.callee
}

// resolved caches the frames of positions. Many nodes share a position, and a program has no more of them than its code
// has calls.
var resolved sync.Map // from Pos to []userFrame

// users returns the frames outside the library and Go's own packages, innermost first.
func (p Pos) users() []userFrame {
	list, ok := resolved.Load(p)
	if !ok {
		list, _ = resolved.LoadOrStore(p, p.resolve())
	}
	return list.([]userFrame)
}

// resolve finds the frames that [Pos.users] returns.
func (p Pos) resolve() (list []userFrame) {
	pcs, n := p.counters(), 0
	for n < len(pcs) && pcs[n] != 0 {
		n++
	}
	if n == 0 {
		return nil
	}
	frames := runtime.CallersFrames(pcs[:n])
	call, called := "", p.called
	callee, inlined := "", uintptr(0)
	for more := true; more; {
		var fr runtime.Frame
		fr, more = frames.Next()
		switch {
		case isGo(fr):
		case called || isLibrary(fr):
			call, called = withoutPackage(fr.Function), false
		default:
			frame := Frame{File: fr.File, Line: fr.Line, Func: fr.Function, Call: call}
			list = append(list, userFrame{frame, cmp.Or(call, callee), callSite{fr.PC, inlined}})
			call, callee = "", withoutPackage(fr.Function)
		}
		if inlined = 0; fr.Func == nil {
			inlined = fr.PC
		}
	}
	return list
}

// isGo tells frames of Go's own packages that call a user's function.
func isGo(f runtime.Frame) bool {
	return f.Function == "" || strings.HasPrefix(f.Function, "runtime.") || strings.HasPrefix(f.Function, "testing.") ||
		strings.HasPrefix(f.Function, "reflect.")
}

// withoutPackage cuts "path/ops.MatMul" and "path/graph.(*Graph).Input" to their last
// word.
func withoutPackage(function string) string {
	function = strings.TrimSuffix(function, "[...]")
	return function[strings.LastIndexByte(function, '.')+1:]
}

// String returns "models/net.go:12:7", with the path relative to the working directory, or "?" where
// nothing is known.
func (p Pos) String() string { return p.In("") }

// Short returns the file's bare name and the line: "net.go:12".
func (p Pos) Short() string {
	f, ok := p.Frame()
	if !ok {
		return "?"
	}
	return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
}

// In returns the file with its path relative to the directory dir, or to the working directory if dir is empty, the
// line, and the column of the call if the source is available.
func (p Pos) In(dir string) string {
	f, ok := (*Graph)(nil).Locate(p)
	if !ok {
		return "?"
	}
	return f.In(dir)
}

// In returns the frame's file and line like [Pos.In], and its column if it is known.
func (f Frame) In(dir string) string {
	file := f.File
	if dir == "" {
		dir = workdir.Dir()
	}
	if rel, err := filepath.Rel(dir, f.File); dir != "" && err == nil && len(rel) < len(file) {
		file = rel
	}
	if f.Column > 0 {
		return fmt.Sprintf("%s:%d:%d", file, f.Line, f.Column)
	}
	return fmt.Sprintf("%s:%d", file, f.Line)
}

const modulePath = "github.com/broadloom/broadloom/"

// isLibrary tells the packages that build nodes and run programs on a user's behalf from a user's
// own; the library's tests, commands and examples are users.
func isLibrary(f runtime.Frame) bool {
	if strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	rest, ours := strings.CutPrefix(f.Function, modulePath)
	pkg, _, _ := strings.Cut(rest, ".")
	if ours && worksForUsers(pkg) {
		return true
	}
	// Where the compiler writes a function of ours into a user's, function literals inside it are called after the
	// user's.
	file, ours := strings.CutPrefix(f.File, moduleFolder)
	return ours && worksForUsers(path.Dir(file))
}

// moduleFolder is where the library's files lay when it was compiled.
var moduleFolder = func() string {
	_, file, _, _ := runtime.Caller(0)
	return strings.TrimSuffix(file, "graph/pos.go")
}()

func worksForUsers(pkg string) bool {
	switch pkg {
	case "graph", "ops", "internal/loopop", "shapeinfer", "autodiff", "exec", "nn", "optim", "optim/lbfgs", "contract",
		"reach", "train", "viz", "stablehlo", "weights",
		"onnx", "onnx/internal/importer", "onnx/internal/export", "cmd/broadloom":
		return true
	}
	return false
}
