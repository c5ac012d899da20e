package ops

import "github.com/broadloom/broadloom/graph"

// A convolution with 3×3 filters and steps of one needs 16 multiplications for the 36 of a tile of 2×2 places, after A.
// Lavin and S. Gray, Fast Algorithms for Convolutional Neural Networks, arXiv:1509.09308, F(2×2, 3×3):
//
//	Y = Aᵀ [(G g Gᵀ) ⊙ (Bᵀ d B)] A
//
// The products ⊙ of all tiles and channels are 16 products of matrices, [O, C] by [C, tiles].
//
// What it saves must pay for turning filters and tiles, and what comes of them, which memory limits. On an Intel Xeon 6, filters turned at each
// call, 16 images of 512×7×7 took 1.4 times as long by windows, of 256×14×14 1.3 times; 128×28×28 gained nothing, nor did
// one image of 256×14×14 or 512×7×7.
const (
	winogradChannels = 64 // of images and filters, at least
	winogradFilter   = 3
	winogradTile     = 2
	winogradSide     = winogradTile + winogradFilter - 1 // of what a tile of places sees
)

// winogradSizes are the sizes of such a convolution: images, channels, filters, and tiles along both axes.
type winogradSizes struct {
	images, channels, filters graph.Dim
	size, places, tiles       [2]int
}

// winogradOf returns the sizes of a convolution that is best computed by tiles. The choice depends on shapes only, since
// numbers are rounded otherwise: where a size other than the number of images is not known, it is computed by windows.
func winogradOf(x, w node, a ConvAttrs) (s winogradSizes, pays bool) {
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
	channels, known := s.channels.Int()
	filters, alsoKnown := s.filters.Int()
	return s, known && alsoKnown && min(channels, filters) >= winogradChannels
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
	of := grid(winogradSide, func(i, j int) node { // [N, O, tiles down, 1, tiles across, 1]
		return Transpose(Select(products, 0, graph.Dim(i*winogradSide+j)), 0, 1)
	})
	places := onBothSides(placesOfTile, of)
	y := Concat(3, Concat(5, places[:winogradTile]...), Concat(5, places[winogradTile:]...)) // [N, O, tiles down, 2, tiles across, 2]
	y = Reshape(y, s.images, s.filters, graph.Dim(winogradTile*s.tiles[0]), graph.Dim(winogradTile*s.tiles[1]))
	for i, n := range s.places {
		y = Slice(y, 2+i, 0, graph.Dim(n), 1)
	}
	return y
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
