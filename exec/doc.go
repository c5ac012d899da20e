// Package exec compiles a checked graph to a program and runs it.
//
// [Compile] runs the passes of one table: it simplifies the graph, groups elementwise nodes, reductions and updates
// into kernels that read each operand once, orders them and plans their memory. A [Program] is immutable and can be
// shared; it is not specialised to any sizes. A [Session] holds parameters and memory; each goroutine that runs a
// program needs its own session. A run binds the named sizes to the sizes of its inputs, and in the steady state
// allocates nothing on the Go heap.
//
// This package is the public API of the inner packages:
//
//   - compile.go has the table of passes, which are functions of the inner packages rewrite, scoreaxes, outline, fusion
//     and lower; verify.go calls their verifiers. warnings.go reports warnings, evaluate.go computes constants for the
//     passes, context.go stops them, and usedsizes.go finds the inputs and named sizes that a program needs.
//   - program.go is the result; describe.go, footprint.go, stats.go, snapshot.go, trace.go and page.go describe it.
//   - session.go, sessionoptions.go, feed.go with feedslice.go and feednested.go, params.go, borrow.go and results.go
//     are the user's side of runs, which the inner package engine performs.
//   - nonfinite.go with nonfinitetext.go finds where a NaN came from, and nonfiniteloop.go in which step of a loop.
//   - profile.go measures runs with recorder.go, roofline.go compares them with the machine, and traceevents.go writes
//     when kernels ran.
//   - bug.go and runerror.go are the errors.
package exec
