package reach

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// Kind is what devices do together to bring a value into a sharding.
type Kind string

// The kinds of communication.
const (
	AllReduce     Kind = "all-reduce"     // each device has the sum, or another fold, of what all have
	AllGather     Kind = "all-gather"     // each device has the parts of all
	AllToAll      Kind = "all-to-all"     // parts along one axis become parts along another
	ReduceScatter Kind = "reduce-scatter" // each device has its part of the sum of what all have
)

// Collective is one communication of each step.
type Collective struct {
	Kind Kind
	Axes []string // of the mesh, over which devices take part together
	// Bytes is the size of the value on one device: that of the result, except for a reduce-scatter, where it is that
	// of the operand.
	Bytes int64
	// Times is how often a step does it: more than once in the body of a loop.
	Times int64
	// Value is the computed value, of the user's graph, or its reader if Operand is set.
	Value *graph.Node
}

// Sent returns the bytes that each device sends in a step, by algorithms that send the least:
// 2·(k-1)/k of the value for an all-reduce of k devices, (k-1)/k for the others (Patarasuk and Yuan,
// Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations, 2009).
func (c Collective) Sent(m Mesh) int64 {
	k := int64(m.parts(c.Axes))
	sent := c.Bytes * (k - 1) / k * c.Times
	if c.Kind == AllReduce {
		sent *= 2
	}
	return sent
}

// String returns "all-reduce over data of 1.2 MB".
func (c Collective) String() string {
	times := ""
	if c.Times > 1 {
		times = fmt.Sprintf(", %d times", c.Times)
	}
	return fmt.Sprintf("%s over %s of %s%s", c.Kind, strings.Join(c.Axes, between), bytesText(c.Bytes), times)
}

// localBytes returns the bytes of a value on one device.
func (c *costs) localBytes(n *graph.Node, s Sharding) int64 {
	bytes := int64(n.DType().Size())
	for axis, d := range n.Shape() {
		size := c.size(d)
		over := int64(1)
		if axis < len(s) {
			over = int64(c.mesh.parts(s[axis]))
		}
		bytes *= (size + over - 1) / over
	}
	return bytes
}

// bytesText writes bytes in the unit that suits them.
func bytesText(n int64) string {
	const kilo = 1000
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	v, at := float64(n), 0
	for v >= kilo && at < len(units)-1 {
		v, at = v/kilo, at+1
	}
	if at == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.3g %s", v, units[at])
}

// without returns the names that are not among others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(s string) bool { return slices.Contains(others, s) })
}
