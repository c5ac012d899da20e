package onnxnodes

import (
	"encoding/json"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// call is an operator with its operands and attributes. An operand that is absent is nil.
type call struct {
	g       *graph.Graph
	attrs   map[string]json.RawMessage
	version int
	in      []node
	values  []reference.Value // those of the operands: some operators take sizes and axes as operands
	outs    []string
	want    []reference.Value // the results, of which some operators have as many as their operands' elements say
}

// rule says which call of package ops an operator is.
type rule func(c *call) []node

func (c *call) given(name string) bool { return c.attrs[name] != nil }

func (c *call) read(name string, into any) {
	if text := c.attrs[name]; text != nil {
		if err := json.Unmarshal(text, into); err != nil {
			panic(err)
		}
	}
}

func (c *call) int(name string, usual int) int {
	c.read(name, &usual)
	return usual
}

func (c *call) float(name string, usual float64) float64 {
	c.read(name, &usual)
	return float64(float32(usual))
}

func (c *call) text(name, usual string) string {
	c.read(name, &usual)
	return usual
}

func (c *call) ints(name string, usual ...int) []int {
	if c.given(name) {
		usual = nil
		c.read(name, &usual)
	}
	return usual
}

// at is an operand, or nil.
func (c *call) at(i int) node {
	if i < len(c.in) {
		return c.in[i]
	}
	return nil
}

// list are the numbers of an operand that is known when the graph is made.
func (c *call) list(i int) (list []int) {
	for _, v := range c.floats(i) {
		list = append(list, int(v))
	}
	return list
}

func (c *call) floats(i int) []float64 {
	if c.at(i) == nil {
		return nil
	}
	return c.values[i].Floats()
}

// listOr are the numbers of an operand, or of the attribute that was in its place before, or the usual ones.
func (c *call) listOr(i int, name string, usual ...int) []int {
	if c.at(i) != nil {
		return c.list(i)
	}
	return c.ints(name, usual...)
}

// axis is an axis of the first operand, counted from its beginning.
func (c *call) axis(usual int) int { return c.from(c.int("axis", usual)) }

func (c *call) from(axis int) int {
	if axis < 0 {
		axis += c.in[0].Rank()
	}
	return axis
}

func axes(list []int) (axes []ops.Axis) {
	for _, a := range list {
		axes = append(axes, ops.Axis(a))
	}
	return axes
}

// dtypes are ONNX's numbers of dtypes.
var dtypes = map[int]graph.DType{1: graph.Float32, 2: graph.Uint8, 3: graph.Int8, 4: graph.Uint16, 5: graph.Int16, 6: graph.Int32, 7: graph.Int64, 9: graph.Bool,
	10: graph.Float16, 11: graph.Float64, 12: graph.Uint32, 13: graph.Uint64, 16: graph.BFloat16, 17: graph.Float8E4M3FN, 19: graph.Float8E5M2}

// dtype is the one of an attribute.
func (c *call) dtype(name string, usual graph.DType) graph.DType {
	if c.given(name) {
		return dtypes[c.int(name, 0)]
	}
	return usual
}

func dims(sizes []int) []graph.Dim { return graph.MakeShape(sizes...) }

func sizes(x node) (list []int) {
	for _, d := range x.Shape() {
		n, _ := d.Int()
		list = append(list, int(n))
	}
	return list
}

func whole(n int) node { return graph.Num(n) }

func one(f func(x node) node) rule { return func(c *call) []node { return []node{f(c.in[0])} } }

func two(f func(x, y node) node) rule {
	return func(c *call) []node { return []node{f(c.in[0], c.in[1])} }
}

// with is an operator of one operand and attributes.
func with(f func(c *call, x node) node) rule {
	return func(c *call) []node { return []node{f(c, c.in[0])} }
}

// fold is an operator of any number of operands.
func fold(f func(x, y node) node) rule {
	return func(c *call) []node {
		y := c.in[0]
		for _, x := range c.in[1:] {
			y = f(y, x)
		}
		return []node{y}
	}
}
