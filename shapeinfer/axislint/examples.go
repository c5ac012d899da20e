package axislint

import (
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// How likely an axis is that of examples.
const (
	unlikely = iota
	likely   // the first axis of an input, with a name that means nothing else
	sure     // an axis of a size called batch
)

// batchNames are sizes that count only examples; plainNames are sizes that may also count other things, such as what is
// drawn for one example, or the samples of a wave.
var (
	batchNames = []string{"b", "bs", "bsz", "nb", "batch", "batches", "minibatch", "batchsize", "nbatch", "numbatch"}
	plainNames = []string{"n", "m", "num", "count", "size", "rows", "example", "examples", "numexamples", "sample",
		"samples", "numsamples"}
)

// nameOf says how likely a size counts examples, by its usual name.
func nameOf(size graph.Dim) int {
	if !size.IsSymbolic() {
		return unlikely
	}
	names := size.Symbols()
	if len(names) != 1 || size != graph.SymbolicDim(names[0]) {
		return unlikely
	}
	switch word := strings.ReplaceAll(strings.ToLower(names[0]), "_", ""); {
	case slices.Contains(batchNames, word):
		return sure
	case slices.Contains(plainNames, word):
		return likely
	}
	return unlikely
}

// MayCountExamples reports whether a size has a name that people use for the number of examples.
func MayCountExamples(size graph.Dim) bool { return nameOf(size) != unlikely }

// nameOf is the function nameOf with evidence from other inputs. Next to a size called batch, n counts something else.
// So does a size that has pairs, as the nodes of a graph have in its adjacency matrix, and an axis that is read by a
// different number of indices, such as the edges of a graph.
func (l *lint) nameOf(size graph.Dim) int {
	is := nameOf(size)
	if is == unlikely {
		return unlikely
	}
	known, seen := l.names[size]
	if !seen {
		known = is
		if is == likely && (l.hasBatch() || l.hasPairs(size) || l.isIndexed(size)) || is == sure && l.isSet(size) {
			known = unlikely
		}
		l.names[size] = known
	}
	return known
}

// hasInput reports whether some input's shape satisfies is.
func (l *lint) hasInput(is func(graph.Shape) bool) bool {
	return slices.ContainsFunc(l.g.Nodes(), func(n *graph.Node) bool {
		return n.IsInput() && n.Judged() && is(n.Shape())
	})
}

func (l *lint) hasBatch() bool {
	return l.hasInput(func(s graph.Shape) bool {
		return slices.ContainsFunc(s, func(d graph.Dim) bool { return nameOf(d) == sure })
	})
}

func (l *lint) hasPairs(size graph.Dim) bool {
	return l.hasInput(func(s graph.Shape) bool {
		at := slices.Index(s, size)
		return at >= 0 && slices.Contains(s[at+1:], size)
	})
}

// isIndexed reports whether an axis of some size is read or added to by indices whose number differs from the axis's.
func (l *lint) isIndexed(size graph.Dim) bool {
	return slices.ContainsFunc(l.g.Nodes(), func(n *graph.Node) bool {
		if n.Op().Class != graph.Gather || !n.Judged() || n.Err() != nil || n.Op().Axes == nil ||
			len(n.Op().Axes(n)) == 0 {
			return false
		}
		along, index := n.In(0).Shape(), n.In(1).Shape()
		if n.Op().Fold != graph.NoFold {
			along = n.Shape()
		}
		axis := n.Op().Axes(n)[0]
		return axis < len(along) && along[axis] == size && slices.ContainsFunc(index, graph.Dim.IsSymbolic) &&
			!slices.Contains(index, size)
	})
}

// isSet reports whether a size counts one of two sets, of a and of b elements.
func (l *lint) isSet(size graph.Dim) bool {
	other := graph.Dim(0)
	switch size {
	case graph.SymbolicDim("b"):
		other = graph.SymbolicDim("a")
	case graph.SymbolicDim("B"):
		other = graph.SymbolicDim("A")
	default:
		return false
	}
	isFirst := func(d graph.Dim) func(graph.Shape) bool {
		return func(s graph.Shape) bool { return len(s) > 0 && s[0] == d }
	}
	return l.hasInput(isFirst(size)) && l.hasInput(isFirst(other))
}

// examples says how likely a source is an axis of examples.
func (l *lint) examples(source int) int {
	if !l.flow().IsInput(source) {
		return unlikely
	}
	a := l.flow().Source(source)
	is := l.nameOf(a.Node.Shape()[a.Axis])
	if is == likely && (a.Axis != 0 || a.Node.Rank() < 2) {
		return unlikely
	}
	return is
}

// areExamples says how likely an axis of a value is one of examples: at least one source must be, and no other source
// may be an axis of something else.
func (l *lint) areExamples(sources []int) int {
	if len(sources) == 0 {
		return unlikely
	}
	least, greatest := sure, unlikely
	for _, s := range sources {
		is := l.examples(s)
		least, greatest = min(least, is), max(greatest, is)
	}
	if least == unlikely {
		return unlikely
	}
	return greatest
}

// others lists the axes of a value, except one, that come from inputs: named sizes of inputs, or numbers that do not
// come from weights.
func (l *lint) others(n *graph.Node, axis int) (list []int) {
	for i, size := range n.Shape() {
		if i == axis || size == 1 {
			continue
		}
		if from, weights := l.origins(n, i); l.areInputs(from) && !weights {
			list = append(list, i)
		}
	}
	return list
}
