package ops

import (
	"github.com/broadloom/broadloom/contract"
	"github.com/broadloom/broadloom/graph"
)

// AnySize stands for an axis of any size, and AnyAxes for any number of axes, in [Expect].
const (
	AnySize = contract.AnySize
	AnyAxes = contract.AnyAxes
)

// Expect promises the shape of x, of any dtype, and returns x: Expect(y, batch, seq, heads.Times(64)). The promise is
// proved for all sizes when the graph is checked; if this fails, it is a mistake. It costs nothing at run time.
// Package contract declares the shapes that functions take and return, as text.
func Expect(x *graph.Node, sizes ...graph.Dim) *graph.Node {
	return contract.ExpectShape(x, sizes...)
}

func init() {
	composed("Expect", "x, of which a shape is promised.",
		shownAs("Expect(x, n, k)", named("", "", "", "", "", func(e *graph.Example) node {
			return Expect(e.Of("x", "n", "k"), e.Shape("n", "k")...)
		})))
}
