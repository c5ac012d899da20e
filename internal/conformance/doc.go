// Package conformance runs files of expected answers from PyTorch, one case per line in
// JSON, and counts the cases that agree. Programs are built only through the public packages, and
// each is computed twice: by the reference evaluator and by the compiled program.
//
// The files' folder is named by the environment variable BROADLOOM_VECTORS; without it,
// it is ../shared/vectors beside the repository. The forms of the five files are
// broadcast.jsonl (which shapes broadcast), reduce_dtype.jsonl (dtypes, shapes and
// refusals of operations), grads.jsonl (values and gradients), symbolic.jsonl (programs
// over named sizes) and inplace.jsonl (programs that write in place).
//
// Every operation goes through one table, from PyTorch's name and its arguments to a call
// of package ops; no case is special. Dtypes and operations that the library lacks
// are counted as unsupported and listed, never skipped.
package conformance
