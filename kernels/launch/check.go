package launch

import (
	"fmt"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Check reports whether the arguments obey the program's rules: their form, strides that fit the operands' domains and
// reduced axes, and no overlap of written memory with other operands except an exact one. It cannot check that the
// pointers point at memory of the right size.
func Check(p *rowprog.Program, a *Args) error {
	if len(a.Outer) != p.Outer || len(a.Ptr) != len(p.Operands) || len(a.Stride) != len(p.Operands) {
		return fmt.Errorf("launch: %s takes %d outer axes and %d operands, not %d and %d with %d lists of strides",
			p.Name, p.Outer, len(p.Operands), len(a.Outer), len(a.Ptr), len(a.Stride))
	}
	for axis := 0; axis <= p.Outer; axis++ {
		if a.Size(axis) < 0 {
			return fmt.Errorf("launch: %s: axis %d has size %d", p.Name, axis, a.Size(axis))
		}
	}
	for i := range p.Operands {
		if err := checkStrides(&p.Operands[i], a, i); err != nil {
			return fmt.Errorf("launch: %s: operand %s: %w", p.Name, p.Operands[i].Name, err)
		}
	}
	for i := range p.Operands {
		for j := range p.Operands {
			if i != j && p.Operands[i].Access.Writes() && !sameElements(p, a, i, j) && overlap(p, a, i, j) {
				return fmt.Errorf("launch: %s: operands %s and %s overlap",
					p.Name, p.Operands[i].Name, p.Operands[j].Name)
			}
		}
	}
	return nil
}

func checkStrides(o *rowprog.Operand, a *Args, i int) error {
	if len(a.Stride[i]) != len(a.Outer)+1 {
		return fmt.Errorf("%d strides for %d axes", len(a.Stride[i]), len(a.Outer)+1)
	}
	for axis, s := range a.Stride[i] {
		switch {
		case !varies(o, axis, len(a.Outer)) && s != 0:
			return fmt.Errorf("stride %d along axis %d, where it must be 0", s, axis)
		case varies(o, axis, len(a.Outer)) && s == 0 && a.Size(axis) > 1 && o.Access.Writes() && hasElements(o, a):
			return fmt.Errorf("stride 0 along axis %d, so that elements would be written twice", axis)
		}
	}
	if a.Ptr[i] == nil && hasElements(o, a) {
		return fmt.Errorf("no memory")
	}
	return nil
}

// varies reports whether the operand may have several elements along the axis.
func varies(o *rowprog.Operand, axis, inner int) bool {
	switch o.Domain {
	case rowprog.Uniform:
		return false
	case rowprog.Row:
		return axis != inner && !o.Reduced.Has(axis)
	}
	return !o.Reduced.Has(axis)
}

// hasElements reports whether a call accesses the operand at all.
func hasElements(o *rowprog.Operand, a *Args) bool {
	for axis := 0; axis <= len(a.Outer); axis++ {
		inner := axis == len(a.Outer) && o.Domain != rowprog.Vec
		if a.Size(axis) == 0 && !inner && !o.Reduced.Has(axis) {
			return false
		}
	}
	return true
}

// sameElements reports whether two operands are element by element the same memory and the second is only loaded.
func sameElements(p *rowprog.Program, a *Args, w, o int) bool {
	x, y := &p.Operands[w], &p.Operands[o]
	if a.Ptr[w] != a.Ptr[o] || x.Type != y.Type || x.Domain != y.Domain ||
		x.Access == rowprog.Acc || y.Access != rowprog.In {
		return false
	}
	for axis, s := range a.Stride[w] {
		if a.Size(axis) > 1 && s != a.Stride[o][axis] {
			return false
		}
	}
	return true
}
