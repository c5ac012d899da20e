package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// VerifyGroups checks that every computed value has one kernel, which runs after the kernels of its operands and after
// those that read what it overwrites. It checks that the members of a fused kernel agree about its iteration space and
// its rows, and read each other element by element.
func VerifyGroups(u *rewrite.Program, groups []*Group) error {
	v := groupVerifier{kernel: map[*graph.Node]int{}, place: map[*graph.Node]int{}}
	for at, k := range groups {
		for i, n := range k.Members() {
			if other, taken := v.kernel[n]; taken {
				return bug.At(n, "kernels %d and %d both compute it", other, at)
			}
			v.kernel[n], v.place[n] = at, i
		}
	}
	for _, root := range u.Roots { // operands of kernels are checked below, and nothing else is needed
		n := alias.State(root)
		if _, ok := v.kernel[n]; !ok && isComputed(n) {
			return bug.At(n, "no kernel computes it")
		}
	}
	v.writes = alias.FindWrites(u.Sequence)
	for at, k := range groups {
		for i, n := range k.Nodes {
			if err := v.verifyNode(k, at, i, n); err != nil {
				return err
			}
		}
		for i, n := range k.Again {
			if err := v.verifyAgain(k, at, i, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// groupVerifier has, for each node, its kernel and its position among the kernel's members.
type groupVerifier struct {
	kernel, place map[*graph.Node]int
	writes        *alias.Writes
}

// verifyNode checks that node i of a kernel comes after its operands, and after the readers of what it overwrites.
func (v *groupVerifier) verifyNode(k *Group, at, i int, n *graph.Node) error {
	for j, x := range n.Operands() {
		made := alias.State(x)
		switch from, ok := v.kernel[made]; {
		case !ok && j < len(n.Read()) && isComputed(made) && !slices.Contains(k.Again, made):
			return bug.At(made, "no kernel computes it")
		case from > at, ok && from == at && v.place[made] >= i:
			return bug.At(n, "kernel %d computes it before its operand %s", at, x.Label())
		}
	}
	for _, r := range v.writes.Before(n) {
		if from, ok := v.kernel[r]; ok && (from > at || from == at && !readsInPlace(r, n)) {
			return bug.At(n, "kernel %d writes what %s still reads", at, r.Label())
		}
	}
	return k.verifySpace(n)
}

// verifyAgain checks node i of those that a kernel recomputes.
func (v *groupVerifier) verifyAgain(k *Group, at, i int, n *graph.Node) error {
	for _, x := range n.Operands() {
		made := alias.State(x)
		if from, ok := v.kernel[made]; isComputed(made) && !slices.Contains(k.Again[:i], made) && (!ok || from >= at) {
			return bug.At(n, "kernel %d computes it again before its operand %s", at, x.Label())
		}
	}
	return k.verifySpace(n)
}

// isComputed reports whether a value needs a kernel.
func isComputed(n *graph.Node) bool {
	return n.Op().Class != graph.Source && n.Op().Class != graph.Version && !alias.IsView(n)
}

// verifySpace checks that a member of a fused kernel has one element for each of the iteration space, or for each row.
func (k *Group) verifySpace(n *graph.Node) error {
	if k.Class != graph.Elementwise {
		if len(k.Nodes) != 1 && k.Class != graph.Loop {
			return bug.At(n, "a kernel of class %s has %d members", k.Class, len(k.Nodes))
		}
		return nil
	}
	shape := n.Shape()
	if n.Op().Class == graph.Reduce {
		shape = n.In(0).Shape()
	}
	switch k.LevelFor(n) {
	case PerElement:
		if !shape.Equal(k.Space) {
			return bug.At(n, "it has the space %s in a kernel over %s", shape, k.Space)
		}
	case PerRow:
		if !shape.Equal(k.rowShape()) && !shape.Equal(k.Space[:k.Row]) {
			return bug.At(n, "it has the space %s in a kernel over %s whose rows run from axis %d", shape, k.Space,
				k.Row)
		}
	}
	for i, x := range n.Operands() {
		if _, isMember := k.Registers[alias.Viewed(x)]; isMember && !k.InRegister(n, k.LevelFor(n), i) {
			return bug.At(n, "it reads %s across the kernel that computes it", x.Label())
		}
	}
	if !k.rowsFit(n, k.LevelFor(n)) {
		return bug.At(n, "it cuts the kernel's rows, which run from axis %d of %s", k.Row, k.Space)
	}
	return nil
}
