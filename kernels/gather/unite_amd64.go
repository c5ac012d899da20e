package gather

import "unsafe"

// addRowsF32I32 and its variants add the rows of from, one after the other, to those of to that the indices name.
//
//go:noescape
func addRowsF32I32(u *uniting)

//go:noescape
func addRowsF32I64(u *uniting)

//go:noescape
func addRowsF64I32(u *uniting)

//go:noescape
func addRowsF64I64(u *uniting)

// addRows adds rows of floats, and reports whether it can.
func addRows[T Number, I Index](u *uniting) bool {
	short := unsafe.Sizeof(*new(I)) == 4
	switch any(*new(T)).(type) {
	case float32:
		if short {
			addRowsF32I32(u)
		} else {
			addRowsF32I64(u)
		}
	case float64:
		if short {
			addRowsF64I32(u)
		} else {
			addRowsF64I64(u)
		}
	default:
		return false
	}
	return true
}
