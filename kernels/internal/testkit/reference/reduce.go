package reference

import (
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// reduceRow combines the elements of a row in the canonical order.
func reduceRow(kind rowprog.Reduction, t rowprog.Type, x []uint64) uint64 {
	switch kind {
	case rowprog.ArgMax, rowprog.ArgMin:
		return argReduce(kind, t, x)
	case rowprog.MaxNumber:
		return maxNumber(t, x)
	case rowprog.Max, rowprog.Min:
		return fold(kind, t, append([]uint64{scalar.Identity(kind, t)}, x...))
	}
	if len(x) > rowprog.RowChunk {
		var chunks []uint64
		for c := range slices.Chunk(x, rowprog.RowChunk) {
			chunks = append(chunks, reduceRow(kind, t, c))
		}
		return fold(kind, t, chunks)
	}
	n := rowprog.Lanes(t)
	lanes := make([]uint64, n)
	for l := range lanes {
		lanes[l] = scalar.Identity(kind, t)
		for i := l; i < len(x); i += n {
			lanes[l] = scalar.Combine(kind, t, lanes[l], x[i])
		}
	}
	for len(lanes) > 1 {
		h := len(lanes) / 2
		for l := range h {
			lanes[l] = scalar.Combine(kind, t, lanes[l], lanes[l+h])
		}
		lanes = lanes[:h]
	}
	return lanes[0]
}

// maxNumber is the greatest number; a zero becomes +0.
func maxNumber(t rowprog.Type, x []uint64) uint64 {
	numbers := slices.DeleteFunc(slices.Clone(x), func(v uint64) bool {
		return scalar.Apply(rowprog.OpNe, t, v, v, 0) != 0
	})
	greatest := reduceRow(rowprog.Max, t, numbers)
	return scalar.Apply(rowprog.OpAdd, t, greatest, 0, 0)
}

// fold combines elements from the first to the last; there is at least one.
func fold(kind rowprog.Reduction, t rowprog.Type, x []uint64) uint64 {
	r := x[0]
	for _, v := range x[1:] {
		r = scalar.Combine(kind, t, r, v)
	}
	return r
}

func argReduce(kind rowprog.Reduction, t rowprog.Type, x []uint64) uint64 {
	best := -1
	for i := range x {
		if best < 0 || beats(kind, t, x[i], x[best]) {
			best = i
		}
	}
	return uint64(best)
}

func beats(kind rowprog.Reduction, t rowprog.Type, x, best uint64) bool {
	ne := func(x, y uint64) bool { return scalar.Apply(rowprog.OpNe, t, x, y, 0) != 0 }
	op := rowprog.OpGt
	if kind == rowprog.ArgMin {
		op = rowprog.OpLt
	}
	switch {
	case ne(best, best):
		return false
	case ne(x, x):
		return true
	}
	return scalar.Apply(op, t, x, best, 0) != 0
}

// add appends a value of an index of outer axis 0.
func (a *accumulation) add(index0 int, bits uint64) {
	chunk := 0
	if a.chunked {
		chunk = index0 / rowprog.ChunkRows
	}
	for len(a.chunks) <= chunk {
		a.chunks = append(a.chunks, nil)
	}
	a.chunks[chunk] = append(a.chunks[chunk], bits)
}

// finish combines the chunks and writes the element.
func (a *accumulation) finish(p unsafe.Pointer) {
	var results []uint64
	for _, c := range a.chunks {
		results = append(results, fold(a.kind, a.typ, c))
	}
	if results == nil {
		results = []uint64{scalar.Identity(a.kind, a.typ)}
	}
	loops.Store(a.typ, p, fold(a.kind, a.typ, results))
}
