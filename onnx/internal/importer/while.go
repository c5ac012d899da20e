package importer

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/wire"
	"github.com/broadloom/broadloom/ops"
)

// counted is a loop of which the operands say how many steps it has.
func (c *call) counted(body *wire.Graph, carry []*value) []*value {
	if len(body.Outputs) != len(carry)+1 || hasSequence(carry) {
		refuse("%s", unknownCount)
	}
	steps := ops.Reshape(c.in(0))
	goesOn := func(step node, before node) node { return ops.And(ops.Less(step, steps), before) }
	return c.while(body, most, carry, goesOn)
}

// while is a loop that a value ends.
func (c *call) while(body *wire.Graph, most graph.Dim, carry []*value, more func(next, before node) node) []*value {
	var final []node
	isBuilt := len(body.Outputs) == len(carry)+1 && c.tried(func() {
		final, _ = c.whileSteps(most, c.nodesOf(carry), more, c.stepOf(body))
	})
	if isBuilt {
		return ofNodes(final)
	}
	if list := c.growingLoop(body, most, carry, more); list != nil {
		return list
	}
	if len(body.Outputs) != len(carry)+1 {
		refuse("%s", unknownCount)
	}
	final, _ = c.whileSteps(most, c.nodesOf(carry), more, c.stepOf(body)) // which says what is wrong
	return ofNodes(final)
}

// stepOf computes a step of a body: its condition, and the carried values.
func (c *call) stepOf(body *wire.Graph) func(step node, carry []node) []node {
	return func(step node, carry []node) []node {
		args := append([]*value{ofNode(step), c.truthValue(true)}, ofNodes(carry)...)
		return c.nodesOf(c.attempt(body, args))
	}
}

// whileSteps repeats a step as long as the condition is true that it returns before the next carried values.
func (c *call) whileSteps(most graph.Dim, carry []node, more func(next, before node) node,
	compute func(step node, carry []node) []node) (final []node, steps node) {
	first := []node{graph.ConstantOf(c.g, []bool{true})}
	if c.has(1) {
		if first[0] = c.in(1); first[0].Rank() > 0 {
			first[0] = ops.Reshape(first[0])
		}
	}
	if first = append(first, carry...); more != nil {
		first[0] = more(whole(0), first[0])
	}
	final, steps = ops.While(most, first, func(carry []node) node { return carry[0] },
		func(step node, carry []node) []node {
			list := compute(step, carry[1:])
			if list == nil {
				return carry
			}
			if list[0].Rank() > 0 {
				list[0] = ops.Reshape(list[0])
			}
			if more != nil {
				list[0] = more(ops.Add(step, whole(1)), list[0])
			}
			return list
		})
	return final[1:], steps
}
