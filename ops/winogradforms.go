package ops

import (
	"github.com/broadloom/broadloom/graph"
)

// winogradForm is F(m×m, 3×3) for one m: the matrices with which tiles of m×m places are computed. Each is applied
// along both axes of a tile.
type winogradForm struct {
	tile     int                       // m
	filters  [][winogradFilter]float64 // G, a row for each of the m+2 numbers
	ofSeen   *winogradMatrix           // Bᵀ
	ofGiven  *winogradMatrix           // A
	toPlaces *winogradMatrix           // Aᵀ
	// atOnce says that one kernel turns both axes, as all numbers of a tile fit into registers. Else one turns one axis
	// after the other.
	atOnce bool
	// What it costs, in nanoseconds: to turn one number of a tile of a channel, and all of a filter of a channel.
	numberCost, filterCost float64
}

// winogradMatrix is one of the matrices, by what each row makes of the elements of a vector.
type winogradMatrix struct {
	name  string
	rows  int
	times func(m arith, x []graph.Value, row int) graph.Value
}

// String names the matrix.
func (m *winogradMatrix) String() string { return m.name }

// winogradRow is a row of a matrix.
type winogradRow struct {
	Matrix *winogradMatrix
	Row    int
}

// opWinograd has one node where sums and products would have four: networks have thousands of them.
var opWinograd = &graph.Op{Name: "winograd", Func: "Conv2D",
	Doc: "A row of a matrix that turns tiles, times a vector of operands.", Class: graph.Elementwise,
	MinIn: 1, MaxIn: -1, Infer: sameType, Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
		r := n.Attrs().(winogradRow)
		return r.Matrix.times(arith{Emitter: e, t: n.DType()}, x, r.Row)
	}}

// of is the matrix times a vector.
func (m *winogradMatrix) of(x []node) []node {
	return list(m.rows, func(row int) node { return Apply(opWinograd, winogradRow{m, row}, x...) })
}

// side is the number of a tile's numbers along an axis.
func (f *winogradForm) side() int { return len(f.filters) }

// numbers is the number of a tile's numbers.
func (f *winogradForm) numbers() int { return f.side() * f.side() }

// tilesOf2 interpolates at 0, 1, -1 and infinity.
var tilesOf2 = &winogradForm{
	tile:    2,
	filters: [][winogradFilter]float64{{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}},
	ofSeen: &winogradMatrix{"seen of 2", 4, func(m arith, d []graph.Value, row int) graph.Value {
		switch row {
		case 0:
			return m.sub(d[0], d[2])
		case 1:
			return m.add(d[1], d[2])
		case 2:
			return m.sub(d[2], d[1])
		}
		return m.sub(d[1], d[3])
	}},
	toPlaces: &winogradMatrix{"places of 2", 2, func(m arith, p []graph.Value, row int) graph.Value {
		if row == 0 {
			return m.add(m.add(p[0], p[1]), p[2])
		}
		return m.sub(m.sub(p[1], p[2]), p[3])
	}},
	ofGiven: &winogradMatrix{"given of 2", 4, func(m arith, dy []graph.Value, row int) graph.Value {
		switch row {
		case 0:
			return dy[0]
		case 1:
			return m.add(dy[0], dy[1])
		case 2:
			return m.sub(dy[0], dy[1])
		}
		return m.Prim(graph.PrimNeg, dy[1])
	}},
	atOnce:     true,
	numberCost: 0.2,
	filterCost: 14,
}

// tilesOf4 interpolates at 0, a, -a, b, -b and infinity, with a = 3/4 and b = 3/2. Of the points tried, whose powers
// are exact in float32, these round best: 1 and 2, the usual ones, are off by twice as much. The errors are three times
// those of tilesOf2.
var tilesOf4 = &winogradForm{
	tile: 4,
	filters: [][winogradFilter]float64{
		{1 / (aa * bb), 0, 0},
		{1 / ofA, pointA / ofA, aa / ofA}, {1 / ofA, -pointA / ofA, aa / ofA},
		{1 / ofB, pointB / ofB, bb / ofB}, {1 / ofB, -pointB / ofB, bb / ofB},
		{0, 0, 1},
	},
	ofSeen: &winogradMatrix{"seen of 4", 6, func(m arith, d []graph.Value, row int) graph.Value {
		// The polynomials that are zero at all points but one: x⁴ - (a²+b²)x² + a²b² for 0, and x(x±a)(x²-b²) for ±a.
		if row == 0 || row == 5 {
			x := d[row%2:]
			return m.add(m.sub(m.mul(x[0], m.num(aa*bb)), m.mul(x[2], m.num(aa+bb))), x[4])
		}
		point, other := pointA, bb
		if row > 2 {
			point, other = pointB, aa
		}
		even, odd := m.sub(d[4], m.mul(d[2], m.num(other))), m.mul(m.sub(d[3], m.mul(d[1], m.num(other))), m.num(point))
		return m.ofPoint(row, even, odd)
	}},
	toPlaces: &winogradMatrix{"places of 4", 4, func(m arith, p []graph.Value, row int) graph.Value {
		x, y := m.ofPoint(row+1, p[1], p[2]), m.ofPoint(row+1, p[3], p[4])
		switch row {
		case 0:
			return m.add(m.add(p[0], x), y)
		case 1:
			return m.add(m.mul(x, m.num(pointA)), m.mul(y, m.num(pointB)))
		case 2:
			return m.add(m.mul(x, m.num(aa)), m.mul(y, m.num(bb)))
		}
		return m.add(m.add(m.mul(x, m.num(pointA*aa)), m.mul(y, m.num(pointB*bb))), p[5])
	}},
	ofGiven: &winogradMatrix{"given of 4", 6, func(m arith, dy []graph.Value, row int) graph.Value {
		if row == 0 || row == 5 {
			return dy[row/5*3]
		}
		point := pointA
		if row > 2 {
			point = pointB
		}
		even := m.add(dy[0], m.mul(dy[2], m.num(point*point)))
		odd := m.add(m.mul(dy[1], m.num(point)), m.mul(dy[3], m.num(point*point*point)))
		return m.ofPoint(row, even, odd)
	}},
	numberCost: 0.3,
	filterCost: 21,
}

// ofPoint is what a row has of the even and odd powers of a point: rows 1 and 3 are of positive points, 2 and 4 of
// these with the other sign.
func (m arith) ofPoint(row int, even, odd graph.Value) graph.Value {
	if row%2 == 1 {
		return m.add(even, odd)
	}
	return m.sub(even, odd)
}

// The points of tilesOf4, their squares, and the products of the distances of each to the others.
const (
	pointA, pointB = 0.75, 1.5
	aa, bb         = pointA * pointA, pointB * pointB
	ofA, ofB       = 2 * aa * (aa - bb), 2 * bb * (bb - aa)
)

// filterFactors is [numbers of a tile, numbers of a filter]: what each number of G g Gᵀ takes of each of g.
func (f *winogradForm) filterFactors(g *graph.Graph) node {
	var factors []float32
	for _, down := range f.filters {
		for _, across := range f.filters {
			for _, x := range down {
				for _, y := range across {
					factors = append(factors, float32(x*y))
				}
			}
		}
	}
	return graph.Constant(g, factors, graph.Dim(f.numbers()), winogradFilter*winogradFilter)
}

// onBothSides is T m Tᵀ, row by row, of a T that multiplies columns.
func onBothSides(t *winogradMatrix, m [][]node) (out []node) {
	half := make([][]node, len(m[0])) // columns of T m
	for j := range half {
		column := make([]node, len(m))
		for i := range m {
			column[i] = m[i][j]
		}
		half[j] = t.of(column)
	}
	for i := range half[0] {
		row := make([]node, len(half))
		for j := range half {
			row[j] = half[j][i]
		}
		out = append(out, t.of(row)...)
	}
	return out
}

// turnedAlong is T m of an m whose rows have an axis of size 1 where the result has that of its rows. As the rows have
// it, and not their results, as by Stack, the kernel that turns them stores results in place.
func turnedAlong(axis int, t *winogradMatrix, m []node) node { return Concat(axis, t.of(m)...) }

// rowsAlong are the rows of x along an axis, whose size is 1 in each.
func rowsAlong(x node, axis int) []node {
	rows, _ := x.Shape()[axis].Int()
	return list(int(rows), func(i int) node { return Slice(x, axis, graph.Dim(i), graph.Dim(i+1), 1) })
}

// list makes a list of n.
func list[T any](n int, at func(i int) T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = at(i)
	}
	return all
}
