package importer

import (
	"fmt"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

type node = *graph.Node

// value is what a name of a model refers to: a tensor, which becomes a node on demand, or a sequence. A tensor of
// integers that are sizes of the program knows them.
type value struct {
	node     node
	make     func() node                // makes the node; nil where there is one
	elements func() (exec.Array, error) // those of a tensor in the file; nil elsewhere
	known    *exec.Array                // the elements, once they were asked for
	sizes    *sizes
	isList   bool
	list     []*value
	count    int    // the elements of a tensor of the file
	isState  bool   // a parameter that no optimiser trains
	bits     int    // of an integer of fewer than 8, which is computed in 8; else 0
	isFilled bool   // all elements are one number, which is not 0
	base     *value // with offset added: the same number, known only when the model runs, in another form
	offset   int
	isNone   bool     // an optional value that is not there
	counted  *counted // an axis of which only the first elements count; nil if all do
	ramp     *ramp    // the elements of a node, where they are one
}

// isTensor reports whether v is there and no sequence.
func (v *value) isTensor() bool { return v != nil && !v.isList }

func ofNode(n node) *value { return &value{node: n} }

// ofArray is a constant.
func (b *builder) ofArray(a exec.Array) *value {
	return &value{known: &a, make: func() node { return graph.ConstantOf(b.g, a.Data, graph.MakeShape(a.Shape...)...) }}
}

// ofSizes is a tensor of sizes.
func (b *builder) ofSizes(s *sizes) *value {
	return &value{sizes: s, make: func() node { return b.sizesNode(s) }}
}

// nodeOf is the node of a tensor.
func (b *builder) nodeOf(v *value) node {
	if v.node == nil {
		if v.make == nil {
			refuse("a sequence, or a missing optional value, is used as a tensor")
		}
		v.node = v.make()
		b.made = append(b.made, v)
	}
	return v.node
}

// arrayOf returns a tensor's elements where they are known without a run of what the model takes.
func (b *builder) arrayOf(v *value) (exec.Array, bool) {
	switch {
	case v.counted != nil:
		return exec.Array{}, false
	case v.known != nil:
	case v.elements != nil:
		a, err := v.elements()
		if err != nil {
			refuse("%v", err)
		}
		v.known = &a
	case v.sizes != nil:
		a, ok := v.sizes.array()
		if !ok {
			return exec.Array{}, false
		}
		v.known = &a
	case v.node != nil:
		a, ok := b.fold(v.node)
		if !ok {
			return exec.Array{}, false
		}
		v.known = &a
	default:
		return exec.Array{}, false
	}
	return *v.known, true
}

// sizesOf returns a tensor of sizes, or of numbers that are known, of which each may be one.
func (b *builder) sizesOf(v *value) (*sizes, bool) {
	if v.sizes != nil {
		return v.sizes, true
	}
	a, ok := b.arrayOf(v)
	if !ok {
		return nil, false
	}
	s, ok := sizesOfArray(a)
	if ok {
		v.sizes = s
	}
	return s, ok
}

// refusal is why a node cannot be imported. Rules panic with it, and [builder.apply] recovers.
type refusal string

func refuse(format string, args ...any) { panic(refusal(fmt.Sprintf(format, args...))) }
