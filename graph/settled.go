package graph

import "slices"

// IsMultiple reports whether a is a multiple of b, which is not 0, given the declarations of names and the
// requirements of nodes built so far.
func (g *Graph) IsMultiple(a, b Dim) bool { return g.facts.IsMultiple(a, b) }

// Settled returns the simplest form of a size given the declarations of names and the requirements of nodes built so
// far: if d is a multiple of 8, 8*floor(d/8) becomes d.
func (g *Graph) Settled(d Dim) Dim { return g.facts.Settled(d) }

// settled brings the sizes of a value into the simplest form.
func (g *Graph) settled(s Shape) Shape {
	isShared := true
	for axis, d := range s {
		plain := g.facts.Settled(d)
		if plain == d {
			continue
		}
		if isShared {
			s, isShared = slices.Clone(s), false
		}
		s[axis] = plain
	}
	return s
}

// KeepSizes makes the graph keep the expressions of sizes that are used until done is called, such as those of a
// program being compiled. A graph being built keeps all; afterwards those that nothing else uses may be dropped.
func (g *Graph) KeepSizes() (done func()) { return g.life.Keep() }
