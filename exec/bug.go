package exec

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/panicked"
	"github.com/broadloom/broadloom/shapeinfer"
)

// BugError is a mistake of the library's own, or of an operation of the user's own, found in a
// pass, when sizes are bound or in a run. A session whose run it ends can run again, but what
// the run has written to parameters by then stays.
type BugError struct {
	Pass string      // of compilation, or "begin" (of parameters), "bind" or "run"
	Node *graph.Node // at which it was found; nil where that is not known
	Err  error       // of a panic it holds the stack, see Error
}

// Error says what went wrong and whose fault it is, and gives the stack of a panic.
func (e *BugError) Error() string {
	at, stack := "", ""
	if e.Node != nil {
		at = fmt.Sprintf(" at %s (%s)", graph.Describe(e.Node), e.Node.Pos())
	}
	p, ok := e.Err.(*panicError)
	if ok {
		stack = "\n\n" + p.stack
	}
	if ok && !p.ours {
		return fmt.Sprintf("exec: code that is not the library's panicked in pass %s%s: %v%s", e.Pass, at, p, stack)
	}
	if shapeinfer.IsMistake(e.Err, graph.CodeOperation) { // of an operation that was found whole before
		return fmt.Sprintf("exec: in pass %s%s: %v", e.Pass, at, e.Err)
	}
	return fmt.Sprintf("exec: bug in pass %s%s: %v; please report it%s", e.Pass, at, e.Err, stack)
}

// Unwrap gives the error itself.
func (e *BugError) Unwrap() error { return e.Err }

// panicError is a panic that was caught.
type panicError struct {
	value any
	where string      // file and line
	ours  bool        // it is in the library
	node  *graph.Node // whose operation's function it is in, if that is known
	stack string
}

// Error tells what was given to panic, and where.
func (e *panicError) Error() string { return fmt.Sprintf("panic at %s: %v", e.where, e.value) }

// Unwrap gives what was given to panic, if that is an error.
func (e *panicError) Unwrap() error {
	err, _ := e.value.(error)
	return err
}

// caught describes what recover has given, in the deferred function that called it. It keeps the
// stack of what was caught on another goroutine.
func caught(value any) *panicError {
	if e, ok := value.(*panicError); ok {
		return e
	}
	e := &panicError{value: value, where: "?", ours: true, stack: string(debug.Stack())}
	if f, ok := panicked.Frame(); ok {
		e.where = panicked.Place(f)
		e.ours = strings.HasPrefix(f.Function, modulePath) && !strings.HasSuffix(f.File, "_test.go")
	}
	return e
}

// inPass makes a bug of a pass of what was found invalid in it.
func inPass(pass string, err error) error {
	if e, ok := err.(*invalid); ok {
		return &BugError{Pass: pass, Node: e.node, Err: e.err}
	}
	return err
}

// publicError makes public what went wrong while a program ran.
func publicError(pass string, err error) error {
	if e, ok := err.(*failedCheck); ok {
		return &RunError{e.node, e.message}
	}
	return inPass(pass, err)
}

// blame, deferred, notes with a panic that it came from a function of a node's operation.
func blame(n *graph.Node) {
	if v := recover(); v != nil {
		e := caught(v)
		e.node = n
		panic(e)
	}
}

const modulePath = "github.com/broadloom/broadloom/"

// panicAt is what recover gave where code was at work on a node, or nil.
func panicAt(at *graph.Node, value any) *invalid {
	e := caught(value)
	if e.node != nil {
		at = e.node
	}
	return &invalid{node: at, err: e}
}
