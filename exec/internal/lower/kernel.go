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

// Kernel is a group of nodes as it runs: one of the kinds below. A new kind needs a type here, a case in
// Program.lowerGroup, and one in Specialization.bindKernel in package engine.
type Kernel interface {
	// Computes returns the nodes that it computes.
	Computes() *fusion.Group
	// Operands lists what it reads and writes.
	Operands() []fusion.Operand
	// Loops lists its row programs in the order in which they run.
	Loops() []*Loop
}

// Fused is a fused group: its last row program. Those before it fill the backgrounds of values in which it stores
// slices.
type Fused struct {
	*fusion.Group
	Parts  []*Loop
	Fusion MatMulFusion
}

// Variants is a kernel of several row programs, one of which runs, depending on the sizes.
type Variants struct {
	*fusion.Group
	Parts []*Loop
}

// Assemble puts values together in one value, or adds them.
type Assemble struct {
	*fusion.Group
	Parts []*Loop
}

// MatMul is a matrix product.
type MatMul struct {
	*fusion.Group
	*MatMulSpec
}

// Gather picks elements by index, or combines them.
type Gather struct {
	*fusion.Group
	*GatherSpec
}

// AddRows adds multiples of rows to the rows of a value at given indices, in place, or replaces these.
type AddRows struct {
	*fusion.Group
	*AddRowsSpec
}

// Function calls a Go function for each example.
type Function struct {
	*fusion.Group
	*FunctionSpec
}

// Repeat is a user's loop: its body is a program, which runs for each step.
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
func (k *MatMul) Operands() []fusion.Operand   { return k.MatMulSpec.All() }
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

// Loop is one row program of a kernel, with its operands.
type Loop struct {
	Program     *rowprog.Program
	Kernel      backend.Kernel
	Tiles       *backend.Tiles // for tiles of the product before it, if it can use them
	Tail        backend.Kernel // for columns that do not fill a tile
	Operands    []fusion.Operand
	Space       graph.Shape
	Axes        [][]int // the axes of the iteration space over which each axis of the program runs; the row is last
	ReducedAxes []int   // of one part of several: the undecided axes that it folds
}

// KernelText formats a kernel: its nodes and its programs.
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

// ListText formats kernels in the order in which they run.
func ListText[K any](kernels []K, text func(K) string) string {
	var b strings.Builder
	for i, k := range kernels {
		fmt.Fprintf(&b, "kernel %d %s\n", i, text(k))
	}
	return b.String()
}
