package importer

import (
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/wire"
	"github.com/broadloom/broadloom/ops"
)

// valueRules are operators whose operands or results are no nodes: constants, sizes and sequences, and those with
// bodies.
var valueRules map[string]func(c *call) []*value

func init() {
	valueRules = map[string]func(c *call) []*value{
		"Identity":        func(c *call) []*value { return []*value{c.value(0)} },
		"Constant":        func(c *call) []*value { return []*value{c.constant()} },
		"Shape":           func(c *call) []*value { return []*value{c.builder.ofSizes(c.shape())} },
		"ConstantOfShape": constantOfShape,
		"Size": func(c *call) []*value {
			return []*value{c.builder.ofSizes(scalar(graph.Shape(c.shapeOfValue(0)).NumElements()))}
		},
		"SequenceEmpty":     func(c *call) []*value { return []*value{{isList: true}} },
		"SequenceConstruct": func(c *call) []*value { return []*value{{isList: true, list: c.operands}} },
		"SequenceAt": func(c *call) []*value {
			return []*value{c.value(0).list[c.place(1, len(c.sequence()))]}
		},
		"SequenceLength": func(c *call) []*value {
			return []*value{c.builder.ofSizes(scalar(graph.Dim(len(c.sequence()))))}
		},
		"SequenceInsert": func(c *call) []*value {
			list := c.sequence()
			at := len(list)
			if c.has(2) {
				at = c.place(2, len(list)+1)
				if c.list(2)[0] < 0 {
					at--
				}
			}
			return []*value{{isList: true, list: slices.Insert(slices.Clone(list), at, c.value(1))}}
		},
		"SequenceErase": func(c *call) []*value {
			list := slices.Clone(c.sequence())
			at := len(list) - 1
			if c.has(1) {
				at = c.place(1, len(list))
			}
			return []*value{{isList: true, list: slices.Delete(list, at, at+1)}}
		},
		"SplitToSequence":    func(c *call) []*value { return []*value{{isList: true, list: c.splitToSequence()}} },
		"ConcatFromSequence": func(c *call) []*value { return []*value{c.joinSequence()} },
		"SequenceMap":        sequenceMap,
		"Optional": func(c *call) []*value {
			if !c.has(0) {
				return []*value{{isNone: true}}
			}
			return c.operands
		},
		"OptionalGetElement": func(c *call) []*value {
			if c.value(0).isNone {
				refuse("nothing is in its operand")
			}
			return c.operands
		},
		"OptionalHasElement": func(c *call) []*value {
			is := c.has(0) && !c.operands[0].isNone
			return []*value{c.ofArray(exec.Array{Data: []bool{is}})}
		},
		"If": ifRule, "Loop": loop, "Scan": scan,
		"NonZero": nonZero, "Compress": compress, "NonMaxSuppression": nonMaxSuppression, "Unique": unique,
	}
}

// value is an operand that the operator needs.
func (c *call) value(i int) *value {
	if !c.has(i) {
		refuse("its operand %d is missing", i)
	}
	return c.operands[i]
}

// sequence are the parts of the first operand.
func (c *call) sequence() []*value {
	v := c.value(0)
	if !v.isList {
		refuse("its operand 0 is not a sequence")
	}
	return v.list
}

// place is an operand that says a place in a sequence of n.
func (c *call) place(i, n int) int { return wrapped(c.list(i)[0], n) }

// shapeOfValue is the shape of an operand.
func (c *call) shapeOfValue(i int) graph.Shape {
	v := c.value(i)
	switch {
	case v.node == nil && v.sizes != nil:
		return graph.MakeShape(v.sizes.shape...)
	case v.node == nil && v.known != nil:
		return graph.MakeShape(v.known.Shape...)
	}
	return c.builder.shapeOf(v)
}

func (c *call) shape() *sizes {
	list := c.shapeOfValue(0)
	c.noteLengths(list)
	bound := func(v int) int {
		if v < 0 {
			v += len(list)
		}
		return min(max(v, 0), len(list))
	}
	start, end := bound(c.int("start", 0)), bound(c.int("end", len(list)))
	return vector(list[start:max(start, end)]...)
}

// constant is the value of the operator Constant. Long ones of floating-point numbers are parameters, as those are that
// a file lists.
func (c *call) constant() *value {
	vectorOf := func(data any, n int) *value { return c.ofArray(exec.Array{Shape: []int{n}, Data: data}) }
	for _, name := range []string{"value", "value_int", "value_ints", "value_float", "value_floats", "sparse_value"} {
		a := c.attribute(name)
		if a == nil {
			continue
		}
		switch name {
		case "value_int":
			return c.ofArray(exec.Array{Data: []int64{a.Int}})
		case "value_ints":
			return vectorOf(append([]int64{}, a.Ints...), len(a.Ints))
		case "value_float":
			return c.ofArray(exec.Array{Data: []float32{a.Float}})
		case "value_floats":
			return vectorOf(append([]float32{}, a.Floats...), len(a.Floats))
		case "sparse_value":
			if a.Sparse != nil {
				return c.ofArray(dense(c.builder, a.Sparse))
			}
		case "value":
			if a.Tensor != nil {
				t := *a.Tensor
				t.Name = c.from.Outputs[0]
				n, _ := elementCount(t.Dims)
				return c.ofTensor(&t, c.scope.depth == 0 && n > shortConstant)
			}
		}
	}
	refuse("its value is missing, or a string")
	return nil
}

// constantOfShape repeats an element.
func constantOfShape(c *call) []*value {
	one := c.tensorOr("value", []float32{0})
	v, _ := graph.NumberAt(one.Data, 0)
	return []*value{{node: ops.Expand(graph.ConstantOf(c.g, one.Data), c.dims(0)...), isFilled: v != 0}}
}

// shortConstant is how many elements a constant has at most that no optimiser may train.
const shortConstant = 16

// splitToSequence takes an axis apart.
func (c *call) splitToSequence() (list []*value) {
	if s := c.value(0).sizes; s != nil && !s.areNumbers() && len(s.shape) == 1 && !c.has(1) {
		for _, d := range s.dims {
			one := &sizes{dtype: s.dtype, shape: []int{1}, dims: []graph.Dim{d}, by: s.by}
			if c.int("keepdims", 1) == 0 {
				one.shape = nil
			}
			list = append(list, c.builder.ofSizes(one))
		}
		return list
	}
	x := c.in(0)
	axis := c.axis(0)
	n := x.Shape()[axis]
	var lengths []graph.Dim
	switch {
	case !c.has(1):
		for range c.number(n) {
			lengths = append(lengths, 1)
		}
	case len(c.shapeOfValue(1)) == 0:
		each := c.list(1)[0]
		if each <= 0 {
			refuse("parts of %d elements", each)
		}
		for left := c.number(n); left > 0; left -= each {
			lengths = append(lengths, graph.Dim(min(each, left)))
		}
	default:
		lengths = c.dims(1)
	}
	if len(lengths) > maxSizes {
		refuse("%d parts are too many", len(lengths))
	}
	for _, part := range ops.SplitSizes(x, axis, lengths...) {
		if !c.has(1) && c.int("keepdims", 1) == 0 {
			part = ops.Squeeze(part, axis)
		}
		list = append(list, ofNode(part))
	}
	return list
}

// joinSequence puts the parts of a sequence behind each other.
func (c *call) joinSequence() *value {
	parts := c.sequence()
	if len(parts) == 0 {
		refuse("an empty sequence has no shape")
	}
	isNew := c.int("new_axis", 0) == 1
	joined := *c
	joined.operands = parts
	if !isNew {
		if list := joined.ofSizes("Concat"); list != nil {
			return list[0]
		}
	}
	if joined.hasCounted("Concat") {
		from := *c.from
		from.Op, joined.from = "Concat", &from
		if isNew {
			refuse("it stacks values of which a size is known only when the model runs: %s", selectBefore)
		}
		return concatCounted(&joined)[0]
	}
	if isNew {
		return ofNode(ops.Stack(c.int("axis", 0), joined.all()...))
	}
	return ofNode(ops.Concat(c.int("axis", 0), joined.all()...))
}

// sequenceMap computes a body for each part of a sequence.
func sequenceMap(c *call) []*value {
	body := c.body("body")
	results := make([]*value, len(body.Outputs))
	for i := range results {
		results[i] = &value{isList: true}
	}
	for i := range c.sequence() {
		var args []*value
		for k, v := range c.operands {
			if v.isList {
				if i >= len(v.list) {
					refuse("operand %d has %d parts, but the first one has %d", k, len(v.list), len(c.sequence()))
				}
				v = v.list[i]
			}
			args = append(args, v)
		}
		for k, v := range c.compute(body, args) {
			results[k].list = append(results[k].list, v)
		}
	}
	return results
}

// callFunction computes a function of the model.
func (c *call) callFunction(f *wire.Function) []*value {
	s := &scope{values: map[string]*value{}, versions: versions(f.Opsets), attributes: map[string]*wire.Attribute{},
		depth: c.scope.depth + 1}
	for _, a := range f.Defaults {
		s.attributes[a.Name] = a
	}
	for _, a := range c.from.Attributes {
		s.attributes[a.Name] = c.attribute(a.Name)
	}
	for i, name := range f.Inputs {
		s.values[name] = absent
		if c.has(i) {
			s.values[name] = c.operands[i]
		}
	}
	return c.computeIn(s, f.Nodes, f.Outputs)
}

// compute gives the results of a body, which may use names of outside.
func (c *call) compute(body *wire.Graph, args []*value) []*value {
	s := c.scope.inner()
	if len(args) != len(body.Inputs) {
		refuse("a body takes %d values, but gets %d", len(body.Inputs), len(args))
	}
	for i, in := range body.Inputs {
		s.values[in.Name] = args[i]
	}
	c.constants(body, s)
	var names []string
	for _, out := range body.Outputs {
		names = append(names, out.Name)
	}
	return c.computeIn(s, body.Nodes, names)
}

func (c *call) computeIn(s *scope, nodes []*wire.Node, outputs []string) (list []*value) {
	if s.depth > maxDepth {
		refuse("bodies and functions are nested more than %d deep", maxDepth)
	}
	c.nodes(nodes, s)
	for _, name := range outputs {
		v, found := s.find(name)
		if !found || v == nil {
			refuse("the result %q of a body is not computed", name)
		}
		list = append(list, v)
	}
	return list
}
