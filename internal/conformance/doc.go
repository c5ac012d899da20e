// Package conformance runs files of expected answers that PyTorch gave, one case a line in
// JSON, and counts what agrees. Programs are built through the public packages alone, and
// each is computed twice: by the reference evaluator and by the compiled program.
//
// The files' folder is named by the environment variable BROADLOOM_VECTORS; without it,
// it is ../shared/vectors beside the repository. The forms of the five files are
// broadcast.jsonl (which shapes broadcast), reduce_dtype.jsonl (dtypes, shapes and
// refusals of operations), grads.jsonl (values and gradients), symbolic.jsonl (programs
// over named sizes) and inplace.jsonl (programs that write in place).
//
// Every operation goes through one table, from PyTorch's word and its arguments to a call
// of package ops; no case is known by its number. What the library has not, a dtype or an
// operation, is counted as unsupported and listed, never passed over.
package conformance
