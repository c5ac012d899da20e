// Package engine runs lowered programs.
//
// [Code] (code.go) is a program with its machine code. launch.go binds it to sizes, which gives a [Specialization]: a list of
// launches, each a task with all arguments. arena.go says which buffers are to be placed in it. A [State]
// (state.go) is the memory of runs and runs them, on threads (threads.go) that each have a workspace (workspace.go). verify.go checks a specialization.
//
//   - Tasks of one kernel are row programs (loop.go), matrix products (matmul.go; matmulgrid.go cuts them for threads, prepack.go
//     keeps weights packed), gathers (gather.go), rows of tables (addrows.go, putrows.go), Go functions (function.go), assembled
//     values (assemble.go) and loops (repeat.go runs their bodies; steps.go takes many steps of small ones as one call, with
//     slices that stepslices.go moves).
//   - batch.go calls runs of small kernels as one. epilogue.go carries out the fusion of kernels with products, whose geometry is
//     in tiles.go.
//   - chain.go runs kernels block of rows by block of rows: products by chainproduct.go, row programs by chainloop.go.
//     chainover.go adds up over the batch, chainskip.go finds columns that masks leave out,
//     chainshared.go has all threads work on one block, and chainunite.go unites rows by index there.
//   - keep.go holds what is computed of parameters alone; enlarge.go makes large pages of memory that began with small ones.
//   - fault.go tells of failed checks, traffic.go counts bytes and operations.
package engine
