package reach

import (
	"cmp"
	"maps"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

// loopAxis is the role of an axis of an operand in an operation. From 0 on, it is the axis of the result with the same
// positions; below 0, the axis is folded.
type loopAxis int

// blocked is an axis that an operation reads at more than one position, in ways that only the whole allows.
const blocked = loopAxis(-1 << 30)

// primitive finds the sharding of the result of an operation that is not written with others.
func (c *costs) primitive(n *graph.Node) Sharding {
	roles := c.roles(n)
	chosen := c.choose(n, roles)
	for i, x := range n.Operands() {
		have := c.sharding(x)
		want := replicated(x.Rank())
		for axis, names := range have {
			want[axis] = kept(names, chosen[roles[i][axis]])
		}
		c.reshard(n, x, have, want)
	}
	result := replicated(n.Rank())
	var folded []string
	for _, axis := range slices.Sorted(maps.Keys(chosen)) {
		switch {
		case axis == blocked:
		case axis < 0:
			folded = append(folded, chosen[axis]...)
		default:
			result[axis] = chosen[axis]
		}
	}
	if len(folded) > 0 {
		c.note(AllReduce, folded, n, n, result)
	}
	return result
}

// kept returns as many of the first names as are wanted in the same order.
func kept(names, wanted []string) []string {
	n := 0
	for n < min(len(names), len(wanted)) && names[n] == wanted[n] {
		n++
	}
	return names[:n]
}

// choose gives each mesh axis to one axis of the operation: the one by which the operands with the most bytes are
// divided.
func (c *costs) choose(n *graph.Node, roles [][]loopAxis) map[loopAxis][]string {
	weights := map[loopAxis]map[string]int64{}
	for i, x := range n.Operands() {
		s := c.sharding(x)
		for axis, names := range s {
			role := roles[i][axis]
			for _, name := range names {
				if weights[role] == nil {
					weights[role] = map[string]int64{}
				}
				weights[role][name] += max(c.localBytes(x, replicated(x.Rank())), 1)
			}
		}
	}
	owner := map[string]loopAxis{}
	for _, role := range slices.Sorted(maps.Keys(weights)) {
		for name, w := range weights[role] {
			if at, is := owner[name]; role != blocked && (!is || w > weights[at][name]) {
				owner[name] = role
			}
		}
	}
	chosen := map[loopAxis][]string{}
	for _, x := range byBytes(c, n.Operands()) {
		for axis, names := range c.sharding(x.node) {
			role := roles[x.operand][axis]
			isOwned := func(name string) bool { return role != blocked && owner[name] == role }
			if cut := slices.IndexFunc(names, func(name string) bool { return !isOwned(name) }); cut >= 0 {
				names = names[:cut]
			}
			if old := chosen[role]; len(names) > len(old) && slices.Equal(names[:len(old)], old) &&
				c.dividesAxis(n, role, names) {
				chosen[role] = names
			}
		}
	}
	return chosen
}

// operand is a node's operand with its number.
type operand struct {
	node    *graph.Node
	operand int
}

// byBytes lists operands, the largest first.
func byBytes(c *costs, all []*graph.Node) []operand {
	list := make([]operand, len(all))
	for i, x := range all {
		list[i] = operand{x, i}
	}
	slices.SortStableFunc(list, func(a, b operand) int {
		return cmp.Compare(c.localBytes(b.node, replicated(b.node.Rank())),
			c.localBytes(a.node, replicated(a.node.Rank())))
	})
	return list
}

// dividesAxis reports whether the parts of an axis of the result have one size.
func (c *costs) dividesAxis(n *graph.Node, axis loopAxis, names []string) bool {
	return axis < 0 || c.size(n.Shape()[axis])%int64(c.mesh.parts(names)) == 0
}

// roles is the role of each divided axis of each operand in an operation.
func (c *costs) roles(n *graph.Node) [][]loopAxis {
	roles := make([][]loopAxis, len(n.Operands()))
	for i, x := range n.Operands() {
		roles[i] = make([]loopAxis, x.Rank())
		for axis := range roles[i] {
			roles[i][axis] = blocked
		}
	}
	if n.Op().Class == graph.Function {
		return functionRoles(n, roles)
	}
	operands, result := axisflow.Apart(n)
	if result == nil {
		return roles
	}
	for i, x := range n.Operands() {
		s := c.sharding(x)
		for axis, names := range s {
			if len(names) > 0 {
				roles[i][axis] = c.role(n, i, axis,
					axisflow.NewFlow(result.Graph(), graph.AxisOf{Node: operands[i], Axis: axis}), result)
			}
		}
	}
	return roles
}

// functionRoles: the axes of the batch are those of the result, and each example is whole.
func functionRoles(n *graph.Node, roles [][]loopAxis) [][]loopAxis {
	core, _ := n.Op().Core(n)
	for i, x := range n.Operands() {
		for axis := range x.Rank() - core[i] {
			roles[i][axis] = loopAxis(axis)
		}
	}
	return roles
}

// role is the role of an axis of an operand, from how the operation's result depends on it.
func (c *costs) role(n *graph.Node, i, axis int, f *axisflow.Flow, result *graph.Node) loopAxis {
	size := c.size(n.In(i).Shape()[axis])
	d, depends := f.Value(result).Of(0)
	if !depends {
		return blocked // what is picked may lie on one device alone
	}
	for _, t := range d.Terms {
		isOutermost := c.size(t.Inner)*c.size(t.Size) == c.size(result.Shape()[t.Axis])
		if !d.Mixed && d.Offset == 0 && isOutermost && c.size(t.Weight)*c.size(t.Size) == size {
			return loopAxis(t.Axis)
		}
	}
	return c.foldedRole(n, i, axis, d)
}

// foldedRole is that of an axis along which operands are folded: both factors of a product, and values and
// indices that are added up, have one.
func (c *costs) foldedRole(n *graph.Node, i, axis int, d axisflow.Dependence) loopAxis {
	const first = loopAxis(-1)
	rank := n.In(i).Rank()
	switch n.Op().Class {
	case graph.Reduce:
		if len(d.Terms) == 0 {
			return first - loopAxis(axis)
		}
	case graph.Contract:
		if i == 0 && axis == rank-1 || i == 1 && axis == max(rank-2, 0) {
			return first
		}
	case graph.Gather:
		along := n.Op().Axes(n)[0]
		switch isAdded := n.Op().Fold != graph.NoFold; {
		case isAdded && i == 0 && axis >= along && axis < along+n.In(1).Rank():
			return first - loopAxis(axis-along)
		case isAdded && i == 1:
			return first - loopAxis(axis)
		case !isAdded && i == 0 && axis == along:
			return first
		}
	}
	return blocked
}
