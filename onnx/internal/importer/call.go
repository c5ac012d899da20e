package importer

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/wire"
	"github.com/broadloom/broadloom/ops"
)

// call is a node of a model: an operator with its operands and attributes.
type call struct {
	*builder
	g        *graph.Graph
	from     *wire.Node
	domain   string
	version  int // of the operator's domain
	operands []*value
	scope    *scope
	// mayBeOpen says that sizes may be known only when the model runs: their greatest values stand in their place.
	mayBeOpen bool
}

// rule says which calls of package ops an operator is.
type rule func(c *call) []node

// results are those of the operator.
func (c *call) results() []*value {
	key := c.from.Op
	if c.domain != "" && !(c.domain == "com.microsoft" && asONNX[key]) {
		key = c.domain + "." + key
	}
	if f := c.functions[function{c.domain, c.from.Op, c.from.Overload}]; f != nil && operators[key] == nil &&
		valueRules[key] == nil {
		return c.callFunction(f)
	}
	if list := c.ofSizes(key); list != nil {
		return list
	}
	if list := c.ofRamp(key); list != nil {
		return list
	}
	if c.hasCounted(key) {
		return c.withCounted(key)
	}
	if because := leftOut[c.from.Op]; because != "" && valueRules[key] == nil {
		refuse("%s", because)
	}
	return c.byRule(key)
}

// byRule are the results of an operator's rule; nil is one that the rule leaves out.
func (c *call) byRule(key string) (list []*value) {
	if f := valueRules[key]; f != nil {
		return f(c)
	}
	f := operators[key]
	if f == nil {
		if c.domain != "" {
			refuse("the operator %s of the domain %q is unknown: export the model without it", c.from.Op, c.domain)
		}
		refuse("the operator %s is unknown", c.from.Op)
	}
	for _, n := range f(c) {
		if n == nil {
			list = append(list, nil)
			continue
		}
		list = append(list, ofNode(n))
	}
	return list
}

// ofSizes computes results that are sizes of the program.
func (c *call) ofSizes(key string) (list []*value) {
	f := sizeRules[key]
	if f == nil {
		f = sizeMoves[key]
	}
	if f == nil || len(c.operands) == 0 {
		return nil
	}
	in, isNeeded, ok := c.operandSizes()
	if !ok {
		return nil
	}
	hasEnds := slices.ContainsFunc(in, func(s *sizes) bool { return s != nil && s.ends })
	if key == "Slice" { // its other operands only say where to cut
		hasEnds = in[0] != nil && in[0].ends
	}
	areNumbers := !slices.ContainsFunc(in, func(s *sizes) bool { return s != nil && !s.areNumbers() })
	if !isNeeded || hasEnds && (areNumbers || sizeMoves[key] == nil) { // nodes have all numbers as they are
		return nil
	}
	for _, s := range c.carriedOut(f, in) {
		s.ends = s.ends || hasEnds
		if !s.isWithin() {
			return nil
		}
		list = append(list, c.builder.ofSizes(s))
	}
	return list
}

// operandSizes returns the operands as sizes, nil for those that are left out, and whether nodes could not compute with
// them. ok is false if one is no sizes, or is not worth computing as such.
func (c *call) operandSizes() (in []*sizes, isNeeded, ok bool) {
	isNeeded = slices.ContainsFunc(c.operands, func(v *value) bool {
		return v != nil && v.sizes != nil && !v.sizes.areNumbers()
	})
	for _, v := range c.operands {
		if v == nil {
			in = append(in, nil)
			continue
		}
		isCheap := v.sizes != nil || v.known != nil || v.elements != nil && v.count <= maxSizes
		if v.isList || !isCheap && (!isNeeded || v.node == nil) {
			return nil, false, false
		}
		s, isSizes := c.sizesOf(v)
		if !isSizes {
			return nil, false, false
		}
		isNeeded = isNeeded || !s.dtype.IsFloat() || !s.areNumbers()
		in = append(in, s)
	}
	return in, isNeeded, true
}

// carriedOut are the results of a rule on sizes. What one refuses is left to the operator's rule on nodes.
func (c *call) carriedOut(f func(c *call, in []*sizes) []*sizes, in []*sizes) (list []*sizes) {
	defer func() {
		if r := recover(); r != nil {
			if _, isRefusal := r.(refusal); !isRefusal {
				panic(r)
			}
			list = nil
		}
	}()
	return f(c, in)
}

// in is an operand that the operator needs.
func (c *call) in(i int) node {
	n := c.at(i)
	if n == nil {
		refuse("its operand %d is missing", i)
	}
	return n
}

// at is an operand, or nil where it is left out.
func (c *call) at(i int) node {
	if !c.has(i) {
		return nil
	}
	return c.nodeOf(c.operands[i])
}

func (c *call) has(i int) bool { return i < len(c.operands) && c.operands[i] != nil }

// all are all operands.
func (c *call) all() (list []node) {
	for i := range c.operands {
		list = append(list, c.in(i))
	}
	return list
}

// state is an operand that no optimiser trains, such as a running mean.
func (c *call) state(i int) node {
	if c.has(i) {
		c.operands[i].isState = true
	}
	return c.in(i)
}

// wants reports whether result i is used.
func (c *call) wants(i int) bool { return i < len(c.from.Outputs) && c.from.Outputs[i] != "" }

// dims are the elements of an operand that are sizes of the program, or nil where it is left out.
func (c *call) dims(i int) []graph.Dim {
	if !c.has(i) {
		return nil
	}
	v := c.operands[i]
	s, ok := c.sizesOf(v)
	if !ok {
		s, ok = c.bounds(v)
	}
	if !ok || s.by != 1 {
		refuse("its operand %q must be known before the model runs, but depends on values known only then: %s",
			c.from.Inputs[i], "make an input that it depends on a constant, or bind named sizes to numbers")
	}
	if slices.ContainsFunc(s.dims, c.isOpen) {
		return c.longestOf(s.dims)
	}
	return s.dims
}

// longestOf are the greatest values of sizes that are known only when the model runs.
func (c *call) longestOf(list []graph.Dim) (most []graph.Dim) {
	if !c.mayBeOpen {
		refuse("it depends on a size that is known only when the model runs: %s", selectBefore)
	}
	for _, d := range list {
		most = append(most, c.longest(d))
	}
	return most
}

// bounds are elements of which some are beyond [most], in whose place that stands.
func (c *call) bounds(v *value) (*sizes, bool) {
	a, ok := c.arrayOf(v)
	if t, n := graph.DTypeOfSlice(a.Data); ok && t.IsInt() && n <= maxSizes {
		s := &sizes{dtype: t, shape: a.Shape, by: 1, ends: true}
		for i := range n {
			_, whole := graph.NumberAt(a.Data, i)
			s.dims = append(s.dims, graph.Dim(min(max(whole, -most), most)))
		}
		return s, true
	}
	return nil, false
}

// list are the numbers of an operand, or nil where it is left out.
func (c *call) list(i int) (list []int) {
	if !c.has(i) {
		return nil
	}
	for _, d := range c.dims(i) {
		list = append(list, c.number(d))
	}
	return list
}

// number is a size that must be a number.
func (c *call) number(d graph.Dim) int {
	n, ok := c.g.Known(d)
	if !ok {
		refuse("the size %s must be a number: bind its names to numbers", d)
	}
	return int(n)
}

// floats are the elements of an operand that must be known, or nil where it is left out.
func (c *call) floats(i int) (list []float64) {
	if !c.has(i) {
		return nil
	}
	a, ok := c.arrayOf(c.operands[i])
	if !ok {
		refuse("its operand %q must be known before the model runs, but depends on values known only then",
			c.from.Inputs[i])
	}
	for k := range count(a.Shape) {
		v, _ := graph.NumberAt(a.Data, k)
		list = append(list, v)
	}
	return list
}

// listOr are the numbers of an operand, or of the attribute that was in its place before.
func (c *call) listOr(i int, name string) []int {
	if c.has(i) {
		return c.list(i)
	}
	return c.ints(name)
}

// dimsOr are the sizes of an operand, or of the attribute that was in its place before.
func (c *call) dimsOr(i int, name string) []graph.Dim {
	if c.has(i) {
		return c.dims(i)
	}
	return graph.MakeShape(c.ints(name)...)
}

// axis is an axis of the first operand, counted from its beginning.
func (c *call) axis(usual int) int { return c.fromEnd(c.int("axis", usual)) }

// fromEnd counts an axis of the first operand from its beginning. It may be the place behind all.
func (c *call) fromEnd(axis int) int {
	rank := c.in(0).Rank()
	if axis < 0 {
		axis += rank
	}
	if axis < 0 || axis > rank {
		refuse("the first operand has %d axes, but no axis %d", rank, axis)
	}
	return axis
}

// newAxes are places of new axes in the result, in order.
func (c *call) newAxes(rank int) []int {
	list := slices.Clone(c.listOr(1, "axes"))
	for i := range list {
		list[i] = wrapped(list[i], rank+len(list))
	}
	slices.Sort(list)
	return list
}

func axes(list []int) (axes []ops.Axis) {
	for _, a := range list {
		axes = append(axes, ops.Axis(a))
	}
	return axes
}

func one(f func(x node) node) rule { return func(c *call) []node { return []node{f(c.in(0))} } }

func two(f func(x, y node) node) rule {
	return func(c *call) []node { return []node{f(c.in(0), c.in(1))} }
}

// with is an operator of one operand and attributes.
func with(f func(c *call, x node) node) rule {
	return func(c *call) []node { return []node{f(c, c.in(0))} }
}

// fold is an operator of any number of operands.
func fold(f func(x, y node) node) rule {
	return func(c *call) []node {
		y := c.in(0)
		for _, x := range c.all()[1:] {
			y = f(y, x)
		}
		return []node{y}
	}
}

// operators are the rules of all files.
var operators = map[string]rule{}

func join(lines map[string]rule) {
	for name, r := range lines {
		if operators[name] != nil {
			panic("two rules for " + name)
		}
		operators[name] = r
	}
}

func dims(sizes []int) []graph.Dim { return graph.MakeShape(sizes...) }

// size is that of an axis, which must be a number.
func (c *call) size(x node, axis int) int { return c.number(x.Shape()[axis]) }

func whole(n int) node { return graph.Num(n) }

// length is a size of the program as a number for computation.
func (c *call) length(d graph.Dim) node {
	if n, ok := d.Int(); ok {
		return whole(int(n))
	}
	return ops.Size(c.g, graph.Int64, d)
}
