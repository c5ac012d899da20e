package ops

import "github.com/broadloom/broadloom/graph"

// Functions of several operations say with these how they are built within graph.Graph.Autocast. Which are lowered, and
// which computed in Float32, follows PyTorch's lists for CPUs (aten/src/ATen/autocast_mode.cpp).

// lowering converts operands to the dtype of Autocast until end is called.
func lowering(operands ...*node) (end func()) { return graph.AutocastLowers.Begin(operands...) }

// inFloat32 converts operands to Float32 until end is called.
func inFloat32(operands ...*node) (end func()) { return graph.AutocastWidens.Begin(operands...) }

// joining converts operands to the widest dtype of them until end is called: products among the operations of the
// function are not lowered.
func joining(operands ...*node) (end func()) { return graph.AutocastJoins.Begin(operands...) }
