package exec

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// cseKey is what two equal nodes have in common. The text of fixed arguments is that of
// their words: arguments that differ may have one, and are compared besides.
type cseKey struct {
	op       *graph.Op
	operands string
	attrs    string
	dtype    graph.DType
}

func keyOf(n *graph.Node, in []*graph.Node) cseKey {
	ids := make([]byte, 0, 4*len(in))
	for _, x := range in {
		ids = binary.LittleEndian.AppendUint32(ids, uint32(x.ID()))
	}
	k := cseKey{op: n.Op(), operands: string(ids), dtype: n.DType()}
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
