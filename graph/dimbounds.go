package graph

// Bounds are what is known of a named size.
type Bounds struct {
	Min, Max int64 // Max 0: no greatest value
	Multiple int64 // the size is a multiple of it; 0 and 1: any
	MayBeOne bool  // the size may be 1 and then broadcasts
}

// BoundsOf gives what is known of each name.
type BoundsOf func(name string) Bounds

// DefaultBounds are those of a name of which nothing was said: at least 1.
func DefaultBounds() Bounds { return Bounds{Min: 1} }
