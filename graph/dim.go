package graph

import "github.com/broadloom/broadloom/graph/symbolic"

// Dim is a size: a whole number, represented by itself, or an expression over named sizes such as batch.Plus(1). See
// [symbolic.Dim] for its methods. Sizes must not be computed with Go's operators.
type Dim = symbolic.Dim

const (
	// UnknownDim is the size of an axis that could not be inferred. It matches anything.
	UnknownDim = symbolic.Unknown
	// InvalidDim is the result of an overflow or of misuse.
	InvalidDim = symbolic.Invalid
)

// Bounds describe what is known about a named size, and BoundsOf returns what is known about each name.
type (
	Bounds   = symbolic.Bounds
	BoundsOf = symbolic.BoundsOf
)

// Factor is one factor of a term of a size: see [symbolic.Dim.Terms]. Division is that of one size by another one.
type (
	Factor   = symbolic.Factor
	Division = symbolic.Division
)

// DefaultBounds are those of a name that was declared without options: at least 1.
func DefaultBounds() Bounds { return symbolic.DefaultBounds() }

// SymbolicDim returns the named size itself: a letter or _, then letters, digits and _. [Graph.Dim] declares it too.
func SymbolicDim(name string) Dim { return symbolic.Named(name) }

// ParseDim reads a size as it is printed: see [symbolic.Parse].
func ParseDim(s string) (Dim, error) { return symbolic.Parse(s) }

// MinDim returns the lesser of two sizes.
func MinDim(a, b Dim) Dim { return symbolic.Min(a, b) }

// BroadcastDim returns the size of an axis along which a and b are broadcast, if it is not known which of them is 1:
// the other one, or both if they are equal.
func BroadcastDim(a, b Dim) Dim { return symbolic.Broadcast(a, b) }
