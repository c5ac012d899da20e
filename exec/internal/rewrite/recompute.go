package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/scores"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// opAgain is a product that is computed once more, after its third operand.
var opAgain = &graph.Op{Name: "matmul_again", Func: "MatMul", Doc: "a product, once more, after another value.", Class: graph.Contract, MinIn: 3, MaxIn: 3, Waits: true,
	Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Attrs().(againAttrs).Shape }}

// IsAgain reports whether a node is a product that is computed once more.
func IsAgain(n *graph.Node) bool { return n.Op() == opAgain }

// againAttrs are the fixed arguments of opAgain: the shape of the result.
type againAttrs struct{ Shape graph.Shape }

// minAgainMatrix is the number of elements of a matrix from which on products are computed again, minLargeMatrix that from which on it takes long to go through one.
const (
	minAgainMatrix = 1 << 14
	minLargeMatrix = 1 << 16
)

// maxExamined bounds the products that are looked at, as the rest of the graph is for each; and
// maxRegion the values that are looked at to find a reduction.
const (
	maxExamined = 256
	maxRegion   = 64
)

// Recompute computes again what is computed from a product element by element, with reductions over its
// rows, and is used far apart: as the weights of attention are, by the product with the values and
// by the gradients. The reductions stay. So the matrix need not stay in memory until then, and both
// users can have it block by block.
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

// recomputer finds values that are used far apart.
type recomputer struct {
	u     *Program
	at    map[*graph.Node]*spreadProduct // by value
	users [][]*graph.Node                // by the numbers of values
	// shared is what is computed once more, by the first product with one of the values that are.
	shared map[*graph.Node]map[*graph.Node]*graph.Node
}

// spreadProduct is a product and what is computed from it.
type spreadProduct struct {
	product *graph.Node
	region  map[*graph.Node]bool        // itself, and values computed from it element by element
	late    map[*graph.Node]bool        // what depends on the first product with one of these
	again   map[*graph.Node]*graph.Node // what is computed once more, in the graph that is made
}

// isCandidate reports whether a node is a product that is worth computing again.
func (r *recomputer) isCandidate(n *graph.Node) bool {
	if n.Op().Class != graph.Contract || len(n.Operands()) != 2 || n.Rank() < 2 || n.In(0).Rank() < 2 || slices.Contains(r.u.Roots, n) {
		return false
	}
	terms, known := n.In(0).Shape()[n.In(0).Rank()-1].Int()
	if known && terms > scores.MostTerms {
		return false
	}
	return isMatrixOf(n, minAgainMatrix)
}

// areScores reports whether rows of what is computed from a product element by element are reduced, or it is a factor
// of another product while the first one is none with weights.
func (r *recomputer) areScores(product *graph.Node) bool {
	isProduct := scores.IsProduct(product)
	if r.users == nil {
		r.users = r.u.users()
	}
	list := []*graph.Node{product}
	for i := 0; i < len(list) && i < maxRegion; i++ {
		for _, n := range r.users[list[i].ID()] {
			switch {
			case n.Op().Class == graph.Reduce && n.Op().Axes != nil && slices.Equal(n.Op().Axes(n), []int{product.Rank() - 1}):
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

// examine notes the values computed from a product that are used both before and after the first
// product with one of them.
func (r *recomputer) examine(product *graph.Node) {
	p := &spreadProduct{product: product, region: map[*graph.Node]bool{product: true}, late: map[*graph.Node]bool{}}
	started := false
	var far []*graph.Node
	for _, n := range r.u.Graph.Nodes()[product.ID()+1:] {
		uses := p.standsBeside(n) && // all steps of it, which a loop keeps, are those of what the steps have
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
			if w := alias.Viewed(x); p.region[w] && r.canRepeat(p, w) && r.at[w] == nil && !slices.Contains(r.u.Roots, w) {
				r.at[w] = p
			}
		}
	}
}

// standsBeside reports whether a node and all that it reads stand in the body in which the product does, or around it. Where a
// loop ends it reads what its steps hand on: a product after that would be one of the step, which nothing outside can read.
func (p *spreadProduct) standsBeside(n *graph.Node) bool {
	_, isLoop := n.Loop()
	return !isLoop && n.Region() == p.product.Region()
}

// canRepeat reports whether a value can be computed again: it is the product or another one of its shape, or computed
// element by element from such products, from what is small, and from what lies in memory anyway.
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
		return w.Op().Class == graph.Elementwise && !analysis.CanFail(w) && !slices.ContainsFunc(w.Operands(), func(x *graph.Node) bool {
			return p.isLarge(x) && (alias.Viewed(x) != x || !can(x))
		})
	}
	return can(w)
}

// isLarge reports whether a value has the product's shape, and neither lies in memory anyway nor is computed from positions.
func (p *spreadProduct) isLarge(x *graph.Node) bool {
	v := alias.Viewed(x)
	return p.region[v] || x.Shape().Equal(p.product.Shape()) && v.Op().Class != graph.Source && !isGenerated(v)
}

// isGenerated reports whether a value is computed from positions and scalars.
func isGenerated(n *graph.Node) bool {
	if n.Rank() == 0 {
		return true
	}
	return n.Op().Class == graph.Elementwise && !slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool { return !isGenerated(x) })
}

// replace has what comes late take what is computed again.
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
			continue // the first product itself
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

// repeated computes a value once more, after another one. old is the value in the graph that is made, or
// a view of it.
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
