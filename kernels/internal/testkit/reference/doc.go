// Package reference runs row programs in the most obvious way: element by element, with
// every reduction collected first and combined afterwards in the canonical order. It
// shares nothing with the back ends except the meaning of one element, and they
// are tested against it.
//
// rows.go walks the iteration space, and reduce.go combines.
package reference
