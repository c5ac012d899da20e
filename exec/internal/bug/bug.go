package bug

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/panicked"
)

// Panic is a recovered panic.
type Panic struct {
	value any
	where string      // file and line
	Ours  bool        // it is in the library
	node  *graph.Node // the node whose operation's function panicked, if known
	Stack string
}

// Error returns the value given to panic, and where.
func (e *Panic) Error() string { return fmt.Sprintf("panic at %s: %v", e.where, e.value) }

// Unwrap returns the value given to panic, if it is an error.
func (e *Panic) Unwrap() error {
	err, _ := e.value.(error)
	return err
}

// Caught describes the result of recover. The deferred function that called recover must call it. It keeps the stack of
// a panic that was caught on another goroutine.
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

// Blame is deferred. It records that a panic came from a function of a node's operation.
func Blame(n *graph.Node) {
	if v := recover(); v != nil {
		e := Caught(v)
		e.node = n
		panic(e)
	}
}

const modulePath = "github.com/broadloom/broadloom/"

// Panicked makes an [Error] of the result of recover in code that worked on a node. It returns nil without a panic.
func Panicked(at *graph.Node, value any) *Error {
	e := Caught(value)
	if e.node != nil {
		at = e.node
	}
	return &Error{Node: at, Err: e}
}

// Error is the finding of a verification, at a node of the pass's graph or without one.
type Error struct {
	Node *graph.Node
	Err  error
}

// Error returns the text of the finding.
func (e *Error) Error() string { return e.Err.Error() }

// At returns an [Error] at a node.
func At(n *graph.Node, format string, args ...any) error {
	return &Error{n, fmt.Errorf(format, args...)}
}

// As returns an error as an [Error]. One that is not an Error has no node.
func As(err error) *Error {
	if e, ok := err.(*Error); ok {
		return e
	}
	return &Error{Err: err}
}
