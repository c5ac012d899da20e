// Package ops is the language of programs: one entry for each operation, with its
// dtype and shape rule, its gradient rule and the meaning of one element, and the
// function by which users call it.
//
// Operations broadcast and promote dtypes as PyTorch's do. A number written in the
// program stands as graph.Num(0.5); it takes the dtype of the tensor that it meets. The sign
// of a result that is 0 may be another than PyTorch's.
//
// An operation of a user's own is a [graph.Op] like those here, applied with [Apply].
package ops
