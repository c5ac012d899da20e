package ops

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

var opProdOthers *graph.Op

// OthersAttrs are the fixed arguments of the gradient of Prod: the axes of the product, counted from 0, in ascending
// order.
type OthersAttrs struct{ Axes []int }

func init() {
	// The product is linear in each element, so that all its derivatives are of one form. With
	// operands x and d1…dm, element k is the sum, over all choices of m elements i1…im that
	// differ from each other and from k, of d1[i1]·…·dm[im] times the product of all elements
	// of x that are left. Its gradient exchanges the gradient that arrives for one of d1…dm, or
	// adds it to them.
	opProdOthers = define(graph.Op{
		Name: "prod_others", Func: "prodOthers",
		Doc:   "the product of all other elements over axes, with some of them replaced by those of further operands, in all ways.",
		Class: graph.Composite, MinIn: 1, MaxIn: -1,
		Infer:  func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
		Expand: expandOthers,
		Grad: func(n, dy node, i int) node {
			in := slices.Clone(n.Operands())
			if i == 0 {
				in = append(in, dy)
			} else {
				in[i] = dy
			}
			return Apply(opProdOthers, n.Attrs(), in...)
		},
	})
}

// prodGrad is the gradient times the product of all other elements.
func prodGrad(n, dy node, _ int) node {
	return Mul(keepShape(n, dy), Apply(opProdOthers, OthersAttrs{Axes(n)}, n.In(0)))
}

func expandOthers(n *graph.Node, in []*graph.Node) *graph.Node {
	axes := n.Attrs().(OthersAttrs).Axes
	if len(in) == 1 {
		p := othersOf(in[0], axes)
		return Where(p.noZero(), p.quotient, p.beside())
	}
	lines := make([]node, len(in))
	var perm []int
	for i, x := range in {
		lines[i], perm = asLines(x, axes)
	}
	y := replaced(lines[0], lines[1])
	if len(in) > 2 {
		y = replacedAgain(lines)
	}
	shape := make(graph.Shape, n.Rank())
	for i, axis := range perm {
		shape[i] = n.Shape()[axis]
	}
	return Permute(Reshape(y, shape...), inverse(perm)...)
}

// asLines moves axes to the end and makes one of them; perm is where each axis was.
func asLines(x node, axes []int) (lines node, perm []int) {
	size, shape := graph.Dim(1), graph.Shape{}
	for axis, d := range x.Shape() {
		if slices.Contains(axes, axis) {
			size = size.Times(d)
		} else {
			perm, shape = append(perm, axis), append(shape, d)
		}
	}
	perm = append(perm, axes...)
	return Reshape(Permute(x, perm...), append(shape, size)...), perm
}

// others are the products of all other elements, by division: zeros are left out of the
// product and counted instead.
type others struct {
	isZero, nonZero node
	counts          node // of the other elements: the zeros, and infinityUnit times those that are not finite
	quotient        node // the product of those of the other elements that are not 0
}

// infinityUnit is what an infinite element or a NaN counts, beside the 1 of a zero: above the number of elements.
const infinityUnit = 1 << 40

func othersOf(x node, axes []int) others {
	keep := ReduceAttrs{Axes: axes, KeepDims: true}
	isZero := Equal(x, num(0))
	count := countedZeros(x, isZero)
	nonZero := Where(isZero, num(1), x)
	return others{isZero, nonZero, Sub(Apply(opSum, keep, count), count), Div(Apply(opProd, keep, nonZero), nonZero)}
}

// countedZeros is 1 for a zero, infinityUnit for an infinite element or a NaN, and 0 for others: one sum counts both.
func countedZeros(x, isZero node) node {
	return Where(isZero, num64(1), Where(Less(Abs(x), num(inf)), num64(0), num64(infinityUnit)))
}

func (p others) zeros() node   { return BitAnd(p.counts, num64(infinityUnit-1)) }
func (p others) noZero() node  { return Equal(p.zeros(), num64(0)) }
func (p others) oneZero() node { return Equal(p.zeros(), num64(1)) }

// beside is the product where a zero is among the other elements: NaN where an infinite one or a NaN is, too.
func (p others) beside() node { return besideZero(p.counts) }

func besideZero(counts node) node {
	return Where(Less(counts, num64(infinityUnit)), num(0), num(math.NaN()))
}

// replaced is the sum, over each other element of a line, of what the product of the others
// is with d in its place. One zero among them must be the one that d replaces. Sums leave
// element k out from the beginning: a difference would lose what is small beside it.
func replaced(x, d node) node {
	axis := x.Rank() - 1
	p := othersOf(x, []int{axis})
	regular := Mul(p.quotient, sumOfOthers(Div(d, p.nonZero), axis))
	single := Mul(p.quotient, sumOfOthers(Where(p.isZero, d, num(0)), axis))
	// all products that a zero is left in have another factor that is left, unless there are but two others
	hidden := p.beside()
	if size := x.Shape()[axis]; size.IsConst() && size <= 3 {
		hidden = num(0)
	} else if !size.IsConst() {
		hidden = Where(Greater(Size(x.Graph(), graph.Int64, size), num64(3)), hidden, num(0))
	}
	return Where(p.noZero(), regular, Add(Where(p.oneZero(), single, num(0)), hidden))
}

// sumOfOthers adds up all other elements along an axis.
func sumOfOthers(x node, axis int) node {
	before := func(x node) node {
		return Slice(Pad(CumSum(x, axis), axis, 1, 0, 0), axis, 0, x.Shape()[axis], 1)
	}
	return Add(before(x), Flip(before(Flip(x, axis)), axis))
}

// replacedAgain takes the first of some replacements element by element: in the line for
// element k, k itself is out of the product, and the others are replaced among what is left.
// The cost grows with the square of the line's length for the third derivative, and with a
// further power for each one after it.
func replacedAgain(lines []node) node {
	axis := lines[0].Rank() - 1
	size := lines[0].Shape()[axis]
	square := append(slices.Clone(lines[0].Shape()), size)
	itself := Equal(Iota(lines[0].Graph(), 0, size, size), Iota(lines[0].Graph(), 1, size, size))
	without := func(x node, value float64) node {
		return Where(itself, num(value), Expand(Unsqueeze(x, axis), square...))
	}
	rest := []node{without(lines[0], 1)}
	for _, d := range lines[2:] {
		rest = append(rest, without(d, 0))
	}
	chosen := Mul(without(lines[1], 0), Apply(opProdOthers, OthersAttrs{[]int{axis + 1}}, rest...))
	return Apply(opSum, ReduceAttrs{Axes: []int{axis + 1}}, Where(itself, num(0), chosen))
}
