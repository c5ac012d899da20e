// Package exec compiles a checked graph to a program and runs it.
//
// [Compile] runs the passes that stand in one table: it simplifies the graph, groups
// elementwise nodes, reductions and updates into kernels that read each operand once,
// orders them and plans their memory. A [Program] never changes and is shared; it is
// not specialised to any size. A [Session] holds parameters and memory; each goroutine
// that runs a program needs a session of its own. A run binds the named sizes to the
// sizes of its inputs, and in the steady state allocates nothing on Go's heap.
//
// This package is the face:
//
//   - compile.go has the table of passes, which are functions of the inner packages rewrite, scoreaxes, outline, fusion and
//     lower; verify.go calls what checks each. warnings.go hands over warnings, evaluate.go computes constants for the passes,
//     and usedsizes.go finds which inputs and named sizes a program needs.
//   - program.go is the result; describe.go, footprint.go, stats.go, snapshot.go, trace.go and page.go tell of it.
//   - session.go, sessionoptions.go, feed.go with feedslice.go and feednested.go, params.go, borrow.go and results.go are runs as
//     their users see them, which the inner package engine carries out.
//   - nonfinite.go finds where a NaN came from, and nonfiniteloop.go in which step of a loop.
//   - profile.go measures runs with recorder.go, roofline.go compares them with the machine, and traceevents.go writes when
//     kernels ran.
//   - bug.go and runerror.go are the errors.
package exec
