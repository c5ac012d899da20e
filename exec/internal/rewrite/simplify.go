package rewrite

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// rule replaces a node, given its operands in the new graph; nil leaves it as it is. Every rule holds for all values,
// including infinities, NaN and the sign of zero. It depends on what the operation states or does, never on its name:
// see graph.Op.
type rule struct {
	name string
	run  func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node
}

// identities are the rules for each class, tried in order.
var identities = map[graph.Class][]rule{
	graph.Elementwise: {{"f(x, e) = x", withoutIdentity}, {"f(f(x)) = x", undone},
		{"generated(c) = expand(c)", generatedAsConstant}},
	graph.Movement: {{"movement of a number to a number", movementOfNumber},
		{"movements that show a value as it is", shownAsItIs},
		{"value among nothing", paddedByNothing}, {"reshape of reshape", reshapeOfReshape},
		{"expand of expand", expandOfExpand}},
	graph.Reduce: {{"fold over no axes", foldOfNothing}},
	graph.Gather: {{"greatest of a value and what comes to its places", unitedWithItself}},
	graph.Contract: {{"column by row = product of each element with each", columnByRow},
		{"vector along rows = sum of products", vectorAlongRows},
		{"many small products = sums of products", manySmallProducts}, {
			"batch with one matrix = one product", matMulOfRows},
		{"one matrix with a batch of few columns = one product", matMulOfColumns}},
}

// Simplify applies the rules, exchanges the factors of products of which only the transpose is used, and moves
// broadcasts behind arithmetic: a value computed from repeated values is computed once and then repeated.
func Simplify(u *Program) error {
	written, uses, asked := analysis.WrittenMemory(u.Graph), u.usesOf(), u.askedOfSizes()
	simplified := func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if m := applyRules(next, n, in); m != nil {
			return m
		}
		if p := columnsOf(n, uses); p != nil {
			return transposedProduct(next, n, in, uses[p.In(1).ID()])
		}
		if n.Op().Class == graph.Movement && len(in) == 1 && uses[n.In(0).ID()] == 1 {
			return reshapedRows(n, in)
		}
		if n.Op().Class == graph.Reduce && len(in) == 1 && uses[n.In(0).ID()] == 1 {
			return sumOfProducts(n, in[0])
		}
		if n.Op().Class == graph.Elementwise {
			return withoutExpand(next, n, in)
		}
		return nil
	}
	u.Rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if len(written) > 0 && written[alias.Storage(n)] {
			return nil // written values stay in the user's memory
		}
		before := len(next.Requirements())
		r := simplified(next, n, in)
		if slices.ContainsFunc(next.Requirements()[before:], func(need graph.Requirement) bool {
			return !asked.covers(need)
		}) {
			return nil
		}
		return r
	})
	return nil
}

// asked is what is checked when sizes are bound: that two are equal, or can be broadcast. Replacements of a user's
// operation must not require more.
type asked map[graph.Requirement]bool

// askedOfSizes returns what the user's graph requires of sizes.
func (u *Program) askedOfSizes() asked {
	a := asked{}
	if len(u.UserRoots) > 0 {
		for _, need := range u.UserRoots[0].Graph().Requirements() {
			a[graph.Requirement{Kind: need.Kind, A: need.A, B: need.B}] = true
		}
	}
	return a
}

// covers reports whether a requirement is checked. Requirements that do not compare operands' sizes hold for every
// replacement.
func (a asked) covers(need graph.Requirement) bool {
	if need.Kind != graph.MustEqual && need.Kind != graph.MustBroadcast && need.Kind != graph.MustEqualOrOne {
		return true
	}
	for _, kind := range []graph.RequirementKind{need.Kind, graph.MustEqual} {
		isChecked := func(x, y graph.Dim) bool { return a[graph.Requirement{Kind: kind, A: x, B: y}] }
		if isChecked(need.A, need.B) || kind != graph.MustEqualOrOne && isChecked(need.B, need.A) {
			return true
		}
	}
	return false
}

// applyRules returns the result of the first rule that applies, or nil.
func applyRules(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	for _, r := range identities[n.Op().Class] {
		if m := r.run(next, n, in); m != nil && m.DType() == n.DType() && m.Shape().Equal(n.Shape()) {
			return m
		}
	}
	return nil
}

// withoutExpand lets an elementwise node read operands before they are expanded, since it broadcasts. If the result is
// then too small, it is expanded.
func withoutExpand(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	stripped := make([]*graph.Node, len(in))
	found := false
	for i, x := range in {
		stripped[i] = x
		for analysis.IsExpansion(stripped[i]) {
			stripped[i], found = stripped[i].In(0), true
		}
	}
	if !found {
		return nil
	}
	m := graph.Apply(n.Op(), n.Attrs(), stripped...)
	if m.Err() != nil || !m.Judged() {
		return nil
	}
	if simpler := applyRules(next, m, stripped); simpler != nil {
		m = simpler
	}
	if m.Shape().Equal(n.Shape()) {
		return m
	}
	if analysis.CanFail(n) {
		return nil // an expansion to no elements could not fail
	}
	if m = ops.Expand(m, n.Shape()...); m.Err() != nil {
		return nil
	}
	return m
}

// withoutIdentity returns one operand of a node if the other is the identity element.
func withoutIdentity(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if n.Op().Identity == nil || len(in) != 2 {
		return nil
	}
	for i, e := range in {
		x := in[1-i]
		if e.DType() != n.DType() || x.DType() != n.DType() {
			continue
		}
		if v, ok := n.Op().Identity(n.DType(), i); ok && isNumber(e, v) && x.Shape().Equal(n.Shape()) {
			return x
		}
	}
	return nil
}

// isNumber reports whether a node is the scalar v in its dtype, bit for bit.
func isNumber(x *graph.Node, v float64) bool {
	if _, ok := x.ScalarValue(); !ok {
		return false
	}
	value, whole := graph.NumberAt(x.ConstData(), 0)
	if x.DType() == graph.Int64 || x.DType() == graph.Uint64 {
		return value == v && int64(v) == whole // value may be rounded
	}
	return math.Float64bits(value) == math.Float64bits(v)
}

func isPlusZero(x *graph.Node) bool { return isNumber(x, 0) && x.DType() != graph.Bool }

// undone returns the operand of an operation that is applied twice and is its own inverse.
func undone(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if !n.Op().Involution || len(in) != 1 || in[0].Op() != n.Op() || !graph.SameAttrs(n.Attrs(), in[0].Attrs()) {
		return nil
	}
	if x := in[0].In(0); x.DType() == n.DType() && x.Shape().Equal(n.Shape()) {
		return x
	}
	return nil
}

// generatedAsConstant replaces a value of equal elements by an expanded scalar.
func generatedAsConstant(next *graph.Graph, n *graph.Node, _ []*graph.Node) *graph.Node {
	v, ok := analysis.Uniform(n)
	if !ok || !n.DType().IsFloat() && !fitsInteger(v) {
		return nil
	}
	c := next.Scalar(n.DType(), v)
	if n.Rank() == 0 {
		return c
	}
	return ops.Expand(c, n.Shape()...)
}

// fitsInteger reports whether a number has the same meaning in every integer dtype.
func fitsInteger(v float64) bool { return v == math.Trunc(v) && math.Abs(v) <= math.MaxInt32 }

func movementOfNumber(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if n.Op().View == nil || n.Shape().NumElements() != 1 {
		return nil
	}
	if _, ok := in[0].ScalarValue(); !ok {
		return nil
	}
	return graph.ConstantOf(next, in[0].ConstData(), n.Shape()...)
}

// shownAsItIs returns a value whose layout equals that of a view: the view's operand, or the operand below that.
func shownAsItIs(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if n.Op().View == nil || n.Op().Waits {
		return nil
	}
	shown, ok := n.Op().View(n, alias.LayoutOf(in[0]))
	if !ok {
		return nil
	}
	for x := in[0]; ; x = x.In(0) {
		if analysis.SameLayouts(shown, alias.LayoutOf(x)) {
			return x
		}
		if x != in[0] || !alias.IsView(x) || x.Op().Waits {
			return nil
		}
	}
}

func paddedByNothing(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if analysis.IsPadding(n) && in[0].Shape().Equal(n.Shape()) {
		return in[0]
	}
	return nil
}

func reshapeOfReshape(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if analysis.IsReshape(n) && analysis.IsReshape(in[0]) {
		return ops.Reshape(in[0].In(0), n.Shape()...)
	}
	return nil
}

func expandOfExpand(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if analysis.IsExpansion(n) && analysis.IsExpansion(in[0]) {
		return ops.Expand(in[0].In(0), n.Shape()...)
	}
	return nil
}

// A product with a vector along rows of fewer than shortRow bytes stays a product if there are at least manyRows rows:
// their sums are then computed in parallel. With at most fewTerms elements, someRows rows are enough: such a product
// needs no plan.
const (
	shortRow = 512
	manyRows = 16
	fewTerms = 16
	someRows = 4
)

// columnByRow replaces a product whose sums have one term by a broadcast one, which shares kernels with others. The sum
// of a product begins at 0, so it is never -0.
func columnByRow(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	a, b := in[0], in[1]
	if a.Rank() < 2 || b.Rank() < 2 || a.Shape()[a.Rank()-1] != 1 {
		return nil
	}
	if b.Shape()[b.Rank()-2] != 1 { // the size has a name, which must not meet that of the rows
		b = ops.Slice(b, -2, 0, 1, 1)
	}
	m := ops.Mul(a, b)
	if n.DType().IsFloat() {
		m = ops.Add(m, graph.Num(0.0))
	}
	return m
}

// vectorAlongRows replaces a product of a vector and the rows of a matrix, or another vector, by a sum if both are
// contiguous. Then lanes share a sum, which the order of a product's sums does not allow. Many vectors with one matrix
// are left to [matMulOfRows]: each would read the whole matrix.
func vectorAlongRows(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	a, b := in[0], in[1]
	rows, cols := graph.Dim(1), graph.Dim(1)
	if a.Rank() > 1 {
		rows = a.Shape()[a.Rank()-2]
	}
	if b.Rank() > 1 {
		cols = b.Shape()[b.Rank()-1]
	}
	if !n.DType().IsFloat() || rows != 1 && cols != 1 || !isContiguous(a, a.Rank()-1) ||
		!isContiguous(b, max(b.Rank()-2, 0)) {
		return nil
	}
	if rows == 1 && cols != 1 && b.Rank() == 2 && a.Rank() > 2 && a.Shape()[:a.Rank()-2].NumElements() != 1 &&
		alias.LayoutOf(a).IsDense() {
		return nil
	}
	switch {
	case rows == 1 && isLongBlocks(n, b):
		return nil // a product of one row has lanes too, and reads the integers where they are
	case cols == 1 && isLongBlocks(n, a):
		row := ops.Reshape(b, 1, b.Shape()[0])
		return ops.Reshape(ops.MatMul(row, ops.Transpose(a, 0, 1)), n.Shape()...)
	}
	if rows == 1 {
		rows = cols
	}
	terms := a.Shape()[a.Rank()-1]
	isShort := terms.IsConst() && int(terms)*n.DType().Size() < shortRow
	if isShort && (!rows.IsConst() || rows >= manyRows || rows >= someRows && terms <= fewTerms) {
		return nil
	}
	if b.Rank() > 1 {
		b = ops.Transpose(b, -1, -2)
	}
	sum := sumAlongRows(analysis.SkipIdentityViews(a), analysis.SkipIdentityViews(b))
	if sum.Shape().Equal(n.Shape()) {
		return sum
	}
	return ops.Reshape(sum, n.Shape()...)
}

// isContiguous reports whether adjacent elements along an axis are adjacent in memory.
func isContiguous(x *graph.Node, axis int) bool { return alias.LayoutOf(x).Strides[axis] == 1 }

// matMulOfRows multiplies a batch of matrices by one matrix, as one matrix of all rows.
func matMulOfRows(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	x := in[0]
	if x.Rank() <= 2 || in[1].Rank() != 2 || !alias.LayoutOf(x).IsDense() {
		return nil
	}
	last := x.Rank() - 1
	rows := ops.Reshape(x, x.Shape()[:last].NumElements(), x.Shape()[last])
	return ops.Reshape(ops.MatMul(rows, in[1]), n.Shape()...)
}

// foldOfNothing returns the operand of a reduction over no axes.
func foldOfNothing(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	switch n.Op().Fold {
	case graph.FoldSum, graph.FoldProd, graph.FoldMax, graph.FoldMin:
		if n.Op().Axes != nil && len(n.Op().Axes(n)) == 0 {
			return in[0]
		}
	}
	return nil
}
