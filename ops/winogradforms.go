package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// winogradForm is F(m×m, 3×3) for one m: the matrices with which tiles of m×m places are computed. Each is applied along both axes of a tile.
type winogradForm struct {
	tile     int                       // m
	filters  [][winogradFilter]float64 // G, a row for each of the m+2 numbers
	ofSeen   func(d []node) []node     // Bᵀ d
	ofGiven  func(dy []node) []node    // A dy
	toPlaces func(p []node) []node     // Aᵀ p
	// atOnce says that one kernel turns both axes, as all numbers of a tile fit into registers. Else one turns one axis after the other.
	atOnce bool
	// What it costs, in nanoseconds: to turn one number of a tile of a channel, and all of a filter of a channel.
	numberCost, filterCost float64
}

// side is the number of a tile's numbers along an axis.
func (f *winogradForm) side() int { return len(f.filters) }

// numbers is the number of a tile's numbers.
func (f *winogradForm) numbers() int { return f.side() * f.side() }

// tilesOf2 interpolates at 0, 1, -1 and infinity.
var tilesOf2 = &winogradForm{
	tile:    2,
	filters: [][winogradFilter]float64{{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}},
	ofSeen: func(d []node) []node {
		return []node{Sub(d[0], d[2]), Add(d[1], d[2]), Sub(d[2], d[1]), Sub(d[1], d[3])}
	},
	toPlaces: func(p []node) []node {
		return []node{Add(Add(p[0], p[1]), p[2]), Sub(Sub(p[1], p[2]), p[3])}
	},
	ofGiven: func(dy []node) []node {
		return []node{dy[0], Add(dy[0], dy[1]), Sub(dy[0], dy[1]), Neg(dy[1])}
	},
	atOnce:     true,
	numberCost: 0.2,
	filterCost: 14,
}

// tilesOf4 interpolates at 0, a, -a, b, -b and infinity, with a = 3/4 and b = 3/2. Of the points tried, whose powers are exact in float32, these round best:
// 1 and 2, the usual ones, are off by twice as much. The errors are three times those of tilesOf2.
var tilesOf4 = &winogradForm{
	tile: 4,
	filters: [][winogradFilter]float64{
		{1 / (aa * bb), 0, 0},
		{1 / ofA, pointA / ofA, aa / ofA}, {1 / ofA, -pointA / ofA, aa / ofA},
		{1 / ofB, pointB / ofB, bb / ofB}, {1 / ofB, -pointB / ofB, bb / ofB},
		{0, 0, 1},
	},
	ofSeen: func(d []node) []node {
		// The polynomials that are zero at all points but one: x⁴ - (a²+b²)x² + a²b² for 0, and x(x±a)(x²-b²) for ±a.
		edge := func(x, y, z node) node { return Add(Sub(Mul(x, num(aa*bb)), Mul(y, num(aa+bb))), z) }
		evenA, oddA := Sub(d[4], Mul(d[2], num(bb))), Mul(Sub(d[3], Mul(d[1], num(bb))), num(pointA))
		evenB, oddB := Sub(d[4], Mul(d[2], num(aa))), Mul(Sub(d[3], Mul(d[1], num(aa))), num(pointB))
		return []node{edge(d[0], d[2], d[4]), Add(evenA, oddA), Sub(evenA, oddA), Add(evenB, oddB), Sub(evenB, oddB), edge(d[1], d[3], d[5])}
	},
	toPlaces: func(p []node) []node {
		evenA, oddA, evenB, oddB := Add(p[1], p[2]), Sub(p[1], p[2]), Add(p[3], p[4]), Sub(p[3], p[4])
		return []node{
			Add(Add(p[0], evenA), evenB),
			Add(Mul(oddA, num(pointA)), Mul(oddB, num(pointB))),
			Add(Mul(evenA, num(aa)), Mul(evenB, num(bb))),
			Add(Add(Mul(oddA, num(pointA*aa)), Mul(oddB, num(pointB*bb))), p[5]),
		}
	},
	ofGiven: func(dy []node) []node {
		evenA, oddA := Add(dy[0], Mul(dy[2], num(aa))), Add(Mul(dy[1], num(pointA)), Mul(dy[3], num(pointA*aa)))
		evenB, oddB := Add(dy[0], Mul(dy[2], num(bb))), Add(Mul(dy[1], num(pointB)), Mul(dy[3], num(pointB*bb)))
		return []node{dy[0], Add(evenA, oddA), Sub(evenA, oddA), Add(evenB, oddB), Sub(evenB, oddB), dy[3]}
	},
	numberCost: 0.3,
	filterCost: 21,
}

// The points of tilesOf4, their squares, and the products of the distances of each to the others.
const (
	pointA, pointB = .75, 1.5
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
func onBothSides(t func([]node) []node, m [][]node) (out []node) {
	half := make([][]node, len(m[0])) // columns of T m
	for j := range half {
		column := make([]node, len(m))
		for i := range m {
			column[i] = m[i][j]
		}
		half[j] = t(column)
	}
	for i := range half[0] {
		row := make([]node, len(half))
		for j := range half {
			row[j] = half[j][i]
		}
		out = append(out, t(row)...)
	}
	return out
}

// turnedAlong is T m of an m whose rows have a shape, along a new axis. As the rows get this axis before they are turned, and not their results, as by Stack,
// the kernel that turns them stores results in place.
func turnedAlong(axis int, m []node, t func([]node) []node) node {
	for i := range m {
		m[i] = Unsqueeze(m[i], axis)
	}
	return Concat(axis, stored(t(m))...)
}

// stored makes values of views, so that the kernel that computes the others stores them too.
func stored(nodes []node) []node {
	for i, n := range nodes {
		if alias.IsView(n) {
			nodes[i] = Copy(n)
		}
	}
	return nodes
}

// grid is a square matrix of nodes.
func grid(side int, at func(i, j int) node) [][]node {
	rows := make([][]node, side)
	for i := range rows {
		rows[i] = list(side, func(j int) node { return at(i, j) })
	}
	return rows
}

// list is some nodes.
func list(n int, at func(i int) node) (nodes []node) {
	for i := range n {
		nodes = append(nodes, at(i))
	}
	return nodes
}
