package backend

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// blocks is the mode in which the code processes rows of the last outer axis in blocks: see [codegen.RowBlocks]. It is
// 0 if it cannot.
func (k *nativeKernel) blocks(a *launch.Args) int {
	code, last := k.layout.Blocks, len(a.Outer)-1
	if code == nil || a.N != k.prog.Row || a.Outer[last] < code.Rows || k.from(a) != 0 {
		return 0
	}
	if slices.ContainsFunc(code.SideBySide, func(i int) bool { return a.Stride[i][last] != 1 }) {
		return 0
	}
	for i, o := range k.prog.Operands {
		if o.Domain == rowprog.Vec && a.Stride[i][last] != a.N && !k.isRepeatedInBlocks(a, i) {
			if code.MustBeDense {
				return 0
			}
			return codegen.SomeBlocks
		}
	}
	return codegen.DenseBlocks
}

// isRepeatedInBlocks reports whether an operand repeats one row along the last outer axis.
func (k *nativeKernel) isRepeatedInBlocks(a *launch.Args, i int) bool {
	o := &k.prog.Operands[i]
	return o.Domain == rowprog.Vec && a.Stride[i][len(a.Outer)-1] == 0 && codegen.CanRepeat(o)
}

// isBetterInBlocks reports whether rows of a few elements are processed in blocks in place, so that they need not be
// exchanged for longer ones.
func (k *nativeKernel) isBetterInBlocks(a *launch.Args) bool {
	return k.layout.Blocks != nil && k.layout.Blocks.MustBeDense && k.isPlain(a) && k.blocks(a) == codegen.DenseBlocks
}
