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
	winogradChannels = 256 // of images and filters, at least
	winogradTiles    = 256
	winogradFilter   = 3
	winogradTile     = 2
	winogradSide     = winogradTile + winogradFilter - 1 // of what a tile of places sees
)

// winogradSizes are the sizes of such a convolution: images, channels, filters, and tiles along both axes.
type winogradSizes struct {
	images, channels, filters int
	size, places, tiles       [2]int
}

// winogradOf returns the sizes of a convolution that is best computed by tiles. The choice depends on shapes only, since
// numbers are rounded otherwise: where a size is not known, it is computed by windows.
func winogradOf(x, w node, a ConvAttrs) (s winogradSizes, pays bool) {
	if x.DType() != graph.Float32 || len(a.Stride) != 2 || a.Groups != 1 {
		return s, false
	}
	known := true
	size := func(d graph.Dim) int {
		n, is := d.Int()
		known = known && is
		return int(n)
	}
	s.images, s.channels, s.filters = size(x.Shape()[0]), size(x.Shape()[1]), size(w.Shape()[0])
	tiles := s.images
	for i := range s.size {
		if size(w.Shape()[2+i]) != winogradFilter || a.Stride[i] != 1 || a.Dilation[i] != 1 {
			return s, false
		}
		s.size[i] = size(x.Shape()[2+i])
		s.places[i] = s.size[i] + 2*a.Padding[i] - winogradFilter + 1
		s.tiles[i] = (s.places[i] + winogradTile - 1) / winogradTile
		tiles *= s.tiles[i]
	}
	return s, known && min(s.channels, s.filters) >= winogradChannels && tiles >= winogradTiles
}

// winograd is the convolution of x [N, C, H, W] with w [O, C, 3, 3]: [N, O, H', W'].
func winograd(x, w node, a ConvAttrs, s winogradSizes) node {
	tilesOf, numbers := s.tiles, winogradSide*winogradSide
	for i := range s.size {
		x = Pad(x, 2+i, graph.Dim(a.Padding[i]), graph.Dim(winogradTile*s.tiles[i]+winogradFilter-1-s.size[i]-a.Padding[i]), 0)
	}
	seen := grid(winogradSide, func(i, j int) node { // at each place of what tiles see
		rows := Slice(x, 2, graph.Dim(i), graph.Dim(i+winogradTile*(tilesOf[0]-1)+1), winogradTile)
		return Slice(rows, 3, graph.Dim(j), graph.Dim(j+winogradTile*(tilesOf[1]-1)+1), winogradTile)
	})
	all := s.images * tilesOf[0] * tilesOf[1]
	tiles := Stack(0, onBothSides(seenOfTile, seen)...) // [16, N, C, tiles down, tiles across]
	tiles = Reshape(Permute(tiles, 0, 2, 1, 3, 4), graph.MakeShape(numbers, s.channels, all)...)
	products := MatMul(turnedFilters(w, s), tiles)
	products = Reshape(products, graph.MakeShape(numbers, s.filters, s.images, tilesOf[0], tilesOf[1])...)
	of := grid(winogradSide, func(i, j int) node {
		at := i*winogradSide + j
		return Reshape(Slice(products, 0, graph.Dim(at), graph.Dim(at+1), 1), products.Shape()[1:]...)
	})
	places := onBothSides(placesOfTile, of)
	y := Stack(3, Stack(4, places[:winogradTile]...), Stack(4, places[winogradTile:]...)) // [O, N, tiles down, 2, tiles across, 2]
	y = Reshape(y, graph.MakeShape(s.filters, s.images, winogradTile*tilesOf[0], winogradTile*tilesOf[1])...)
	for i, n := range s.places {
		y = Slice(y, 2+i, 0, graph.Dim(n), 1)
	}
	return Permute(y, 1, 0, 2, 3)
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
	turned := MatMul(by, Transpose(Reshape(w, graph.MakeShape(s.filters*s.channels, each)...), 0, 1))
	return Reshape(turned, graph.MakeShape(numbers, s.filters, s.channels)...)
}

// placesOfTile is Aᵀ m.
func placesOfTile(m []node) []node {
	return []node{Add(Add(m[0], m[1]), m[2]), Sub(Sub(m[1], m[2]), m[3])}
}
