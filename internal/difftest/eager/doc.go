// Package eager computes programs of tensors step by step, in the plainest way: values are strided views of memory,
// elements are float64 with their first and second derivatives along two directions, and nothing is compiled. Package
// difftest compares Broadloom with it. It shares no code with Broadloom.
//
// program.go defines programs, dtype.go their dtypes, machine.go runs them, and tensor.go defines their values: views
// of memory, with elements (num.go) that have derivatives. draw.go generates numbers for inputs, noise.go perturbs
// results.
//
// The operations are in the other files: elementwise.go and binary.go, reduce.go, move.go with its entries in
// moveentries.go, gather.go, scatter.go with sorting, unite.go for what indices bring to one place, masked.go with bags
// of rows, write.go, contract.go for products, matrix.go for linear algebra with factors.go, index.go for several
// indices, outside.go for those out of range, parts.go for parts of a value, signal.go for transforms and quantised
// numbers, resize.go for images, special.go for more functions, conv.go, pool.go, layers.go, likelihood.go and loop.go.
package eager
