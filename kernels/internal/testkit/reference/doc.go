// Package reference runs row programs in the most obvious way: element by element, with every reduction collected first
// and combined afterwards in the canonical order. It shares only the meaning of one element with the back ends, which
// are tested against it.
//
// rows.go walks the iteration space, and reduce.go combines.
package reference
