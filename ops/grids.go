package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// DiagFlat returns a matrix with the elements of x, over all its axes, on a diagonal, and 0 elsewhere. Diagonal 0 is
// the main one.
func DiagFlat(x *graph.Node, diagonal int) *graph.Node {
	defer building("DiagFlat", x, diagonal)()
	if bad := notNodes(refused("DiagFlat", x).with(diagonal)); bad != nil {
		return bad
	}
	return DiagEmbed(Reshape(x, x.Shape().NumElements()), diagonal)
}

// maxCombinations bounds the elements of the result of Combinations.
const maxCombinations = 1 << 16

// Combinations returns all combinations of count elements of a vector, as rows, in order of position. Without
// replacement each element is used at most once. The size of the vector must be known, and there may be up to 2^16
// elements.
func Combinations(x *graph.Node, count int, replacement bool) *graph.Node {
	defer building("Combinations", x, count, replacement)()
	call := refused("Combinations", x).with(count, replacement)
	if bad := notNodes(call); bad != nil {
		return bad
	}
	switch {
	case x.Rank() != 1:
		return call.wrong(graph.CodeRank, "Expect a 1D vector, but got shape %s", x.Shape())
	case count < 1:
		return call.wrong(graph.CodeOperand, "Expect a positive number, but got %d", count)
	}
	n, known := x.Shape()[0].Int()
	if !known {
		return call.wrong(graph.CodeOperand, "the size of %s must be known, but it is %s", x.Called(), x.Shape()[0])
	}
	var places []int64
	row := make([]int64, count)
	isMany := false
	var choose func(at int, from int64)
	choose = func(at int, from int64) {
		if at == count {
			places = append(places, row...)
			isMany = isMany || len(places) > maxCombinations
			return
		}
		for i := from; i < n && !isMany; i++ {
			row[at] = i
			if replacement {
				choose(at+1, i)
			} else {
				choose(at+1, i+1)
			}
		}
	}
	if count > maxCombinations || count > int(n) && !replacement {
		count, row = min(count, maxCombinations), row[:0]
		return Zeros(x.Graph(), x.DType(), 0, graph.Dim(count))
	}
	if choose(0, 0); isMany {
		return call.wrong(graph.CodeOperand, "the combinations of %d of %d have more than 2^16 elements", count, n)
	}
	rows := graph.Dim(len(places) / count)
	return Reshape(Take(x, 0, graph.Constant(x.Graph(), slices.Clone(places), graph.Dim(len(places)))), rows,
		graph.Dim(count))
}

// Toeplitz returns matrices [..., n, m] that are constant along their diagonals, with the given first column, [...,
// n], and first row, [..., m], whose first element is ignored. It is scipy.linalg.toeplitz.
func Toeplitz(column, row *graph.Node) *graph.Node {
	defer building("Toeplitz", column, row)()
	call := refused("Toeplitz", column, row)
	if bad := notNodes(call); bad != nil {
		return bad
	}
	if column.Rank() < 1 || row.Rank() != column.Rank() {
		return call.wrong(graph.CodeRank,
			"the first column and the first row must be vectors, but their shapes are %s and %s", column.Shape(),
			row.Shape())
	}
	n, m := lastSize(column), lastSize(row)
	g := column.Graph()
	all := Concat(-1, Flip(Slice(row, -1, 1, m, 1), -1), column)
	place := Add(Sub(Iota(g, 0, n, m), Iota(g, 1, n, m)), Sub(Size(g, graph.Int64, m), num64(1)))
	return Take(all, -1, place)
}

// GeomSpace returns steps numbers in a geometric sequence from start to stop, both included. start and stop must not
// be 0, and must have the same sign. It is numpy.geomspace.
func GeomSpace(g *graph.Graph, t graph.DType, start, stop float64, steps graph.Dim) *graph.Node {
	defer creating(g, "GeomSpace", "graph."+t.GoName(), start, stop, steps)()
	if !t.IsFloat() || t.IsStorage() || !(start*stop > 0) || math.IsInf(start*stop, 0) {
		return badRange(g, "GeomSpace", fmt.Sprintf(
			"there is no geometric sequence from %v to %v in %s: both ends must not be 0, and must have the same sign",
			start, stop, t))
	}
	sign := math.Copysign(1, start)
	exponents := Linspace(g, graph.Float64, math.Log(math.Abs(start)), math.Log(math.Abs(stop)), steps)
	place, last := Iota(g, 0, steps), Sub(Size(g, graph.Int64, steps), num64(1))
	y := Mul(Exp(exponents), num(sign))
	y = Where(Equal(place, last), num(stop), y) // the ends are met exactly
	return Cast(Where(Equal(place, num64(0)), num(start), y), t)
}

func init() {
	composed("DiagFlat", "all elements on the diagonal of a matrix.",
		named("numpy.diagflat", "torch.diagflat", "jax.numpy.diagflat", "", "", func(e *graph.Example) node {
			return DiagFlat(e.Of("x", "n", "k"), 0)
		}))
	composed("Combinations", "all combinations of the given number of elements of a vector, as rows.",
		named("", "torch.combinations", "", "", "", func(e *graph.Example) node {
			return Combinations(e.Of("x", "8"), 2, false)
		}))
	composed("Toeplitz", "matrices that are constant along their diagonals.",
		named("scipy.linalg.toeplitz", "", "jax.scipy.linalg.toeplitz", "", "", func(e *graph.Example) node {
			return Toeplitz(e.Of("column", "n"), e.Of("row", "8"))
		}))
	composed("GeomSpace", "numbers from start to stop, each a multiple of the one before.",
		flat(noSlope, "numpy.geomspace", "", "jax.numpy.geomspace", "", "", func(e *graph.Example) node {
			return GeomSpace(e.Graph, e.DType, 1, 1000, e.Shape("n")[0])
		}))
}
