package exec

import (
	"fmt"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/exec/internal/claims"
	"github.com/broadloom/broadloom/exec/internal/engine"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// BugError is a bug in the library, or in a user-defined operation, found in a pass, when sizes are bound or in a run. The session can run
// again afterwards, but parameters keep what the failed run has written.
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
	if shapeinfer.IsMistake(e.Err, graph.CodeOperation) { // of an operation that was found whole before
		return fmt.Sprintf("exec: in pass %s%s: %v", e.Pass, at, e.Err)
	}
	return fmt.Sprintf("exec: bug in pass %s%s: %v; please report it%s", e.Pass, at, e.Err, stack)
}

// Unwrap returns the error itself.
func (e *BugError) Unwrap() error { return e.Err }

// inPass makes a bug of a pass of what was found invalid in it.
func inPass(pass string, err error) error {
	if e, ok := err.(*bug.Error); ok {
		return &BugError{Pass: pass, Node: e.Node, Err: e.Err}
	}
	return err
}

// ofElement makes a mistake of the user's of a bug at a node whose element is no longer what it was when the node was built.
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

// changedMeanings finds operations of a user's that have said of a node something else while the program was compiled than when it was built.
func changedMeanings(g *graph.Graph) error {
	for _, n := range g.Nodes() {
		if m := n.ChangedMeaning(); m != nil {
			return (&shapeinfer.Report{Graph: g, Errors: []*graph.Mistake{m}, Nodes: len(g.Nodes())}).Err()
		}
	}
	return nil
}

// tryClaims tries what users' operations claim, before a pass relies on it: of composites while they are whole, and of what they are written with.
func tryClaims(g *graph.Graph) func(*lower.Program, pass) error {
	trier := claims.Trier{Evaluate: evaluate}
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

// publicError makes public what went wrong while a program ran.
func publicError(pass string, err error) error {
	if e, ok := err.(*engine.FailedCheck); ok {
		return &RunError{e.Node, e.Message, e.Err}
	}
	return inPass(pass, err)
}
