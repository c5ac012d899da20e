package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Kernel is a group of nodes as it is carried out: one of the kinds below. Another kind is a
// type here, a case of Program.lowerGroup, and one of Specialization.bindKernel in package engine.
type Kernel interface {
	// Computes is the nodes that it computes.
	Computes() *fusion.Group
	// Operands lists what it reads and writes.
	Operands() []fusion.Operand
	// Loops lists the row programs that it consists of, in the order in which they run.
	Loops() []*Loop
}

// Fused is a fused group: its last row program. Those before it fill gaps of values in
// which it stores slices.
type Fused struct {
	*fusion.Group
	Parts  []*Loop
	Fusion MatMulFusion
}

// Variants is a kernel of which one of the row programs runs, by the sizes bound.
type Variants struct {
	*fusion.Group
	Parts []*Loop
}

// Assemble puts values side by side, or adds them up, in one value.
type Assemble struct {
	*fusion.Group
	Parts []*Loop
}

// MatMul is a matrix product.
type MatMul struct {
	*fusion.Group
	*MatMulSpec
}

// Gather picks or adds elements by index.
type Gather struct {
	*fusion.Group
	*GatherSpec
}

// AddRows adds multiples of rows to the rows of a value that indices name, or puts others in their place, in place.
type AddRows struct {
	*fusion.Group
	*AddRowsSpec
}

// Function calls a Go function for each example.
type Function struct {
	*fusion.Group
	*FunctionSpec
}

// Repeat is a loop of the user's: its body is a program, which is run for each step.
type Repeat struct {
	*fusion.Group
	*RepeatSpec
}

func (k *Fused) Loops() []*Loop    { return k.Parts }
func (k *Variants) Loops() []*Loop { return k.Parts }
func (k *Assemble) Loops() []*Loop { return k.Parts }
func (*MatMul) Loops() []*Loop     { return nil }
func (*Gather) Loops() []*Loop     { return nil }
func (*AddRows) Loops() []*Loop    { return nil }
func (*Function) Loops() []*Loop   { return nil }
func (*Repeat) Loops() []*Loop     { return nil }

func (k *Fused) Operands() []fusion.Operand    { return operandsOf(k.Parts) }
func (k *Variants) Operands() []fusion.Operand { return operandsOf(k.Parts) }
func (k *Assemble) Operands() []fusion.Operand { return operandsOf(k.Parts) }
func (k *MatMul) Operands() []fusion.Operand   { return k.MatMulSpec.Operands[:] }
func (k *Gather) Operands() []fusion.Operand   { return k.GatherSpec.Operands[:] }
func (k *AddRows) Operands() []fusion.Operand  { return k.AddRowsSpec.Operands }
func (k *Function) Operands() []fusion.Operand { return k.FunctionSpec.Operands }
func (k *Repeat) Operands() []fusion.Operand   { return k.RepeatSpec.Operands }

func operandsOf(parts []*Loop) (all []fusion.Operand) {
	for _, p := range parts {
		all = append(all, p.Operands...)
	}
	return slices.Clip(all)
}

// FusionOf returns how a kernel is fused with the product before it.
func FusionOf(k Kernel) MatMulFusion {
	if l, ok := k.(*Fused); ok {
		return l.Fusion
	}
	return MatMulFusion{}
}

// Loop is one row program of a kernel, and what its operands are.
type Loop struct {
	Program     *rowprog.Program
	Kernel      backend.Kernel
	Tiles       *backend.Tiles // what it does with tiles of the product before it, if it can
	Tail        backend.Kernel // what it does then with columns that fill no tiles
	Operands    []fusion.Operand
	Space       graph.Shape
	Axes        [][]int // the axes of the iteration space over which each axis of the program runs; the row is last
	ReducedAxes []int   // of one part out of several: the undecided axes that it sums over
}

// KernelText prints a kernel: its nodes and its programs.
func KernelText(k Kernel) string {
	return k.Computes().String() + FusionOf(k).text(k) + programsText(k) + bodyText(k)
}

func programsText(k Kernel) string {
	var b strings.Builder
	for _, p := range k.Loops() {
		b.WriteString("\n" + p.Program.String())
	}
	return b.String()
}

// ListText prints kernels in the order in which they run.
func ListText[K any](kernels []K, text func(K) string) string {
	var b strings.Builder
	for i, k := range kernels {
		fmt.Fprintf(&b, "kernel %d %s\n", i, text(k))
	}
	return b.String()
}
