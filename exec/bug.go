package exec

import (
	"context"
	"fmt"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/exec/internal/claims"
	"github.com/broadloom/broadloom/exec/internal/engine"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// BugError is a bug in the library, or in a user-defined operation, found in a pass, when sizes are bound or in a run.
// The session can run again afterwards, but parameters keep what the failed run has written.
type BugError struct {
	Pass string      // of compilation, or "begin" (of parameters), "bind" or "run"
	Node *graph.Node // at which it was found; nil if not known
	Err  error       // for a panic it includes the stack; see Error
}

// Error says what went wrong and whose fault it is, with the stack of a panic.
func (e *BugError) Error() string {
	at, stack := "", ""
	if e.Node != nil {
		at = fmt.Sprintf(" at %s (%s)", graph.Describe(e.Node), e.Node.Pos())
	}
	p, ok := e.Err.(*bug.Panic)
	if ok {
		stack = "\n\n" + p.Stack
	}
	if ok && !p.Ours {
		return fmt.Sprintf("exec: code outside the library panicked in pass %s%s: %v%s", e.Pass, at, p, stack)
	}
	if shapeinfer.IsMistake(e.Err, graph.CodeOperation) { // of an operation that was correct before
		return fmt.Sprintf("exec: in pass %s%s: %v", e.Pass, at, e.Err)
	}
	return fmt.Sprintf("exec: bug in pass %s%s: %v; please report it%s", e.Pass, at, e.Err, stack)
}

// Unwrap returns the error itself.
func (e *BugError) Unwrap() error { return e.Err }

// inPass turns what a verification found in a pass into a bug of the pass.
func inPass(pass string, err error) error {
	if e, ok := err.(*bug.Error); ok {
		return &BugError{Pass: pass, Node: e.Node, Err: e.Err}
	}
	return err
}

// ofElement turns a bug into the user's mistake if its node's operation no longer computes what it did when the node
// was built.
func ofElement(err error) error {
	e, ok := err.(*BugError)
	if !ok || e.Node == nil {
		return err
	}
	n := e.Node.Source()
	if m := n.ElementMistake(); m != nil {
		return (&shapeinfer.Report{Graph: n.Graph(), Errors: []*graph.Mistake{m}, Nodes: len(n.Graph().Nodes())}).Err()
	}
	return err
}

// changedMeanings finds users' operations that described a node differently during compilation than when it was built.
func changedMeanings(g *graph.Graph) error {
	for _, n := range g.Nodes() {
		if m := n.ChangedMeaning(); m != nil {
			return (&shapeinfer.Report{Graph: g, Errors: []*graph.Mistake{m}, Nodes: len(g.Nodes())}).Err()
		}
	}
	return nil
}

// tryClaims tries what users' operations claim, before a pass relies on it: claims of composites before they are
// expanded, and claims of the operations in their expansions.
func tryClaims(g *graph.Graph) func(*lower.Program, pass) error {
	trier := claims.Trier{Evaluate: (&request{ctx: context.Background()}).evaluate}
	return func(u *lower.Program, p pass) error {
		if p.name != "import" && p.name != "expand" {
			return nil
		}
		if wrong := trier.Try(u.Graph.Nodes()); len(wrong) > 0 {
			return (&shapeinfer.Report{Graph: g, Errors: wrong, Nodes: len(g.Nodes())}).Err()
		}
		return nil
	}
}

// publicError converts an error of a run to a public one.
func publicError(pass string, err error) error {
	if e, ok := err.(*engine.FailedCheck); ok {
		return &RunError{e.Node, e.Message, e.Err}
	}
	return inPass(pass, err)
}
