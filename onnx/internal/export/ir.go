package export

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// tensor is the type of a value: its elements' dtype and its sizes, numbers or expressions over named sizes.
type tensor struct {
	dtype graph.DType
	shape graph.Shape
}

// of returns the type of as many elements of another dtype.
func (t tensor) of(d graph.DType) tensor { return tensor{d, t.shape} }

// isEmpty reports whether a value is known to have no elements.
func (t tensor) isEmpty() bool { return slices.Contains(t.shape, 0) }

// count returns the number of elements, if all sizes are numbers.
func (t tensor) count() (n int64, ok bool) { return t.shape.NumElements().Int() }

// value is a result of an operator, an initialiser, an input of the model or of a subgraph.
type value struct {
	tensor
	name string   // given by the user, or when the model is written
	def  *instr   // nil of what no operator computes
	data *literal // of a constant
	// inHalves says that the elements of a constant have 4 bits, two in a byte.
	inHalves bool
	// isReplaced says that a parameter is left out if nothing else than such constants needs it.
	isReplaced bool
}

// literal is the elements of a constant, row-major and little-endian, or one element that all have.
type literal struct {
	raw    []byte
	number float64 // of one element
	whole  int64
	single bool
}

// instr is an application of an operator, a node of ONNX.
type instr struct {
	op    string
	in    []*value // nil for one that is left out
	out   []*value
	attrs []*wire.Attribute
	inner []inner
	scope string // of the user's graph
}

// inner is an attribute that is a graph.
type inner struct {
	name string
	body *block
}

// block is a list of operators with inputs: the model's, or that of a loop's body. It sees the values of the blocks
// around it.
type block struct {
	args []*value
	body []*instr
	out  []*value
	made map[string]*instr // by all that decides what they compute
}

// argument adds an input.
func (b *block) argument(t tensor) *value {
	v := &value{tensor: t}
	b.args = append(b.args, v)
	return v
}

// live marks the operators, and the values of none, that are needed for what the block gives.
func (b *block) live(ops map[*instr]bool, values map[*value]bool) {
	need := func(list []*value) {
		for _, v := range list {
			if v == nil {
				continue
			}
			values[v] = true
			if v.def != nil {
				ops[v.def] = true
			}
		}
	}
	need(b.out)
	for _, i := range slices.Backward(b.body) {
		if !ops[i] {
			continue
		}
		need(i.in)
		for _, s := range i.inner {
			s.body.live(ops, values)
		}
	}
}

// The attributes of operators.

func attrInt(name string, v int) *wire.Attribute {
	return &wire.Attribute{Name: name, Type: wire.AttributeInt, Int: int64(v)}
}

func attrFlag(name string, v bool) *wire.Attribute {
	if v {
		return attrInt(name, 1)
	}
	return attrInt(name, 0)
}

func attrFloat(name string, v float64) *wire.Attribute {
	return &wire.Attribute{Name: name, Type: wire.AttributeFloat, Float: float32(v)}
}

func attrString(name, v string) *wire.Attribute {
	return &wire.Attribute{Name: name, Type: wire.AttributeString, String: []byte(v)}
}

func attrInts(name string, list []int) *wire.Attribute {
	a := &wire.Attribute{Name: name, Type: wire.AttributeInts}
	for _, v := range list {
		a.Ints = append(a.Ints, int64(v))
	}
	return a
}
