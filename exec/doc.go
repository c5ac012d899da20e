// Package exec compiles a checked graph to a program and runs it.
//
// [Compile] runs the passes that stand in one table: it simplifies the graph, groups
// elementwise nodes, reductions and updates into kernels that read each operand once,
// orders them and plans their memory. A [Program] never changes and is shared; it is
// not specialised to any size. A [Session] holds parameters and memory; each goroutine
// that runs a program needs a session of its own. A run binds the named sizes to the
// sizes of its inputs, and in the steady state allocates nothing on Go's heap.
package exec
