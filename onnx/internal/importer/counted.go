package importer

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// counted is an axis whose size is known only when the model runs, such as that of the indices of elements that are
// not 0. In the graph, the axis is as long as its size can be; the first elements are those of the model, and what the
// others are does not matter. The size is an expression with names of [builder.open].
type counted struct {
	axis int
	size graph.Dim
}

// openSize is a size that is known only when the model runs.
type openSize struct {
	count node      // Int64 scalar
	most  graph.Dim // it is never greater
}

// newSize names a size that is known only when the model runs.
func (b *builder) newSize(count node, most graph.Dim) graph.Dim {
	name := ""
	for i := len(b.open); ; i++ {
		name = fmt.Sprintf("counted_%d", i)
		if !slices.Contains(b.g.DimNames(), name) && b.open[name] == nil {
			break
		}
	}
	b.open[name] = &openSize{count, most}
	return graph.SymbolicDim(name)
}

// boundsOf are those of a name of a size.
func (b *builder) boundsOf(name string) graph.Bounds {
	if b.open[name] != nil {
		return graph.Bounds{}
	}
	return b.g.Bounds(name)
}

// isOpen reports whether a size is known only when the model runs.
func (b *builder) isOpen(d graph.Dim) bool {
	return len(b.open) > 0 && slices.ContainsFunc(d.Symbols(), func(name string) bool { return b.open[name] != nil })
}

// longest is how long an axis of a size is in the graph.
func (b *builder) longest(d graph.Dim) graph.Dim {
	if !b.isOpen(d) {
		return d
	}
	if !b.grows(d) {
		refuse("the greatest value of the size %s, which is known only when the model runs, cannot be computed: %s",
			d, selectBefore)
	}
	for _, name := range d.Symbols() {
		if o := b.open[name]; o != nil {
			d = d.Subst(name, o.most)
		}
	}
	return d
}

// grows reports whether a size is greatest where those are that are known only when the model runs.
func (b *builder) grows(d graph.Dim) bool {
	does := true
	isTold := d.Terms(func(coef int64, factors []graph.Factor) {
		for _, f := range factors {
			switch {
			case f.Name != "":
				does = does && (coef > 0 || b.open[f.Name] == nil)
			case f.IsQuotient(), f.K == -1:
				does = does && (coef > 0 && b.grows(f.P) || !b.isOpen(f.P)) && !b.isOpen(f.Q)
			case f.IsMin():
				does = does && (coef > 0 && b.grows(f.P) && b.grows(f.Q) || !b.isOpen(f.P) && !b.isOpen(f.Q))
			case f.IsSum(), f.K > 0:
				does = does && (coef > 0 && b.grows(f.P) || !b.isOpen(f.P))
			default:
				does = false
			}
		}
	})
	return isTold && does
}

// named gives a size that is a sum or a minimum a name of its own: its expressions stay short.
func (b *builder) named(d graph.Dim) graph.Dim {
	if !b.isOpen(d) {
		return d
	}
	terms, isProduct := 0, true
	d.Terms(func(_ int64, factors []graph.Factor) {
		terms++
		for _, f := range factors {
			isProduct = isProduct && f.Name != ""
		}
	})
	if terms == 1 && isProduct {
		return d
	}
	name, done := b.openNames[d]
	if !done || !b.isHere(b.open[name.String()].count) {
		name = b.newSize(b.countOf(d), b.longest(d))
		b.openNames[d] = name
	}
	return name
}

// isHere reports whether a node can be used in the body that is being built.
func (b *builder) isHere(n node) bool { return n.Region() == nil || n.Region() == b.g.Region() }

// countOf computes a size in each run, as an Int64 scalar.
func (b *builder) countOf(d graph.Dim) node {
	if !b.isOpen(d) {
		return ops.Size(b.g, graph.Int64, d)
	}
	var sum node
	isTold := d.Terms(func(coef int64, factors []graph.Factor) {
		product := ops.Full(b.g, graph.Int64, float64(coef))
		for _, f := range factors {
			product = ops.Mul(product, b.factor(d, f))
		}
		if sum == nil {
			sum = product
		} else {
			sum = ops.Add(sum, product)
		}
	})
	if !isTold || sum == nil {
		refuse("the size %s is known only when the model runs, and cannot be computed then", d)
	}
	return sum
}

// factor computes a factor of a size.
func (b *builder) factor(of graph.Dim, f graph.Factor) node {
	switch {
	case f.Name != "" && b.open[f.Name] != nil:
		return b.open[f.Name].count
	case f.Name != "":
		return ops.Size(b.g, graph.Int64, graph.SymbolicDim(f.Name))
	case f.IsMin():
		return ops.Minimum(b.countOf(f.P), b.countOf(f.Q))
	case f.IsQuotient():
		return ops.FloorDiv(b.countOf(f.P), b.countOf(f.Q))
	case f.IsSum():
		return b.countOf(f.P)
	case f.K > 0:
		return ops.FloorDiv(b.countOf(f.P), whole(int(f.K)))
	}
	refuse("the size %s is known only when the model runs, and cannot be computed then", of)
	return nil
}

// sizesNode computes a tensor of sizes in each run.
func (b *builder) sizesNode(s *sizes) node {
	if !slices.ContainsFunc(s.dims, b.isOpen) {
		return s.node(b.g)
	}
	var list []node
	for _, d := range s.dims {
		list = append(list, b.countOf(d))
	}
	y := list[0]
	if len(s.shape) > 0 {
		y = ops.Reshape(ops.Stack(0, list...), graph.MakeShape(s.shape...)...)
	}
	y = ops.Cast(y, s.dtype)
	if s.by != 1 {
		y = ops.Div(y, graph.Num(float64(s.by)))
	}
	return y
}

// shapeOf is the shape of a tensor in the model, in which a size may be open.
func (b *builder) shapeOf(v *value) graph.Shape {
	shape := slices.Clone(b.nodeOf(v).Shape())
	if v.counted != nil {
		shape[v.counted.axis] = v.counted.size
	}
	return shape
}

// countedIn finds the axis of a shape whose size is open.
func (b *builder) countedIn(shape graph.Shape) (found *counted) {
	for axis, d := range shape {
		if !b.isOpen(d) {
			continue
		}
		if found != nil {
			refuse("the sizes of two axes of its result, %s and %s, are known only when the model runs: %s",
				found.size, d, selectBefore)
		}
		found = &counted{axis, b.named(d)}
	}
	return found
}

// selectBefore is what to do about sizes that are known only when the model runs.
const selectBefore = "build the model up to a value before it with onnx.Outputs, and continue with operations of " +
	"package ops, such as ops.Compress and ops.NMS"

// valid is true for the elements that count, and has the number of axes that x has.
func (b *builder) valid(x node, c *counted) node {
	mask := ops.Less(ops.Iota(b.g, 0, x.Shape()[c.axis]), b.countOf(c.size))
	for range x.Rank() - 1 - c.axis {
		mask = ops.Unsqueeze(mask, -1)
	}
	return mask
}

// filled has a number in place of the elements that do not count.
func (b *builder) filled(v *value, with float64) node {
	x := b.nodeOf(v)
	if v.counted == nil {
		return x
	}
	isValid := b.valid(x, v.counted)
	switch {
	case x.DType() == graph.Bool && with > 0:
		return ops.Or(x, ops.Not(isValid))
	case x.DType() == graph.Bool:
		return ops.And(x, isValid)
	}
	return ops.Where(isValid, x, ops.FullLike(x, extremeOf(x.DType(), with)))
}

// fill puts a number in place of the elements of an operand that do not count. Afterwards all count.
func (c *call) fill(i int, with float64) {
	if c.has(i) && c.operands[i].counted != nil {
		c.operands[i] = ofNode(c.filled(c.operands[i], with))
	}
}

// hasCounted reports whether an operand has a counted axis, or says a shape of which a size is open.
func (c *call) hasCounted(key string) bool {
	return slices.ContainsFunc(c.operands, func(v *value) bool {
		return v != nil && (v.counted != nil || takesSizes[key] && v.sizes != nil &&
			slices.ContainsFunc(v.sizes.dims, c.isOpen))
	})
}

// withCounted are the results of an operator with a counted axis.
func (c *call) withCounted(key string) []*value {
	f := countedRules[key]
	if f == nil {
		refuse("its operand has a size that is known only when the model runs: %s", selectBefore)
	}
	return f(c)
}

// computed are the results of the operator's rule, where what does not count is computed with.
func (c *call) computed() []*value {
	c.mayBeOpen = true
	defer func() { c.mayBeOpen = false }()
	return c.byRule(c.from.Op)
}

// shaped notes which axis of results counts, from their shape in the model.
func (c *call) shaped(results []*value, shape graph.Shape) []*value {
	for _, v := range results {
		if v != nil {
			v.counted = c.countedIn(shape)
		}
	}
	return results
}

// sizesIn are the elements of an operand that are sizes, which may be open.
func (c *call) sizesIn(i int) []graph.Dim {
	c.mayBeOpen = true
	defer func() { c.mayBeOpen = false }()
	s, ok := c.sizesOf(c.value(i))
	if !ok || s.by != 1 {
		return c.dims(i)
	}
	list := make([]graph.Dim, len(s.dims))
	for i, d := range s.dims {
		list[i] = c.named(d)
	}
	return list
}

// jointShape is the shape of operands that are broadcast.
func (c *call) jointShape(operands ...*value) graph.Shape {
	var shape graph.Shape
	for _, v := range operands {
		if v != nil {
			shape = c.broadcast(shape, c.shapeOf(v))
		}
	}
	return shape
}

// broadcast is the shape of two that are broadcast.
func (c *call) broadcast(a, b graph.Shape) graph.Shape {
	if len(a) < len(b) {
		a, b = b, a
	}
	a = slices.Clone(a)
	for i, d := range b {
		at := len(a) - len(b) + i
		if n, isNumber := c.g.Known(a[at]); isNumber && n == 1 {
			a[at] = d
			continue
		}
		if n, isNumber := c.g.Known(d); isNumber && n == 1 || d == a[at] {
			continue
		}
		if c.isOpen(a[at]) || c.isOpen(d) {
			refuse("whether the sizes %s and %s are equal is known only when the model runs: %s", a[at], d,
				selectBefore)
		}
	}
	return a
}
