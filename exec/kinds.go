package exec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// kernel is a group of nodes as it is carried out: one of the kinds below. Another kind is a
// type here, a case of [lowerGroup] and one of binding.bindKernel.
type kernel interface {
	// of is the nodes that it computes.
	of() *group
	// operands lists what it reads and writes.
	operands() []operand
	// loops lists the row programs that it consists of, in the order in which they run.
	loops() []*part
}

// loopKernel is a fused group: its last row program. Those before it fill gaps of values that it
// leaves pieces of.
type loopKernel struct {
	*group
	parts  []*part
	fusion fusion // with the product before it
}

// variants is a kernel of which one of the row programs runs, by the sizes bound.
type variants struct {
	*group
	parts []*part
}

// assembly puts values side by side, or adds them up, in one value.
type assembly struct {
	*group
	parts []*part
}

// matmul is a matrix product.
type matmul struct {
	*group
	*product
}

// gathering picks or adds elements by index.
type gathering struct {
	*group
	*picking
}

func (k *group) of() *group { return k }

func (k *loopKernel) loops() []*part { return k.parts }
func (k *variants) loops() []*part   { return k.parts }
func (k *assembly) loops() []*part   { return k.parts }
func (*matmul) loops() []*part       { return nil }
func (*gathering) loops() []*part    { return nil }

func (k *loopKernel) operands() []operand { return operandsOf(k.parts) }
func (k *variants) operands() []operand   { return operandsOf(k.parts) }
func (k *assembly) operands() []operand   { return operandsOf(k.parts) }
func (k *matmul) operands() []operand     { return k.product.operands[:] }
func (k *gathering) operands() []operand  { return k.picking.operands[:] }

func operandsOf(parts []*part) (all []operand) {
	for _, p := range parts {
		all = append(all, p.operands...)
	}
	return slices.Clip(all)
}

// fusionOf tells how a kernel is fused with the product before it.
func fusionOf(k kernel) fusion {
	if l, ok := k.(*loopKernel); ok {
		return l.fusion
	}
	return fusion{}
}

// part is one row program of a kernel, and what its operands are.
type part struct {
	prog     *rowprog.Program
	kernel   backend.Kernel
	tiles    *backend.Tiles // what it does with tiles of the product before it, if it can
	edges    backend.Kernel // what it does then with columns that fill no tiles
	operands []operand
	domain   graph.Shape
	axes     [][]int // the domain's axes over which each axis of the program runs; the row is last
	folds    []int   // of one part out of several: the undecided axes that it sums over
}

// kernelText prints a kernel: its nodes and its programs.
func kernelText(k kernel) string {
	return k.of().String() + fusionText(k) + programsText(k)
}

func programsText(k kernel) string {
	var b strings.Builder
	for _, p := range k.loops() {
		b.WriteString("\n" + p.prog.String())
	}
	return b.String()
}

// listText prints kernels in the order in which they run.
func listText[K any](kernels []K, text func(K) string) string {
	var b strings.Builder
	for i, k := range kernels {
		fmt.Fprintf(&b, "kernel %d %s\n", i, text(k))
	}
	return b.String()
}
