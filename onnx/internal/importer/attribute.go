package importer

import (
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// attribute is one of the node, or in a function one of its call, or nil.
func (c *call) attribute(name string) *wire.Attribute {
	for _, a := range c.from.Attributes {
		if a.Name != name {
			continue
		}
		if a.Ref != "" {
			return c.scope.attributes[a.Ref]
		}
		return a
	}
	return nil
}

func (c *call) given(name string) bool { return c.attribute(name) != nil }

// typed is an attribute of a type, or nil.
func (c *call) typed(name string, t wire.AttributeType) *wire.Attribute {
	a := c.attribute(name)
	if a != nil && a.Type != t && a.Type != 0 {
		refuse("its attribute %q has a different type from the operator's", name)
	}
	return a
}

func (c *call) int(name string, usual int) int {
	if a := c.typed(name, wire.AttributeInt); a != nil {
		return int(a.Int)
	}
	return usual
}

func (c *call) float(name string, usual float64) float64 {
	if a := c.typed(name, wire.AttributeFloat); a != nil {
		return float64(a.Float)
	}
	return float64(float32(usual))
}

func (c *call) text(name, usual string) string {
	if a := c.typed(name, wire.AttributeString); a != nil {
		return string(a.String)
	}
	return usual
}

func (c *call) texts(name string, usual ...string) []string {
	a := c.typed(name, wire.AttributeStrings)
	if a == nil {
		return usual
	}
	var list []string
	for _, s := range a.Strings {
		list = append(list, string(s))
	}
	return list
}

func (c *call) ints(name string, usual ...int) []int {
	a := c.typed(name, wire.AttributeInts)
	if a == nil {
		return usual
	}
	list := make([]int, len(a.Ints))
	for i, v := range a.Ints {
		list[i] = int(v)
	}
	return list
}

func (c *call) numbers(name string) (list []float64) {
	if a := c.typed(name, wire.AttributeFloats); a != nil {
		for _, v := range a.Floats {
			list = append(list, float64(v))
		}
	}
	return list
}

// body is a graph among the attributes.
func (c *call) body(name string) *wire.Graph {
	a := c.typed(name, wire.AttributeGraph)
	if a == nil || a.Graph == nil {
		refuse("its attribute %q is missing", name)
	}
	return a.Graph
}

// tensorOr is a tensor among the attributes, or the usual one of one element.
func (c *call) tensorOr(name string, usual any) exec.Array {
	a := c.typed(name, wire.AttributeTensor)
	if a == nil || a.Tensor == nil {
		return exec.Array{Shape: []int{1}, Data: usual}
	}
	return c.array(a.Tensor)
}

// dtype is the one of an attribute.
func (c *call) dtype(name string, usual graph.DType) graph.DType {
	if !c.given(name) {
		return usual
	}
	return dtypeOf(wire.DataType(c.int(name, 0)))
}
