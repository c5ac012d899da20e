package interp

import "github.com/broadloom/broadloom/kernels/rowprog"

// registers allocates blocks of the scratch. A register keeps its block until it is freed. Registers of one size share
// blocks, which keeps the working set small.
type registers struct {
	bases []int // of each register, where its block begins, in words
	sizes []int // of each register, the bytes of an element
	idle  [9][]int
	words int
}

// alloc returns a register for elements of type t.
func (r *registers) alloc(t rowprog.Type) int {
	size := t.Size()
	base := r.words
	if n := len(r.idle[size]); n > 0 {
		base = r.idle[size][n-1]
		r.idle[size] = r.idle[size][:n-1]
	} else {
		r.words += Block * size / 8
	}
	r.bases = append(r.bases, base)
	r.sizes = append(r.sizes, size)
	return len(r.bases) - 1
}

// free returns a register's block.
func (r *registers) free(reg int) {
	size := r.sizes[reg]
	r.idle[size] = append(r.idle[size], r.bases[reg])
}
