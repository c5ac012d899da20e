package graph

import (
	"fmt"
	"math"
)

// Common returns the best common dtype for values of two dtypes: the smallest one that holds all of them, an integer
// before a floating-point one. If there is none, such as for Uint64 and a signed integer, it is Int64, or Float64 if
// one is a floating-point dtype; loss is then that of [DType.Loss] for the values that lose something.
func Common(t, u DType) (to DType, loss string) {
	for c := Bool; c.Valid(); c++ {
		if !c.IsStorage() && t.Loss(c) == "" && u.Loss(c) == "" && (!to.Valid() || c.Size() < to.Size()) {
			to = c
		}
	}
	if to.Valid() {
		return to, ""
	}
	if to = Int64; t.IsFloat() || u.IsFloat() {
		to = Float64
	}
	return to, t.Loss(to) + u.Loss(to) // one of which is empty
}

// Loss says what a conversion from t to another dtype loses, in words that follow the name of the conversion, such as
// "which drops fractions". It is empty if the other dtype holds all values of t.
func (t DType) Loss(to DType) string {
	switch {
	case t == to || t == Bool:
		return ""
	case to == Bool:
		return "which keeps only whether a number is 0"
	case !t.IsFloat() && !to.IsFloat():
		if !t.Within(to) {
			return fmt.Sprintf("which wraps around what %s has no number for", to)
		}
		return ""
	case !to.IsFloat():
		return fmt.Sprintf("which drops fractions, and what is beyond the range of %s", to)
	}
	_, greatest := to.Range()
	rounds := to.digits() < t.digits()
	switch {
	case !t.Within(to):
		return fmt.Sprintf("which rounds, and has no numbers beyond ±%g", greatest)
	case rounds && t.IsFloat():
		return fmt.Sprintf("which rounds to %d bits", to.digits())
	case rounds:
		return fmt.Sprintf("which rounds whole numbers beyond ±%d", int64(1)<<to.digits())
	}
	return ""
}

// Within reports whether the range of finite numbers of t is contained in that of another dtype.
func (t DType) Within(of DType) bool {
	least, greatest := t.Range()
	low, high := of.Range()
	if t.Bits() == 64 && t.IsInt() && of.Bits() == 64 && of.IsInt() { // whose ranges are rounded
		return t == of
	}
	return low <= least && greatest <= high
}

// Epsilon returns the machine epsilon of a floating-point dtype, like torch.finfo(t).eps.
func (t DType) Epsilon() float64 { return math.Ldexp(1, 1-t.digits()) }

// digits returns the binary digits of a number of the dtype, its sign not among them: all whole numbers of as many are
// exact.
func (t DType) digits() int {
	switch t {
	case Bool:
		return 1
	case Float8E5M2:
		return 3
	case Float8E4M3FN:
		return 4
	case BFloat16:
		return 8
	case Float16:
		return 11
	case Float32:
		return 24
	case Float64:
		return 53
	}
	if t.IsUnsigned() {
		return t.Bits()
	}
	return t.Bits() - 1
}
