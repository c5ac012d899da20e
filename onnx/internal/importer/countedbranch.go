package importer

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// cond computes the branch that a condition says. Where the shapes of the branches' results differ along an axis, that
// is a counted one.
func (c *call) cond(condition node) []*value {
	var results []node
	var kinds [][]kind
	isBuilt := c.tried(func() {
		results = c.branches(condition, func(list []*value) []node {
			kinds = append(kinds, c.kindsOf(list))
			return c.nodesOf(list)
		})
	})
	if isBuilt {
		return ofNodes(results)
	}
	joint := c.jointKinds(kinds)
	if joint == nil {
		return ofNodes(c.branches(condition, c.nodesOf)) // which says what is wrong
	}
	results = c.branches(condition, func(list []*value) (nodes []node) {
		if len(list) != len(joint) {
			return nil
		}
		var counts []node
		for i, v := range list {
			x := c.nodeOf(v)
			if k := joint[i]; k.axis >= 0 {
				counts = append(counts, c.countOf(c.shapeOf(v)[k.axis]))
				x = ops.Pad(x, k.axis, 0, k.most.Minus(x.Shape()[k.axis]), 0)
			}
			nodes = append(nodes, x)
		}
		return append(nodes, counts...)
	})
	values, counts := ofNodes(results[:min(len(joint), len(results))]), results[min(len(joint), len(results)):]
	for i, v := range values {
		if k := joint[i]; k.axis >= 0 && len(counts) > 0 {
			v.counted = &counted{k.axis, c.newSize(counts[0], k.most)}
			counts = counts[1:]
		}
	}
	return values
}

func (c *call) branches(condition node, nodes func(list []*value) []node) []node {
	branch := func(name string) func() []node {
		return func() []node { return nodes(c.attempt(c.body(name), nil)) }
	}
	return ops.Cond(condition, branch("then_branch"), branch("else_branch"))
}

// kind is what is known of a result of a branch: its shape in the graph, and the axis of which only the first elements
// count, or -1.
type kind struct {
	dtype graph.DType
	shape graph.Shape
	axis  int
	most  graph.Dim // the size of the axis
}

func (c *call) kindsOf(list []*value) (kinds []kind) {
	for _, v := range list {
		if !v.isTensor() {
			return nil
		}
		x := c.nodeOf(v)
		k := kind{dtype: x.DType(), shape: x.Shape(), axis: -1}
		if v.counted != nil {
			k.axis = v.counted.axis
		}
		kinds = append(kinds, k)
	}
	return kinds
}

// jointKinds are those of the results of two branches, or nil if they differ in more than the size of an axis.
func (c *call) jointKinds(of [][]kind) (joint []kind) {
	if len(of) != 2 || len(of[0]) != len(of[1]) {
		return nil
	}
	for i, x := range of[0] {
		y := of[1][i]
		if x.dtype != y.dtype || len(x.shape) != len(y.shape) {
			return nil
		}
		k := kind{dtype: x.dtype, shape: x.shape, axis: max(x.axis, y.axis)}
		for axis := range x.shape {
			if x.shape[axis] != y.shape[axis] && axis != k.axis {
				if k.axis >= 0 {
					return nil
				}
				k.axis = axis
			}
		}
		if x.axis >= 0 && x.axis != k.axis || y.axis >= 0 && y.axis != k.axis {
			return nil
		}
		if k.axis >= 0 {
			k.most, _ = greatest(c, x.shape[k.axis], y.shape[k.axis])
		}
		joint = append(joint, k)
	}
	return joint
}
