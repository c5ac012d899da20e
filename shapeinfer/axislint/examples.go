package axislint

import (
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// How sure it is that an axis is that along which examples are fed.
const (
	unlikely = iota
	likely   // the first axis of an input, of a name that says nothing else
	sure     // an axis of a size called batch
)

// batchNames are sizes that people give to examples alone; plainNames those that they give to examples
// and to other things.
var (
	batchNames = []string{"b", "bs", "bsz", "nb", "batch", "batches", "minibatch", "batchsize", "nbatch", "numbatch", "example", "examples", "numexamples", "sample", "samples", "numsamples"}
	plainNames = []string{"n", "m", "num", "count", "size", "rows"}
)

// nameOf says how sure a size is to be that of examples, by what people call it.
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

// MayCountExamples reports whether people call the number of examples as a size is called.
func MayCountExamples(size graph.Dim) bool { return nameOf(size) != unlikely }

// examples says how sure it is that a source is an axis of examples.
func (l *lint) examples(source int) int {
	if !l.flow().IsInput(source) {
		return unlikely
	}
	a := l.flow().Source(source)
	is := nameOf(a.Node.Shape()[a.Axis])
	if is == likely && (a.Axis != 0 || a.Node.Rank() < 2) {
		return unlikely
	}
	return is
}

// areExamples says how sure it is that an axis of a value is one of examples: at least one of its
// sources must be, and no other one may be an axis of something else.
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

// others lists the axes of a value, but for one, that come from inputs: those of names of the inputs,
// or of numbers that no weights have made.
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
