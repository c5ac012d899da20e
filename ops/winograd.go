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
	// winogradNumbers are what a tile sees.
	winogradNumbers = winogradSide * winogradSide
	// Of a multiple of winogradAliased channels, up to winogradNear, the rows of a matrix would fall into few sets of a cache. The numbers of a tile take
	// a seventeenth more memory then.
	winogradAliased, winogradNear = 32, 128
	// winogradMost is the most bytes of what tiles see and give at once.
	winogradMost = 64 << 20
)

// winogradSizes are the sizes of such a convolution: images, channels, filters, and tiles along both axes.
type winogradSizes struct {
	first, images       graph.Dim // of a part of the images, the first
	channels, filters   graph.Dim
	size, places, tiles [2]int
}

// winogradOf returns the sizes of a convolution that can be computed by tiles: where those of the images are known.
func winogradOf(x node, w graph.Shape, a ConvAttrs) (s winogradSizes, can bool) {
	if x.DType() != graph.Float32 || len(a.Stride) != 2 || a.Groups != 1 {
		return s, false
	}
	s.images, s.channels, s.filters = x.Shape()[0], x.Shape()[1], w[0]
	for i := range s.size {
		k, _ := w[2+i].Int()
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

// pays reports whether the convolution, or its gradient for the filters, was measured to be faster by tiles. The choice depends on the program only, never
// on the machine, since numbers are rounded otherwise. Costs are nanoseconds of one thread of a Zen 4 with AVX-512: 20 of 36
// multiplications are saved for each tile, channel and filter. Numbers of a tile are turned for each channel and each filter, and each tile costs
// time, however few these are. Filters are turned once where they are fixed.
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
	c, o, tiles := float64(channels), float64(filters), float64(images)*float64(s.tiles[0]*s.tiles[1])
	cost := tiles * (40 + 3*c + 2*o)
	if !fixed {
		cost += 11 * c * o
	}
	return 0.33*c*o*tiles > 1.1*cost
}

// bytes are those of what the tiles of one image see and give.
func (s winogradSizes) bytes() int64 {
	channels, _ := s.channels.Int()
	filters, _ := s.filters.Int()
	return 4 * winogradNumbers * int64(s.tiles[0]*s.tiles[1]) * (channels + filters)
}

// parts cuts the images into up to 16 parts, of which what tiles see and give has about 8 MB, and stays in a cache. All are one part if their number
// is not known. More than 64 MB of it take longer to write and read again than they save.
func (s winogradSizes) parts() (parts []winogradSizes, pay bool) {
	images, known := s.images.Int()
	if !known {
		return []winogradSizes{s}, s.bytes() <= winogradMost
	}
	const most, atBest = 16, 8 << 20
	atOnce := max(1, atBest/max(1, s.bytes()), (images+most-1)/most)
	for first := int64(0); first < images; first += atOnce {
		part := s
		part.first, part.images = graph.Dim(first), graph.Dim(min(atOnce, images-first))
		parts = append(parts, part)
	}
	return parts, atOnce*s.bytes() <= winogradMost
}

// of is what belongs to the images of this part.
func (s winogradSizes) of(x node) node {
	if s.images == x.Shape()[0] {
		return x
	}
	return Slice(x, 0, s.first, s.first.Plus(s.images), 1)
}

// winograd is the convolution of x [N, C, H, W] with w [O, C, 3, 3]: [N, O, H', W']. It is nil where there are too many tiles.
//
// The channels are last meanwhile: vectors hold channels, and are full however narrow images are.
func winograd(x, w node, a ConvAttrs, all winogradSizes) node {
	parts, pay := all.parts()
	if !pay {
		return nil
	}
	filters := Transpose(turnedFilters(w, all), 1, 2)
	var results []node
	for _, s := range parts {
		products := Reshape(MatMul(s.tilesSeen(x, a, false), filters), winogradNumbers, s.images, graph.Dim(s.tiles[0]), 1, graph.Dim(s.tiles[1]), 1, s.filters)
		places := onBothSides(placesOfTile, numbersOf16(products))
		y := Concat(2, Concat(4, places[:winogradTile]...), Concat(4, places[winogradTile:]...)) // [N, tiles down, 2, tiles across, 2, O]
		y = Reshape(y, s.images, graph.Dim(winogradTile*s.tiles[0]), graph.Dim(winogradTile*s.tiles[1]), s.filters)
		for i, n := range s.places {
			y = Slice(y, 1+i, 0, graph.Dim(n), 1)
		}
		results = append(results, Copy(MoveAxis(y, -1, 1)))
	}
	return Concat(0, results...)
}

// tilesSeen is Bᵀ d B of all tiles: [16, tiles, C]. Those that are computed again have an axis more meanwhile.
func (s winogradSizes) tilesSeen(x node, a ConvAttrs, again bool) node {
	x = MoveAxis(s.of(x), 1, -1)
	down, across := 1, 2
	if again {
		x, down, across = Unsqueeze(x, 0), 2, 3
	}
	for i, axis := range []int{down, across} {
		x = Pad(x, axis, graph.Dim(a.Padding[i]), graph.Dim(winogradTile*s.tiles[i]+winogradFilter-1-s.size[i]-a.Padding[i]), 0)
	}
	seen := grid(winogradSide, func(i, j int) node { // at each place of what tiles see
		rows := Slice(x, down, graph.Dim(i), graph.Dim(i+winogradTile*(s.tiles[0]-1)+1), winogradTile)
		return Unsqueeze(Slice(rows, across, graph.Dim(j), graph.Dim(j+winogradTile*(s.tiles[1]-1)+1), winogradTile), across+1)
	})
	return s.matrices(across+1, onBothSides(seenOfTile, seen), s.channels)
}

// tilesGiven is A dy Aᵀ of all tiles: [16, tiles, O].
func (s winogradSizes) tilesGiven(dy node) node {
	dy = MoveAxis(dy, 1, -1)
	for i, n := range s.places {
		dy = Pad(dy, 1+i, 0, graph.Dim(winogradTile*s.tiles[i]-n), 0)
	}
	// Images and rows of tiles are one axis here, so that no kernel has both these numbers and what tiles see: it would have too many operands.
	dy = Reshape(dy, s.images.Times(graph.Dim(s.tiles[0])), winogradTile, graph.Dim(s.tiles[1]), winogradTile, s.filters)
	given := onBothSides(givenOfTile, grid(winogradTile, func(i, j int) node {
		return Unsqueeze(Select(Select(dy, 3, graph.Dim(j)), 1, graph.Dim(i)), 2)
	}))
	for _, corner := range []int{0, winogradSide - 1, winogradNumbers - winogradSide, winogradNumbers - 1} {
		given[corner] = Copy(given[corner]) // an element as it is: the kernel of the others stores it
	}
	return s.matrices(2, given, s.filters)
}

// matrices are the numbers of tiles, [.., 1, C] each, which lie together along an axis, as 16 matrices.
func (s winogradSizes) matrices(axis int, numbers []node, channels graph.Dim) node {
	if c, known := channels.Int(); known && c%winogradAliased == 0 && c <= winogradNear {
		numbers = append(numbers, numbers[0]) // so that rows of a matrix are no power of two apart
	}
	together := graph.Dim(len(numbers))
	t := Reshape(Concat(axis, numbers...), s.images.Times(graph.Dim(s.tiles[0]*s.tiles[1])), together, channels)
	return Transpose(Slice(t, 1, 0, winogradNumbers, 1), 0, 1)
}

// winogradFilters is the gradient for the filters, [O, C, 3, 3], of the convolution of x whose result has the gradient dy, or nil where there are too many
// tiles. That of U = G g Gᵀ is the product of A dy Aᵀ with Bᵀ x B. The latter is computed again: that of the convolution would stay in memory
// from there to here.
func winogradFilters(x, dy node, a ConvAttrs, s winogradSizes) node {
	if images, known := s.images.Int(); known && images*s.bytes() > winogradMost/2 {
		return nil
	}
	turned := MatMul(Transpose(s.tilesGiven(dy), 1, 2), s.tilesSeen(x, a, true)) // [16, O, C]
	numbers := onBothSides(filterOfTurned, numbersOf16(turned))
	for i := range numbers {
		numbers[i] = Unsqueeze(numbers[i], 2)
	}
	return Reshape(Concat(2, numbers...), s.filters, s.channels, winogradFilter, winogradFilter)
}

// numbersOf16 is the grid of the numbers of tiles along the first axis of t.
func numbersOf16(t node) [][]node {
	return grid(winogradSide, func(i, j int) node { return Select(t, 0, graph.Dim(i*winogradSide+j)) })
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
	const each = winogradFilter * winogradFilter
	by := graph.Constant(w.Graph(), factors, winogradNumbers, each)
	turned := MatMul(by, Transpose(Reshape(w, s.filters.Times(s.channels), each), 0, 1))
	return Reshape(turned, winogradNumbers, s.filters, s.channels)
}

// placesOfTile is Aᵀ m.
func placesOfTile(m []node) []node {
	return []node{Add(Add(m[0], m[1]), m[2]), Sub(Sub(m[1], m[2]), m[3])}
}

// givenOfTile is A d.
func givenOfTile(d []node) []node {
	return []node{d[0], Add(d[0], d[1]), Sub(d[0], d[1]), Neg(d[1])}
}

// filterOfTurned is Gᵀ u.
func filterOfTurned(u []node) []node {
	both := Mul(Add(u[1], u[2]), num(.5))
	return []node{Add(u[0], both), Mul(Sub(u[1], u[2]), num(.5)), Add(both, u[3])}
}
