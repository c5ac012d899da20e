package exec

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// RunError is a check that failed while a program ran, such as a class index out of range, or the error of a Go
// function.
type RunError struct {
	Node    *graph.Node // the operation in the user's graph
	Message string
	Err     error // of a Go function; nil for a check
}

// Unwrap returns the error of the Go function.
func (e *RunError) Unwrap() error { return e.Err }

// Error names the operation and its source position.
func (e *RunError) Error() string {
	return fmt.Sprintf("%s: error: %s: %s", e.Node.Pos(), graph.Describe(e.Node), e.Message)
}
