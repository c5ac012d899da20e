package ops

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
)

// creating begins a call of a function that makes a value in a graph without operands.
func creating(g *graph.Graph, fn string, args ...any) (end func()) {
	return g.BeginCall(fn, written(args))
}

// Ones returns a value of the given shape filled with 1.
func Ones(g *graph.Graph, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer creating(g, "Ones", append([]any{"graph." + t.GoName()}, shapeWords(shape)...)...)()
	return Full(g, t, 1, shape...)
}

// OnesLike returns a value of x's shape and dtype filled with 1.
func OnesLike(x *graph.Node) *graph.Node {
	defer building("OnesLike", x)()
	if x == nil || !x.Judged() {
		return refusal(refused("OnesLike", x), nil)
	}
	return FullLike(x, 1)
}

// UniformLike is [Uniform] with x's shape and dtype.
func UniformLike(seed, x *graph.Node) *graph.Node { return like("UniformLike", seed, x, Uniform) }

// NormalLike is [Normal] with x's shape and dtype.
func NormalLike(seed, x *graph.Node) *graph.Node { return like("NormalLike", seed, x, Normal) }

func like(fn string, seed, x node, draw func(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node) node {
	defer building(fn, seed, x)()
	if x == nil || !x.Judged() {
		return refusal(refused(fn, seed, x), nil)
	}
	return draw(seed, x.DType(), x.Shape()...).MarkLike(x)
}

// Arange returns start, start + step, … up to, but not including, stop, in dtype t.
func Arange(g *graph.Graph, t graph.DType, start, stop, step float64) *graph.Node {
	defer creating(g, "Arange", "graph."+t.GoName(), start, stop, step)()
	count := math.Ceil((stop - start) / step)
	if step == 0 || math.IsNaN(count) || count > math.MaxInt32 || t == graph.Bool {
		return badRange(g, "Arange", fmt.Sprintf(
			"there is no range from %v to %v with step %v in %s", start, stop, step, t))
	}
	return spaced(g, t, start, step, graph.Dim(max(count, 0)))
}

// spaced is start + step*i for i below a size. Whole numbers are computed as such.
func spaced(g *graph.Graph, t graph.DType, start, step float64, size graph.Dim) node {
	place := Iota(g, 0, size)
	if t.IsInt() && isWhole(start) && isWhole(step) {
		return Cast(Add(Mul(place, num64(int64(step))), num64(int64(start))), t)
	}
	wide := Add(Mul(Cast(place, graph.Float64), num(step)), num(start))
	return Cast(wide, t)
}

// badRange is the node of a range that cannot be made.
func badRange(g *graph.Graph, fn, why string) node {
	return graph.RefusedIn(g, fn, &graph.Mistake{Code: graph.CodeOperand, Summary: why})
}

// Linspace returns steps evenly spaced numbers from start to stop, both included. The second half is computed from
// stop backwards, as in PyTorch, so that stop is exact. For integer dtypes start, stop and the results are truncated.
func Linspace(g *graph.Graph, t graph.DType, start, stop float64, steps graph.Dim) *graph.Node {
	defer creating(g, "Linspace", "graph."+t.GoName(), start, stop, steps)()
	if !t.IsFloat() {
		if !t.IsInt() {
			return badRange(g, "Linspace", fmt.Sprintf("Linspace needs a numeric dtype, not %s", t))
		}
		start, stop = math.Trunc(start), math.Trunc(stop)
	}
	place := Cast(Iota(g, 0, steps), graph.Float64)
	last := Cast(Sub(Size(g, graph.Int64, steps), num64(1)), graph.Float64)
	width := Div(num(stop-start), ClampMin(last, 1))
	front := Add(Mul(place, width), num(start))
	back := Sub(num(stop), Mul(Sub(last, place), width))
	firstHalf := Or(Less(place, Mul(Add(last, num(1)), num(0.5))), Equal(last, num(0)))
	return Cast(Where(firstHalf, front, back), t)
}

// Logspace returns base to the powers of [Linspace]. For integer dtypes start, stop and the results are truncated.
func Logspace(g *graph.Graph, t graph.DType, start, stop float64, steps graph.Dim, base float64) *graph.Node {
	defer creating(g, "Logspace", "graph."+t.GoName(), start, stop, steps, base)()
	if !t.IsFloat() {
		if !t.IsInt() {
			return badRange(g, "Logspace", fmt.Sprintf("Logspace needs a numeric dtype, not %s", t))
		}
		start, stop = math.Trunc(start), math.Trunc(stop)
	}
	return Cast(Pow(num(base), Linspace(g, graph.Float64, start, stop, steps)), t)
}

// Eye returns a matrix of n rows and m columns with 1 on its main diagonal and 0 elsewhere.
func Eye(g *graph.Graph, t graph.DType, n, m graph.Dim) *graph.Node {
	defer creating(g, "Eye", "graph."+t.GoName(), n, m)()
	return Cast(Equal(Iota(g, 0, n, m), Iota(g, 1, n, m)), t)
}

// Tri returns a matrix of n rows and m columns with 1 on and below a diagonal, and 0 elsewhere. Diagonal 0 is the
// main one.
func Tri(g *graph.Graph, t graph.DType, n, m graph.Dim, diagonal int) *graph.Node {
	defer creating(g, "Tri", "graph."+t.GoName(), n, m, diagonal)()
	return Cast(LessEqual(Sub(Iota(g, 1, n, m), Iota(g, 0, n, m)), graph.Num(diagonal)), t)
}

// TrilIndices returns the row and column indices, Int64, of the elements on and below a diagonal of a matrix, in
// row-major order. There may be up to 2^16 elements.
func TrilIndices(g *graph.Graph, rows, columns, diagonal int) (row, column *graph.Node) {
	defer creating(g, "TrilIndices", rows, columns, diagonal)()
	return triangleIndices(g, "TrilIndices", rows, columns, func(i, j int) bool { return j-i <= diagonal })
}

// TriuIndices returns the row and column indices, Int64, of the elements on and above a diagonal of a matrix, in
// row-major order. There may be up to 2^16 elements.
func TriuIndices(g *graph.Graph, rows, columns, diagonal int) (row, column *graph.Node) {
	defer creating(g, "TriuIndices", rows, columns, diagonal)()
	return triangleIndices(g, "TriuIndices", rows, columns, func(i, j int) bool { return j-i >= diagonal })
}

// maxTriangle bounds the elements of a matrix whose triangle is listed.
const maxTriangle = 1 << 16

func triangleIndices(g *graph.Graph, fn string, rows, columns int, inside func(i, j int) bool) (row, column node) {
	if rows < 0 || columns < 0 || rows > maxTriangle || columns > maxTriangle ||
		int64(rows)*int64(columns) > maxTriangle {
		bad := badRange(g, fn,
			fmt.Sprintf("a matrix of %d rows and %d columns is too large: its triangle may have up to 2^16 elements",
				rows, columns))
		return bad, bad
	}
	var is, js []int64
	for i := range rows {
		for j := range columns {
			if inside(i, j) {
				is, js = append(is, int64(i)), append(js, int64(j))
			}
		}
	}
	size := graph.Dim(len(is))
	return graph.Constant(g, is, size), graph.Constant(g, js, size)
}

// Meshgrid returns, for vectors of sizes n0, n1, …, values of shape [n0, n1, …]. Each holds the elements of one
// vector along its own axis. It is PyTorch's meshgrid with indexing "ij".
func Meshgrid(xs ...*graph.Node) []*graph.Node {
	args := make([]any, len(xs))
	for i, x := range xs {
		args[i] = x
	}
	defer building("Meshgrid", args...)()
	call := refused("Meshgrid", xs...)
	shape := make(graph.Shape, len(xs))
	for i, x := range xs {
		switch {
		case x == nil || !x.Judged():
			return []*graph.Node{refusal(call, nil)}
		case x.Graph() == nil || x.Rank() != 1:
			return []*graph.Node{
				refusal(call, &graph.Mistake{Code: graph.CodeRank,
					Summary: fmt.Sprintf("a grid needs vectors, but %s has shape %s", x.Called(), x.Shape())})}
		}
		shape[i] = x.Shape()[0]
	}
	grids := make([]*graph.Node, len(xs))
	for i, x := range xs {
		own := make(graph.Shape, len(xs))
		for k := range own {
			own[k] = 1
		}
		own[i] = shape[i]
		grids[i] = Expand(Reshape(x, own...), shape...)
	}
	return grids
}

// DiagEmbed returns matrices with the vectors along the last axis of x on a diagonal, and 0 elsewhere. Diagonal 0 is
// the main one. For a vector [n] it returns one matrix, like PyTorch's diag.
func DiagEmbed(x *graph.Node, diagonal int) *graph.Node {
	defer building("DiagEmbed", x, diagonal)()
	if bad := notNodes(refused("DiagEmbed", x).with(diagonal)); bad != nil {
		return bad
	}
	if x.Rank() == 0 {
		return refusal(refused("DiagEmbed", x).with(diagonal),
			&graph.Mistake{Code: graph.CodeRank,
				Summary: "a diagonal is made of vectors, and " + x.Called() + " is a scalar"})
	}
	if t := x.DType(); !t.IsFloat() || t.IsStorage() { // no gradients
		return diagonalMatrix(x, diagonal)
	}
	return WithGradient("DiagEmbed", []node{x},
		func(in []node) node { return diagonalMatrix(in[0], diagonal) },
		func(_, dy node, _ []node) []node { return []node{Diagonal(dy, diagonal, -2, -1)} })
}

// diagonalMatrix has the vectors of x on a diagonal.
func diagonalMatrix(x node, diagonal int) node {
	away := graph.Dim(max(diagonal, -diagonal))
	size := x.Shape()[x.Rank()-1].Plus(away)
	row, column := Iota(x.Graph(), 0, size, size), Iota(x.Graph(), 1, size, size)
	// a comparison with a number for each row is that of narrow indices
	onIt := Equal(column, Add(row, graph.Num(diagonal))).Silence(graph.CodeMutualExpand)
	before, after := graph.Dim(0), away
	if diagonal > 0 {
		before, after = away, 0
	}
	spread := Unsqueeze(Pad(x, -1, before, after, 0), -2)
	return Where(onIt, spread, Zeros(x.Graph(), x.DType())).Silence(graph.CodeMutualExpand)
}

// maxPowers bounds the nodes of a matrix of powers.
const maxPowers = 1024

// Vander returns the matrix whose row i has the powers of x[i] from columns-1 down to 0, or if increasing, from 0 up.
// Powers of integers are Int64.
func Vander(x *graph.Node, columns int, increasing bool) *graph.Node {
	defer building("Vander", x, columns, increasing)()
	call := refused("Vander", x).with(columns, increasing)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if x.Rank() != 1 || columns < 0 || columns > maxPowers {
		return refusal(call, &graph.Mistake{Code: graph.CodeRank,
			Summary: fmt.Sprintf("Vander needs a vector and 0 to %d columns, but got shape %s and %d columns",
				maxPowers, x.Shape(), columns)})
	}
	if t := x.DType(); !t.IsFloat() && t != graph.Uint64 {
		x = Cast(x, graph.Int64)
	}
	if columns == 0 {
		return Zeros(x.Graph(), x.DType(), x.Shape()[0], 0)
	}
	powers := make([]node, columns)
	powers[0] = OnesLike(x)
	for k := 1; k < columns; k++ {
		powers[k] = Mul(powers[k-1], x)
	}
	matrix := Stack(1, powers...)
	if !increasing {
		matrix = Flip(matrix, 1)
	}
	return matrix
}

func init() {
	inGraph := func(name, doc, numpy, torch, jax, onnx string, f func(e *graph.Example) node) {
		composed(name, doc, flat(noSlope, numpy, torch, jax, onnx, "", f))
	}
	inGraph("Ones", "1 in every place.", "numpy.ones", "torch.ones", "jax.numpy.ones", "ConstantOfShape",
		func(e *graph.Example) node { return Ones(e.Graph, e.DType, e.Shape("n", "k")...) })
	inGraph("OnesLike", "1 in every position of x.", "numpy.ones_like", "torch.ones_like", "jax.numpy.ones_like", "",
		func(e *graph.Example) node { return OnesLike(e.Of("x", "n")) })
	inGraph("UniformLike", "uniformly distributed numbers in every position of x.", "", "torch.rand_like", "",
		"RandomUniformLike",
		func(e *graph.Example) node { return UniformLike(e.As(graph.Int64, "seed"), e.Of("x", "n")) })
	inGraph("NormalLike", "numbers from the normal distribution in every position of x.", "", "torch.randn_like", "",
		"RandomNormalLike",
		func(e *graph.Example) node { return NormalLike(e.As(graph.Int64, "seed"), e.Of("x", "n")) })
	inGraph("Arange", "start, start + step, … before stop.", "numpy.arange, numpy.indices", "torch.arange",
		"jax.numpy.arange", "Range",
		func(e *graph.Example) node { return Arange(e.Graph, e.DType, 0, 10, 3) })
	inGraph("Linspace", "evenly spaced numbers from start to stop.", "numpy.linspace", "torch.linspace",
		"jax.numpy.linspace", "",
		func(e *graph.Example) node { return Linspace(e.Graph, e.DType, 0, 1, e.Shape("n")[0]) })
	inGraph("Logspace", "base to the powers of evenly spaced numbers.", "numpy.logspace", "torch.logspace",
		"jax.numpy.logspace", "",
		func(e *graph.Example) node { return Logspace(e.Graph, e.DType, 0, 3, e.Shape("n")[0], 10) })
	inGraph("Eye", "1 on the diagonal, 0 elsewhere.", "numpy.eye, numpy.identity", "torch.eye",
		"jax.numpy.eye, jax.numpy.identity", "EyeLike",
		func(e *graph.Example) node { s := e.Shape("n", "m"); return Eye(e.Graph, e.DType, s[0], s[1]) })
	inGraph("Tri", "1 on and below a diagonal, 0 elsewhere.", "numpy.tri", "", "jax.numpy.tri", "",
		func(e *graph.Example) node { s := e.Shape("n", "m"); return Tri(e.Graph, e.DType, s[0], s[1], 0) })
	inGraph("TrilIndices", "the places on and below a diagonal.", "numpy.tril_indices", "torch.tril_indices",
		"jax.numpy.tril_indices, jax.numpy.tril_indices_from", "",
		func(e *graph.Example) node { return e.Several(TrilIndices(e.Graph, 3, 3, 0)) })
	inGraph("TriuIndices", "the places on and above a diagonal.", "numpy.triu_indices", "torch.triu_indices",
		"jax.numpy.triu_indices, jax.numpy.triu_indices_from", "",
		func(e *graph.Example) node { return e.Several(TriuIndices(e.Graph, 3, 3, 0)) })
	composed("Meshgrid", "each vector along its own axis of a grid.",
		named("numpy.meshgrid", "torch.meshgrid", "jax.numpy.meshgrid", "", "",
			func(e *graph.Example) node { return e.Several(Meshgrid(e.Of("x", "n"), e.Of("y", "m"))...) }))
	composed("DiagEmbed", "vectors on the diagonals of matrices.",
		named("numpy.diag", "torch.diag_embed, torch.diag", "jax.numpy.diag", "", "",
			func(e *graph.Example) node { return DiagEmbed(e.Of("x", "n", "k"), 1) }))
	composed("Vander", "the powers of each element in a row.",
		named("numpy.vander", "torch.vander, torch.linalg.vander", "jax.numpy.vander", "", "",
			func(e *graph.Example) node { return Vander(e.Of("x", "n"), 3, true) }))
}
