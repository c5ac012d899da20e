// Package rules infers dtypes and shapes: what operations hand to their Infer.
//
// Each file has the rules of one family, and refuses in PyTorch's words: broadcast.go (with the
// warnings of warn.go) is the one that most others build on, inplace.go that of writes.
package rules
