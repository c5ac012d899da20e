package bug

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/panicked"
)

// Panic is a panic that was caught.
type Panic struct {
	value any
	where string      // file and line
	Ours  bool        // it is in the library
	node  *graph.Node // whose operation's function it is in, if that is known
	Stack string
}

// Error tells what was given to panic, and where.
func (e *Panic) Error() string { return fmt.Sprintf("panic at %s: %v", e.where, e.value) }

// Unwrap returns what was given to panic, if that is an error.
func (e *Panic) Unwrap() error {
	err, _ := e.value.(error)
	return err
}

// Caught describes what recover has given, in the deferred function that called it. It keeps the
// stack of what was caught on another goroutine.
func Caught(value any) *Panic {
	if e, ok := value.(*Panic); ok {
		return e
	}
	e := &Panic{value: value, where: "?", Ours: true, Stack: string(debug.Stack())}
	if f, ok := panicked.Frame(); ok {
		e.where = panicked.Place(f)
		e.Ours = strings.HasPrefix(f.Function, modulePath) && !strings.HasSuffix(f.File, "_test.go")
	}
	return e
}

// Blame, deferred, notes with a panic that it came from a function of a node's operation.
func Blame(n *graph.Node) {
	if v := recover(); v != nil {
		e := Caught(v)
		e.node = n
		panic(e)
	}
}

const modulePath = "github.com/broadloom/broadloom/"

// Panicked is what recover gave where code was at work on a node, or nil.
func Panicked(at *graph.Node, value any) *Error {
	e := Caught(value)
	if e.node != nil {
		at = e.node
	}
	return &Error{Node: at, Err: e}
}

// Error is what a verification found, at a node of the pass's graph or of none.
type Error struct {
	Node *graph.Node
	Err  error
}

// Error says what is wrong.
func (e *Error) Error() string { return e.Err.Error() }

// At returns an [Error] at a node.
func At(n *graph.Node, format string, args ...any) error {
	return &Error{n, fmt.Errorf(format, args...)}
}

// As returns an error as an [Error], which is at no node if it was none.
func As(err error) *Error {
	if e, ok := err.(*Error); ok {
		return e
	}
	return &Error{Err: err}
}
