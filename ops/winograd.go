package ops

import "github.com/broadloom/broadloom/graph"

// A convolution with 3×3 filters and steps of one needs 16 multiplications for the 36 of a tile of 2×2 places, after A.
// Lavin and S. Gray, Fast Algorithms for Convolutional Neural Networks, arXiv:1509.09308, F(2×2, 3×3):
//
//	Y = Aᵀ [(G g Gᵀ) ⊙ (Bᵀ d B)] A
//
// The products ⊙ of all tiles and channels are 16 products of matrices, [O, C] by [C, tiles].
//
// What it saves must pay for turning filters and tiles, and what comes of them: see winogradSizes.pays.
const (
	winogradFilter = 3
	winogradTile   = 2
	winogradSide   = winogradTile + winogradFilter - 1 // of what a tile of places sees
)

// winogradSizes are the sizes of such a convolution: images, channels, filters, and tiles along both axes.
type winogradSizes struct {
	images, channels, filters graph.Dim
	size, places, tiles       [2]int
}

// winogradOf returns the sizes of a convolution that can be computed by tiles: where those of the images are known.
func winogradOf(x, w node, a ConvAttrs) (s winogradSizes, can bool) {
	if x.DType() != graph.Float32 || len(a.Stride) != 2 || a.Groups != 1 {
		return s, false
	}
	s.images, s.channels, s.filters = x.Shape()[0], x.Shape()[1], w.Shape()[0]
	for i := range s.size {
		k, _ := w.Shape()[2+i].Int()
		size, known := x.Shape()[2+i].Int()
		if k != winogradFilter || a.Stride[i] != 1 || a.Dilation[i] != 1 || !known {
			return s, false
		}
		s.size[i] = int(size)
		s.places[i] = s.size[i] + 2*a.Padding[i] - winogradFilter + 1
		s.tiles[i] = (s.places[i] + winogradTile - 1) / winogradTile
	}
	return s, true
}

// pays reports whether the convolution was measured to be faster by tiles. The choice depends on the program only, never on the machine, since numbers
// are rounded otherwise. Costs are nanoseconds of one thread of a Zen 4 with AVX-512: 20 of 36
// multiplications are saved for each tile, channel and filter. A row of tiles costs time for each channel and filter, however short it is, and
// so does each number of a tile. Filters are turned once where they are fixed. More than 64 MB of what tiles see and
// give take longer to write and read again than they save.
func (s winogradSizes) pays(fixed bool) bool {
	channels, known := s.channels.Int()
	filters, alsoKnown := s.filters.Int()
	if !known || !alsoKnown {
		return false
	}
	images, known := s.images.Int()
	if !known {
		images = 1
	}
	c, o, rows, across := float64(channels), float64(filters), float64(images)*float64(s.tiles[0]), float64(s.tiles[1])
	tiles := rows * across
	cost := rows * (c*(45+4*across) + o*(60+2*across))
	if !fixed {
		cost += 12 * c * o
	}
	const most = 64 << 20
	return 0.36*c*o*tiles > 1.25*cost && 4*winogradSide*winogradSide*tiles*(c+o) <= most
}

// winograd is the convolution of x [N, C, H, W] with w [O, C, 3, 3]: [N, O, H', W'].
func winograd(x, w node, a ConvAttrs, s winogradSizes) node {
	const numbers = winogradSide * winogradSide
	even, odd := columnsOf(x, a, s)
	seen := grid(winogradSide, func(i, j int) node { // at each place of what tiles see
		columns := even
		if j%winogradTile != 0 {
			columns = odd
		}
		rows := Slice(columns, 3, graph.Dim(i), graph.Dim(i+winogradTile*(s.tiles[0]-1)+1), winogradTile)
		return Slice(rows, 4, graph.Dim(j/winogradTile), graph.Dim(j/winogradTile+s.tiles[1]), 1)
	})
	all := s.images.Times(graph.Dim(s.tiles[0] * s.tiles[1]))
	// Numbers of one channel lie near each other: those of all channels would lie multiples of 4 KiB apart, in the same sets of a cache.
	tiles := Transpose(Reshape(Concat(1, onBothSides(seenOfTile, seen)...), s.channels, numbers, all), 0, 1)
	products := Reshape(MatMul(turnedFilters(w, s), tiles), numbers, s.filters, s.images, graph.Dim(s.tiles[0]), 1, graph.Dim(s.tiles[1]), 1)
	of := grid(winogradSide, func(i, j int) node { return Select(products, 0, graph.Dim(i*winogradSide+j)) })
	places := onBothSides(placesOfTile, of)
	y := Concat(3, Concat(5, places[:winogradTile]...), Concat(5, places[winogradTile:]...)) // [O, N, tiles down, 2, tiles across, 2]
	y = Reshape(y, s.filters, s.images, graph.Dim(winogradTile*s.tiles[0]), graph.Dim(winogradTile*s.tiles[1]))
	for i, n := range s.places {
		y = Slice(y, 2+i, 0, graph.Dim(n), 1)
	}
	return Transpose(y, 0, 1)
}

// columnsOf are the even and the odd columns of x, padded to what tiles see: [C, 1, N, H, W/2] each. What tiles see at a place lies side by side there.
func columnsOf(x node, a ConvAttrs, s winogradSizes) (even, odd node) {
	x = Unsqueeze(Transpose(x, 0, 1), 1)
	for i, tiles := range s.tiles {
		x = Pad(x, 3+i, graph.Dim(a.Padding[i]), graph.Dim(winogradTile*tiles+winogradFilter-1-s.size[i]-a.Padding[i]), 0)
	}
	both := Concat(0, Slice(x, 4, 0, End, winogradTile), Slice(x, 4, 1, End, winogradTile))
	return Slice(both, 0, 0, s.channels, 1), Slice(both, 0, s.channels, End, 1)
}

// grid is a square matrix of nodes.
func grid(side int, at func(i, j int) node) [][]node {
	rows := make([][]node, side)
	for i := range rows {
		for j := range side {
			rows[i] = append(rows[i], at(i, j))
		}
	}
	return rows
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

// seenOfTile is Bᵀ d.
func seenOfTile(d []node) []node {
	return []node{Sub(d[0], d[2]), Add(d[1], d[2]), Sub(d[2], d[1]), Sub(d[1], d[3])}
}

// turnedFilters is G g Gᵀ of all filters and channels, [16, O, C], by one product: each of its numbers is a sum of the nine of a filter.
func turnedFilters(w node, s winogradSizes) node {
	g := [winogradSide][winogradFilter]float32{{1}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}}
	var factors []float32
	for _, down := range g {
		for _, across := range g {
			for _, x := range down {
				for _, y := range across {
					factors = append(factors, x*y)
				}
			}
		}
	}
	const numbers, each = winogradSide * winogradSide, winogradFilter * winogradFilter
	by := graph.Constant(w.Graph(), factors, numbers, each)
	turned := MatMul(by, Transpose(Reshape(w, s.filters.Times(s.channels), each), 0, 1))
	return Reshape(turned, numbers, s.filters, s.channels)
}

// placesOfTile is Aᵀ m.
func placesOfTile(m []node) []node {
	return []node{Add(Add(m[0], m[1]), m[2]), Sub(Sub(m[1], m[2]), m[3])}
}
