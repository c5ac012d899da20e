package graph

import "math"

// Range returns the least and the greatest finite number of the dtype, as float64. Those of Int64 and Uint64 are
// rounded; an invalid dtype and Bool have 0 and 1.
func (t DType) Range() (least, greatest float64) {
	switch {
	case t == Float8E4M3FN:
		greatest = 448
	case t == Float8E5M2:
		greatest = 57344
	case t == Float16:
		greatest = 65504
	case t == BFloat16:
		greatest = 0x1.fep127
	case t == Float32:
		greatest = math.MaxFloat32
	case t == Float64:
		greatest = math.MaxFloat64
	case t.IsUnsigned():
		return 0, math.Ldexp(1, t.Bits()) - 1
	case t.IsInt():
		half := math.Ldexp(1, t.Bits()-1)
		return -half, half - 1
	default:
		return 0, 1
	}
	return -greatest, greatest
}

// Holds reports whether the dtype can represent a number written in a program, up to rounding, by PyTorch's rule for
// filling tensors: floating-point dtypes have infinities and NaN, a negative number wraps around in an unsigned one,
// and Bool holds all as whether they are 0.
func (t DType) Holds(v float64) bool {
	least, greatest := t.Range()
	switch {
	case t == Bool:
		return true
	case math.IsInf(v, 0) || math.IsNaN(v):
		return t.IsFloat()
	case t.IsUnsigned():
		least = -greatest
	}
	return least <= v && v <= greatest
}

// Outside returns the number from which a constant was made, if the constant's dtype does not hold it: see
// [DType.Holds].
func (n *Node) Outside() (a LiteralAttrs, is bool) {
	if n.g != nil {
		a, is = n.g.outside[n]
	}
	return a, is
}
