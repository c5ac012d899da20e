package mistakes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Binding feeds two batches of different length.
func Binding() error {
	g := graph.New("run")
	batch := g.Dim("batch")
	x := g.Input("x", graph.Float32, batch, 3)
	y := g.Input("y", graph.Float32, batch, 3)
	ops.Add(x, y)
	r := shapeinfer.Check(g)
	_, err := shapeinfer.Bind(g, []shapeinfer.Bound{{Node: x, Shape: []int{5, 3}}, {Node: y, Shape: []int{6, 3}}},
		r.Requirements)
	return err
}
