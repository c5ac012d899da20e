package rewrite

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// firstEqual returns for each node of a graph the first one that is equal to it, itself as a
// rule; nil where no two are equal.
func firstEqual(g *graph.Graph) []*graph.Node {
	first := make([]*graph.Node, len(g.Nodes()))
	known := make(map[uint64]int32, len(first)) // by the hash of its key, or the first free number behind that: a node
	seed := maphash.MakeSeed()
	written := writtenMemory(g)
	merged := false
	for _, n := range g.Nodes() {
		first[n.ID()] = n
		if n.IsInput() || n.IsParam() || n.Op().Class == graph.Update || n.Op().Ordered || written[n] {
			continue
		}
		key := keyOf(n, first)
		for at := maphash.Comparable(seed, key); ; at++ {
			id, found := known[at]
			if !found {
				known[at] = int32(n.ID())
				break
			}
			if old := g.Nodes()[id]; keyOf(old, first) == key && sameArguments(n, old) {
				first[n.ID()], merged = old, true
				break
			}
		}
	}
	if !merged {
		return nil
	}
	return first
}

// sameArguments reports whether nodes of one key are equal.
func sameArguments(n, old *graph.Node) bool {
	return n.IsConst() || graph.SameAttrs(n.Attrs(), old.Attrs())
}

// cseKey is what two equal nodes have in common. The text of fixed arguments is that of
// their words: arguments that differ may have one, and are compared besides.
type cseKey struct {
	op       *graph.Op
	operands [2]int32 // counted from 1; 0 where there is none
	more     string   // the further operands
	attrs    string
	dtype    graph.DType
	region   *graph.Region // of a branch, all nodes are in it
}

// keyOf makes a node's key with the first of the nodes that are equal to each operand.
func keyOf(n *graph.Node, first []*graph.Node) cseKey {
	k := cseKey{op: n.Op(), dtype: n.DType(), region: n.Region()}
	var more []byte
	for i, x := range n.Operands() {
		at := first[x.ID()].ID() + 1
		if i < len(k.operands) {
			k.operands[i] = int32(at)
			continue
		}
		more = binary.LittleEndian.AppendUint32(more, uint32(at))
	}
	k.more = string(more)
	if n.IsConst() {
		k.attrs = constKey(n)
	} else if a := n.Attrs(); a != nil {
		k.attrs = graph.FormatAttrs(a)
	}
	return k
}

// constKey is a constant's shape and the exact bits of its elements.
func constKey(n *graph.Node) string {
	var b strings.Builder
	b.WriteString(n.Shape().Compact())
	if err := binary.Write(&b, binary.LittleEndian, n.ConstData()); err != nil {
		return fmt.Sprintf("unique %d", n.ID())
	}
	return b.String()
}
