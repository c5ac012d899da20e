// Package engine runs lowered programs.
//
// [Code] (code.go) is a program with its machine code. launch.go binds it to sizes, which gives a [Specialization]: a
// list of launches, each a task with all arguments. arena.go places buffers in the arena. A [State] (state.go) is the
// memory of runs. It runs them on threads (threads.go), each with a workspace (workspace.go). verify.go checks a
// specialization.
//
//   - Tasks of one kernel are row programs (loop.go), matrix products (matmul.go; matmulgrid.go cuts them for threads,
//     prepack.go keeps weights packed), gathers (gather.go), rows of tables (addrows.go, putrows.go), Go functions
//     (function.go), assembled values (assemble.go) and loops (repeat.go runs their bodies; steps.go takes many steps
//     of small ones as one call, with slices that stepslices.go moves).
//   - batch.go combines runs of small kernels into one call. epilogue.go implements the fusion of kernels with
//     products, whose geometry is in tiles.go.
//   - chain.go runs kernels block of rows by block of rows: products with chainproduct.go, row programs with
//     chainloop.go. chainover.go sums over the batch, chainskip.go finds columns that masks exclude, chainshared.go
//     lets all threads work on one block, and chainunite.go combines rows by index there. masked.go finds such columns
//     for chains that do not run in blocks, by looking at masks in memory.
//   - keep.go keeps values computed only from parameters; enlarge.go replaces small pages by huge ones.
//   - stop.go ends runs in the middle of long kernels.
//   - fault.go reports failed checks, and traffic.go counts bytes and operations.
package engine
