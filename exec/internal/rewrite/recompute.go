package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/scores"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// opAgain is a recomputed product, which runs after its third operand.
var opAgain = &graph.Op{Name: "matmul_again", Func: "MatMul", Doc: "a product, once more, after another value.",
	Class: graph.Contract, MinIn: 3, MaxIn: 3, Waits: true,
	Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Attrs().(againAttrs).Shape }}

// IsAgain reports whether a node is a recomputed product.
func IsAgain(n *graph.Node) bool { return n.Op() == opAgain }

// againAttrs are the fixed arguments of opAgain: the shape of the result.
type againAttrs struct{ Shape graph.Shape }

// minAgainMatrix is the number of elements from which a matrix of a product is worth recomputing, and minLargeMatrix
// the number from which it takes long to traverse one.
const (
	minAgainMatrix = 1 << 14
	minLargeMatrix = 1 << 16
)

// maxExamined limits how many products are examined: each examination visits the rest of the graph. maxRegion limits
// how many values are searched for a reduction.
const (
	maxExamined = 256
	maxRegion   = 64
)

// Recompute recomputes values that are computed elementwise from a product and its row reductions, if their uses are
// far apart. Weights of attention are such values: the product with the values uses them, and so do the gradients. The
// reductions are kept. So the matrix need not stay in memory in between, and both users can read it block by block.
func Recompute(u *Program) error {
	r := recomputer{u: u, at: map[*graph.Node]*spreadProduct{}, shared: map[*graph.Node]map[*graph.Node]*graph.Node{}}
	examined := 0
	for _, n := range u.Graph.Nodes() {
		if r.isCandidate(n) && examined < maxExamined && r.areScores(n) {
			r.examine(n)
			examined++
		}
	}
	if len(r.at) == 0 {
		return nil
	}
	u.Rewrite(r.replace)
	return nil
}

// recomputer finds values whose uses are far apart.
type recomputer struct {
	u     *Program
	at    map[*graph.Node]*spreadProduct // by value
	users [][]*graph.Node                // by node ID
	// shared has the recomputed values, by the first product that uses one of them.
	shared map[*graph.Node]map[*graph.Node]*graph.Node
}

// spreadProduct is a product and the values computed from it.
type spreadProduct struct {
	product *graph.Node
	region  map[*graph.Node]bool        // the product, and values computed from it elementwise
	late    map[*graph.Node]bool        // values that depend on the first product with one of these
	again   map[*graph.Node]*graph.Node // the recomputed values, in the new graph
}

// isCandidate reports whether a node is a product that is worth recomputing.
func (r *recomputer) isCandidate(n *graph.Node) bool {
	if n.Op().Class != graph.Contract || len(n.Operands()) != 2 || n.Rank() < 2 || n.In(0).Rank() < 2 ||
		slices.Contains(r.u.Roots, n) {
		return false
	}
	terms, known := n.In(0).Shape()[n.In(0).Rank()-1].Int()
	if known && terms > scores.MostTerms {
		return false
	}
	return isMatrixOf(n, minAgainMatrix)
}

// areScores reports whether values computed elementwise from a product are reduced along rows. If the product is not
// one with weights, it also suffices that such a value is a factor of another product.
func (r *recomputer) areScores(product *graph.Node) bool {
	isProduct := scores.IsProduct(product)
	if r.users == nil {
		r.users = r.u.users()
	}
	list := []*graph.Node{product}
	for i := 0; i < len(list) && i < maxRegion; i++ {
		for _, n := range r.users[list[i].ID()] {
			switch {
			case n.Op().Class == graph.Reduce && n.Op().Axes != nil &&
				slices.Equal(n.Op().Axes(n), []int{product.Rank() - 1}):
				return true
			case n.Op().Class == graph.Elementwise && n.Shape().Equal(product.Shape()) && !slices.Contains(list, n):
				list = append(list, n)
			case isProduct && i > 0 && (n.Op().Class == graph.Contract || alias.IsView(n) && isFactor(r.users, n)):
				return true
			}
		}
	}
	return false
}

// examine finds the values computed from a product that are used both before and after the first product with one of
// them.
func (r *recomputer) examine(product *graph.Node) {
	p := &spreadProduct{product: product, region: map[*graph.Node]bool{product: true}, late: map[*graph.Node]bool{}}
	started := false
	var far []*graph.Node
	for _, n := range r.u.Graph.Nodes()[product.ID()+1:] {
		uses := p.standsBeside(n) && // stacks of loops do not count
			slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool { return p.region[alias.Viewed(x)] })
		switch {
		case slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool { return p.late[x] }):
			p.late[n] = true
			if uses && !alias.IsView(n) {
				far = append(far, n)
			}
		case !uses || alias.IsView(n):
		case n.Op().Class == graph.Contract && !started:
			started, p.late[n] = true, true
			if r.shared[n] == nil {
				r.shared[n] = map[*graph.Node]*graph.Node{}
			}
			p.again = r.shared[n]
		case n.Op().Class == graph.Elementwise && n.Shape().Equal(product.Shape()) && !analysis.CanFail(n):
			p.region[n] = true
		}
	}
	for _, n := range far {
		for _, x := range n.Operands() {
			if w := alias.Viewed(x); p.region[w] && r.canRepeat(p, w) && r.at[w] == nil &&
				!slices.Contains(r.u.Roots, w) {
				r.at[w] = p
			}
		}
	}
}

// standsBeside reports whether a node is in the product's region, and is not part of a loop's boundary. The end of a
// loop reads what its steps hand on: a product after that would belong to the step, and nothing outside could read it.
func (p *spreadProduct) standsBeside(n *graph.Node) bool {
	_, isLoop := n.Loop()
	return !isLoop && n.Region() == p.product.Region()
}

// canRepeat reports whether a value can be recomputed. It must be the product or another one of its shape, or computed
// elementwise from such products, small values, and values that are in memory anyway.
func (r *recomputer) canRepeat(p *spreadProduct, w *graph.Node) bool {
	left := maxRegion
	var can func(w *graph.Node) bool
	can = func(w *graph.Node) bool {
		if left--; left < 0 || w.Region() != p.product.Region() {
			return false
		}
		if w.Op().Class == graph.Contract {
			return w == p.product || r.isCandidate(w)
		}
		return w.Op().Class == graph.Elementwise && !analysis.CanFail(w) &&
			!slices.ContainsFunc(w.Operands(), func(x *graph.Node) bool {
				return p.isLarge(x) && (alias.Viewed(x) != x || !can(x))
			})
	}
	return can(w)
}

// isLarge reports whether a value has the product's shape, is not in memory anyway, and is not computed from positions.
func (p *spreadProduct) isLarge(x *graph.Node) bool {
	v := alias.Viewed(x)
	return p.region[v] || x.Shape().Equal(p.product.Shape()) && v.Op().Class != graph.Source && !isGenerated(v)
}

// isGenerated reports whether a value is computed from positions and scalars.
func isGenerated(n *graph.Node) bool {
	if n.Rank() == 0 {
		return true
	}
	return n.Op().Class == graph.Elementwise &&
		!slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool { return !isGenerated(x) })
}

// replace makes late nodes read recomputed values.
func (r *recomputer) replace(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if alias.IsView(n) {
		return nil
	}
	replaced := false
	for i, x := range n.Operands() {
		p := r.at[alias.Viewed(x)]
		if p == nil || !p.late[n] || !p.standsBeside(n) {
			continue
		}
		after := slices.IndexFunc(n.Operands(), func(y *graph.Node) bool { return p.late[y] })
		if after < 0 {
			continue // n is the first product itself
		}
		made := r.repeated(next, p, alias.Viewed(x), in[i], in[after])
		if made == nil {
			continue
		}
		in[i], replaced = alias.ShowAs(alias.ViewsOf(x), made), true
	}
	if !replaced {
		return nil
	}
	return next.Copy(n, in)
}

// repeated recomputes a value after another one. old is the value's counterpart in the new graph, or a view of it.
func (r *recomputer) repeated(next *graph.Graph, p *spreadProduct, w, old, after *graph.Node) *graph.Node {
	if known := p.again[w]; known != nil {
		return known
	}
	old = alias.Viewed(old)
	if w.Op().Class == graph.Contract {
		p.again[w] = graph.Apply(opAgain, againAttrs{w.Shape()}, old.In(0), old.In(1), after)
		return p.again[w]
	}
	in := slices.Clone(old.Operands())
	for i, x := range w.Operands() {
		switch {
		case p.isLarge(x):
			in[i] = r.repeated(next, p, x, in[i], after)
		case x.Rank() > 0 && isGenerated(x):
			in[i] = rematerialized(next, x, in[i], p.again)
		}
	}
	p.again[w] = next.Copy(old, in)
	return p.again[w]
}
