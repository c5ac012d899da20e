package reach

import (
	"slices"
	"strings"
)

// Sharding says, for each axis of a value, over which axes of the mesh its elements are divided, the outermost first.
// An axis without any is whole on each device. Unused mesh axes hold copies.
type Sharding [][]string

// replicated is the sharding of a value that each device has whole.
func replicated(rank int) Sharding { return make(Sharding, rank) }

// String returns "[data, _, tensor]", where _ is an axis that is not divided.
func (s Sharding) String() string {
	words := make([]string, len(s))
	for i, axes := range s {
		if words[i] = strings.Join(axes, between); len(axes) == 0 {
			words[i] = "_"
		}
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// Equal reports whether two shardings divide values of one shape alike.
func (s Sharding) Equal(t Sharding) bool {
	return slices.EqualFunc(s, t, func(a, b []string) bool { return slices.Equal(a, b) })
}

// IsReplicated reports whether no axis is divided.
func (s Sharding) IsReplicated() bool {
	return !slices.ContainsFunc(s, func(axes []string) bool { return len(axes) > 0 })
}

// clone returns a copy that shares nothing.
func (s Sharding) clone() Sharding {
	t := make(Sharding, len(s))
	for i, axes := range s {
		t[i] = slices.Clone(axes)
	}
	return t
}

// uses reports whether some axis is divided over a mesh axis.
func (s Sharding) uses(mesh string) bool { return s.axisOf(mesh) >= 0 }

// axisOf returns the axis that is divided over a mesh axis, or -1.
func (s Sharding) axisOf(mesh string) int {
	return slices.IndexFunc(s, func(axes []string) bool { return slices.Contains(axes, mesh) })
}

// meshAxes lists the mesh axes over which the value is divided.
func (s Sharding) meshAxes() (all []string) {
	for _, axes := range s {
		all = append(all, axes...)
	}
	return all
}

// between separates mesh axes that divide one axis of a value together.
const between = "*"

// parse reads a rule for each axis: "", "data" or "data*tensor".
func parse(axes []string) Sharding {
	s := make(Sharding, len(axes))
	for i, words := range axes {
		for _, word := range strings.Split(words, between) {
			if word = strings.TrimSpace(word); word != "" {
				s[i] = append(s[i], word)
			}
		}
	}
	return s
}
