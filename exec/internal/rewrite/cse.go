package rewrite

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
)

// firstEqual returns for each node of a graph the first node that is equal to it, usually itself; nil if no two are
// equal.
func firstEqual(g *graph.Graph) []*graph.Node {
	first := make([]*graph.Node, len(g.Nodes()))
	known := make(map[uint64]int32, len(first)) // node ID, by hash; on a collision, under the next free number
	e := equality{first, maphash.MakeSeed()}
	written := analysis.WrittenMemory(g)
	merged := false
	for _, n := range g.Nodes() {
		first[n.ID()] = n
		if n.IsInput() || n.IsParam() || n.Op().Class == graph.Update || n.Op().Ordered || written[n] {
			continue
		}
		for at := e.hash(n); ; at++ {
			id, found := known[at]
			if !found {
				known[at] = int32(n.ID())
				break
			}
			if old := g.Nodes()[id]; e.areEqual(n, old) {
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

// equality compares nodes. first has, for each node so far, the first one equal to it.
type equality struct {
	first []*graph.Node
	seed  maphash.Seed
}

// hash returns the same number for equal nodes.
func (e equality) hash(n *graph.Node) uint64 {
	var h maphash.Hash
	h.SetSeed(e.seed)
	maphash.WriteComparable(&h, n.Op())
	_ = h.WriteByte(byte(n.DType()))
	for _, x := range n.Operands() {
		maphash.WriteComparable(&h, int32(e.first[x.ID()].ID()))
	}
	if n.IsConst() {
		_, _ = h.Write(constBytes(n))
	} else {
		graph.HashAttrs(&h, n.Attrs())
	}
	return h.Sum64()
}

// areEqual reports whether two nodes are the same operation, with the same fixed arguments, on equal operands, in the
// same body of a loop or branch.
func (e equality) areEqual(n, old *graph.Node) bool {
	if n.Op() != old.Op() || n.DType() != old.DType() || n.Region() != old.Region() {
		return false
	}
	if !slices.EqualFunc(n.Operands(), old.Operands(), func(x, y *graph.Node) bool {
		return e.first[x.ID()] == e.first[y.ID()]
	}) {
		return false
	}
	if n.IsConst() {
		return n.Shape().Equal(old.Shape()) && bytes.Equal(constBytes(n), constBytes(old))
	}
	return graph.SameAttrs(n.Attrs(), old.Attrs())
}

// constBytes returns the bits of a constant's elements.
func constBytes(n *graph.Node) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, n.ConstData()) // knows all element types: their sizes are fixed
	return b
}
