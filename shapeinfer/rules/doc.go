// Package rules infers dtypes and shapes: operations use it in their Infer.
//
// Each file has the rules of one family, with PyTorch's errors. Most build on broadcast.go (with the warnings of
// warn.go), and inplace.go is for writes.
//
// The others: axes.go lists axes; compare.go compares targets of losses, and reshape.go counts elements; resize.go is
// for resized images; freedom.go requires enough elements for a variance; grow.go warns of results that are larger
// than all operands; movement.go, slice.go, select.go, stack.go and window.go are movements; contract.go is products;
// linalg.go is matrices and linear systems; conv.go, convtranspose.go, pool.go and adaptivepool.go windows; gather.go
// and scatter.go indices, multiindex.go those of several axes, and embeddingbag.go those of bags; along.go is for
// operations along an axis; norm.go normalizations; target.go targets of losses.
package rules
