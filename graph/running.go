package graph

import (
	"fmt"
	"runtime"
)

// A graph is complete before a program of it runs: what a Go function of the program would build in it is computed by
// nothing, and other goroutines may read the graph.

// BuiltInRun is the panic of a function that builds nodes in the graph of the program that called it. A run converts
// it to an error.
type BuiltInRun struct {
	Pos Pos // of the call that would build a node
}

// Error says what to do instead.
func (e *BuiltInRun) Error() string {
	f, _ := e.Pos.Frame()
	return fmt.Sprintf(
		"it calls %s at %s, which would build a node of the program's graph during a run: build all nodes before the program is compiled, "+
			"and compute here in Go; or build and compile a separate graph, made by graph.New", f.Call, e.Pos)
}

// BeginFunctions records that a program of the graph calls Go functions until [Graph.EndFunctions].
func (g *Graph) BeginFunctions() { g.functions.Add(1) }

// EndFunctions ends [Graph.BeginFunctions].
func (g *Graph) EndFunctions() { g.functions.Add(-1) }

// Call calls the operation's Function. It stands on the stack of what the function calls.
//
//go:noinline
func (op *Op) Call(a *Arrays) error { return op.Function(a) }

// refuseInRun panics with a [BuiltInRun] where a Go function that a program of the graph has called would build a node.
func (g *Graph) refuseInRun() {
	if g != nil && g.functions.Load() > 0 && isInFunction() {
		panic(&BuiltInRun{Caller()})
	}
}

// isInFunction reports whether [Op.Call] is on the stack.
func isInFunction() bool {
	var pcs [64]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		frames := runtime.CallersFrames(pcs[:n])
		for more := n > 0; more; {
			var f runtime.Frame
			if f, more = frames.Next(); f.Function == modulePath+"graph.(*Op).Call" {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}
