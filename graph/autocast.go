package graph

import (
	"fmt"
	"slices"
)

// AutocastRule says in which dtype an operation on floating-point values is built within [Graph.Autocast].
type AutocastRule uint8

// The rules. Float64 operands are never converted.
const (
	AutocastKeeps  AutocastRule = iota // in the dtypes of its operands
	AutocastLowers                     // in the dtype of Autocast: products, convolutions, attention
	AutocastWidens                     // in Float32: losses, linear algebra, transforms
	AutocastJoins                      // in the widest dtype of its operands, for one that needs them alike
)

// Autocast builds part of a graph in mixed precision, as torch.autocast does: parameters stay Float32, and so do the
// gradients that reach them. In build, operands of
//
//   - products, convolutions and attention are converted to t, BFloat16 or Float16, the dtype of their results;
//   - losses, linear algebra and transforms are converted to Float32;
//   - all other operations stay as they are. Of two operands of different dtypes, the result has the wider one.
//
// Gradients are of the dtypes of the forward operations, wherever they are asked for. A value in Float64 is never
// converted. Within another Autocast, the inner one counts; Float32 turns it off. Other dtypes are a mistake.
//
// Loops, functions such as ops.Vmap, and layers of package nn may be built in it. Optimisers compute as always.
func (g *Graph) Autocast(t DType, build func()) {
	switch {
	case t.IsHalf():
	case t == Float32:
		t = InvalidDType
	default:
		RefusedIn(g, "Autocast", &Mistake{Code: CodeDType,
			Summary: fmt.Sprintf("Autocast lowers operations to BFloat16 or Float16, not to %s", t.GoName()),
			Help:    []string{"pass graph.BFloat16, or graph.Float32 to turn it off"}})
		t = g.autocast
	}
	outer := g.autocast
	g.autocast = t
	defer func() { g.autocast = outer }()
	if build != nil {
		build()
	}
}

// Begin converts the operands of a function of several operations as [Graph.Autocast] says, and turns it off until end
// is called: what the function builds of them takes them as they are. Operands may be nil. Nodes of a single operation
// are converted by its own rule. [AutocastKeeps] converts none.
func (r AutocastRule) Begin(operands ...**Node) (end func()) {
	var g *Graph
	for _, x := range operands {
		if *x != nil && (*x).g != nil {
			g = (*x).g
			break
		}
	}
	if g == nil || !g.autocast.Valid() {
		return func() {}
	}
	values := make([]*Node, len(operands))
	for i, x := range operands {
		values[i] = *x
	}
	for i, x := range g.autocastAll(r, values) {
		*operands[i] = x
	}
	outer := g.autocast
	g.autocast = InvalidDType
	return func() { g.autocast = outer }
}

// Autocasted returns the dtype that a value of dtype t has as an operand of a product that is built now: t, but for
// Float32 within [Graph.Autocast].
func (g *Graph) Autocasted(t DType) DType {
	if g == nil || !g.autocast.Valid() || t != Float32 && !t.IsHalf() {
		return t
	}
	return g.autocast
}

// autocastAll returns operands as a rule asks. It changes none of the given slice.
func (g *Graph) autocastAll(rule AutocastRule, operands []*Node) []*Node {
	if g == nil || !g.autocast.Valid() || rule == AutocastKeeps {
		return operands
	}
	if rule == AutocastJoins {
		if !slices.ContainsFunc(operands, func(x *Node) bool { return x != nil && x.dtype == Float32 }) {
			return operands
		}
		rule = AutocastWidens
	}
	in := slices.Clone(operands)
	for i, x := range in {
		in[i] = g.autocasted(rule, x)
	}
	return in
}

// autocasted converts a floating-point value as a rule asks; numbers of [Num] take the dtype of the other operands.
func (g *Graph) autocasted(rule AutocastRule, x *Node) *Node {
	if _, isNumber := x.Literal(); x == nil || isNumber || !x.judged || x.dtype != Float32 && !x.dtype.IsHalf() {
		return x
	}
	switch rule {
	case AutocastLowers:
		return g.Convert(x, g.autocast)
	case AutocastWidens:
		return g.Convert(x, Float32)
	}
	return x
}
