package ops

import "github.com/broadloom/broadloom/graph"

// A convolution with 3×3 filters and steps of one needs 16 multiplications for the 36 of a tile of 2×2 places, or 36
// for the 144 of one of 4×4, after A. Lavin and S. Gray, Fast Algorithms for Convolutional Neural Networks,
// arXiv:1509.09308, F(2×2, 3×3) and F(4×4, 3×3):
//
//	Y = Aᵀ [(G g Gᵀ) ⊙ (Bᵀ d B)] A
//
// The products ⊙ of all tiles and channels are 16 or 36 products of matrices, [O, C] by [C, tiles]. The matrices are in
// winogradforms.go.
//
// What it saves must pay for turning filters and tiles, and what comes of them: see winogradSizes.best.
const (
	winogradFilter = 3
	// Where the numbers of a tile for all channels are a multiple of winogradAliased bytes, up to winogradNear
	// channels, the rows of a matrix would fall into few sets of a cache. The numbers take the memory of one more then.
	winogradAliased, winogradNear = 2048, 128
	// winogradMost is the most bytes of what tiles see and give at once.
	winogradMost = 64 << 20
)

// winogradSizes are the sizes of such a convolution, or of a part of it: images, channels, filters, and tiles along
// both axes.
type winogradSizes struct {
	*winogradForm
	first, images     graph.Dim // the first image of a part, and their number
	channels, filters graph.Dim
	size, places      [2]int // rows and columns of what is seen and given
	padding           [2]int // zeros before these
	row               int    // the first row of the images that a part sees
	tiles             [2]int // see by
	windowCost        float64
	volume            *winogradVolume
}

// winogradOf returns the sizes of a convolution with tiles of the fastest form, and whether that is faster than
// windows. It is none where the sizes of images are not known. Filters that are fixed are turned once.
func winogradOf(x node, w graph.Shape, a ConvAttrs, fixed bool) (s winogradSizes, pays bool) {
	first := len(a.Stride) - len(s.size)
	if x.DType() != graph.Float32 && !x.DType().IsHalf() || first < 0 || a.Groups != 1 {
		return s, false
	}
	s.windowCost = windowCost
	if x.DType() == graph.BFloat16 {
		s.windowCost = pairCost
	}
	if first == 1 {
		volume, suits := volumeOf(x, w, a)
		if !suits {
			return s, false
		}
		s.volume = volume
	}
	s.images, s.channels, s.filters = x.Shape()[0], x.Shape()[1], w[0]
	for i := range s.size {
		axis := first + i
		k, _ := w[2+axis].Int()
		size, known := x.Shape()[2+axis].Int()
		if k != winogradFilter || a.Stride[axis] != 1 || a.Dilation[axis] != 1 || !known {
			return s, false
		}
		s.size[i], s.padding[i] = int(size), a.Padding[axis]
		s.places[i] = s.size[i] + 2*a.Padding[axis] - winogradFilter + 1
	}
	return s.best(fixed)
}

// by are the sizes with tiles of a form.
func (s winogradSizes) by(f *winogradForm) winogradSizes {
	s.winogradForm = f
	for i, n := range s.places {
		s.tiles[i] = (n + f.tile - 1) / f.tile
	}
	return s
}

// Measured costs, in nanoseconds of one thread of a Granite Rapids with AVX-512. The choice depends on the program
// only, never on the machine, since numbers are rounded otherwise.
const (
	windowCost = 0.0119 // a multiplication by windows
	pairCost   = 0.0075 // one of BFloat16, of which an instruction does two
	tileCost   = 0.01   // one by tiles
	// a number of a turned filter that is read from memory, if that takes longer than all multiplications
	streamCost = 0.27
	// a place of a channel, be it seen or given: channels become the last axis, and the second again
	placeCost = 0.3

	winogradGain = 1.05 // that tiles must bring

	// So many images are expected where their number is not known, and filters are not fixed, as in training.
	trainedImages = 16
	// So many channels and filters are expected where their number is not known.
	usualChannels = 64
)

// expected are the numbers of channels and filters, or what they are expected to be.
func (s winogradSizes) expected() (channels, filters int64) {
	return numberOr(s.channels, usualChannels), numberOr(s.filters, usualChannels)
}

// numberOr is a size, or another number where it is not known.
func numberOr(d graph.Dim, other int64) int64 {
	if n, known := d.Int(); known {
		return n
	}
	return other
}

// best returns the sizes with the tiles that are fastest, and whether these are faster than windows.
func (s winogradSizes) best(fixed bool) (best winogradSizes, pays bool) {
	channels, filters := s.expected()
	images, known := s.images.Int()
	if !known && fixed {
		images = 1
	} else if !known {
		images = trainedImages
	}
	depth, slices, taps := s.counts()
	weights, n := float64(channels)*float64(filters)*float64(taps), float64(images)
	c, o := float64(channels)*float64(depth), float64(filters)*float64(slices) // of all slices
	least := s.windowCost / winogradGain * winogradFilter * winogradFilter * weights * n *
		float64(slices*s.places[0]*s.places[1])
	for _, f := range []*winogradForm{tilesOf2, tilesOf4} {
		by := s.by(f)
		tiles, numbers := n*float64(by.tiles[0]*by.tiles[1]), float64(f.numbers())
		product := tileCost * numbers * tiles * weights * float64(slices)
		if fixed {
			product = max(product, streamCost*numbers*weights)
		} else {
			product += f.filterCost * weights
		}
		cost := product + f.numberCost*numbers*tiles*(c+o) +
			placeCost*n*(c*float64(s.size[0]*s.size[1])+o*float64(s.places[0]*s.places[1]))
		if cost < least {
			best, least, pays = by, cost, true
		}
	}
	return best, pays
}

// bytes are those of what the tiles of one image see and give.
func (s winogradSizes) bytes() int64 {
	channels, filters := s.expected()
	depth, slices, _ := s.counts()
	return 4 * int64(s.numbers()*s.tiles[0]*s.tiles[1]) * (int64(depth)*channels + int64(slices)*filters)
}

// parts cuts the images into up to 16 parts, of which what tiles see and give has about 8 MB, and stays in a cache. All
// are one part if their number is not known. More than 64 MB of it take longer to write and read again than they save.
// Large images are cut into parts of rows: up to 32 of about 4 MB, which pays for the copy that puts them together
// where there are enough channels.
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
	const mostRows, rowsAtBest, large, enough = 32, 4 << 20, 16 << 20, 64 * 64
	channels, _ := s.channels.Times(s.filters).Int()
	if cuts := min(mostRows/int64(len(parts)), s.bytes()/rowsAtBest); atOnce == 1 && s.bytes() > large && cuts > 1 &&
		channels >= enough && s.padding[0] < winogradFilter {
		var cut []winogradSizes
		for _, part := range parts {
			cut = append(cut, part.cutRows(int(cuts))...)
		}
		parts = cut
	}
	return parts, atOnce*parts[0].bytes() <= winogradMost
}

// cutRows cuts the rows of tiles into parts.
func (s winogradSizes) cutRows(count int) (parts []winogradSizes) {
	each := (s.tiles[0] + count - 1) / count
	for first := 0; first < s.tiles[0]; first += each {
		part := s
		part.tiles[0] = min(each, s.tiles[0]-first)
		part.places[0] = min(s.tile*each, s.places[0]-s.tile*first)
		top := s.tile*first - s.padding[0]
		bottom := min(top+s.tile*part.tiles[0]+winogradFilter-1, s.size[0])
		part.row, part.padding[0] = max(top, 0), max(-top, 0)
		part.size[0] = bottom - part.row
		parts = append(parts, part)
	}
	return parts
}

// of is what belongs to the images of this part.
func (s winogradSizes) of(x node) node {
	if s.images == x.Shape()[0] {
		return x
	}
	return Slice(x, 0, s.first, s.first.Plus(s.images), 1)
}

// rowsOf is what the part sees of the rows of x, [N, C, …, H, W].
func (s winogradSizes) rowsOf(x node) node {
	rows := x.Rank() - 2
	if x.Shape()[rows] == graph.Dim(s.size[0]) {
		return x
	}
	return Slice(x, rows, graph.Dim(s.row), graph.Dim(s.row+s.size[0]), 1)
}

// winograd is the convolution of x [N, C, H, W] with w [O, C, 3, 3], or of volumes: [N, O, H', W']. It is nil where
// there are too many tiles.
//
// The channels are last meanwhile: vectors hold channels, and are full however narrow images are. Values of 16 bits are
// Float32 meanwhile, and results rounded once.
func winograd(x, w node, all winogradSizes) node {
	t := x.DType()
	x, w = Cast(x, graph.Float32), Cast(w, graph.Float32)
	parts, pay := all.parts()
	if !pay {
		return nil
	}
	filters := Transpose(all.turned(w), 1, 2)
	var results, rows []node // rows of the images at hand
	for i, s := range parts {
		y := s.given().placesOf(s.products(s.tilesSeen(x, false), filters))
		for axis, n := range s.places {
			y = Slice(y, 1+axis, 0, graph.Dim(n), 1)
		}
		rows = append(rows, Copy(s.givenBack(y)))
		if i+1 == len(parts) || parts[i+1].first != s.first {
			results, rows = append(results, Concat(rows[0].Rank()-2, rows...)), nil
		}
	}
	return Cast(Concat(0, results...), t)
}

// tilesSeen is Bᵀ d B of all tiles: [numbers, tiles, C], of volumes [numbers, tiles, D·C]. Those that are computed
// again have an axis more meanwhile.
func (s winogradSizes) tilesSeen(x node, again bool) node {
	x = s.channelsLast(s.rowsOf(s.of(x)))
	down, across := 1, 2
	if again {
		x, down, across = Unsqueeze(x, 0), 2, 3
	}
	for i, axis := range []int{down, across} {
		x = Pad(x, axis, graph.Dim(s.padding[i]),
			graph.Dim(s.tile*s.tiles[i]+winogradFilter-1-s.size[i]-s.padding[i]), 0)
	}
	x = s.slicesAsChannels(x)
	channels := x.Shape()[x.Rank()-1]
	x = Unsqueeze(x, across+1) // for the numbers of a tile
	// What is at each place of what tiles see, along an axis.
	along := func(x node, axis, tiles int) []node {
		return list(s.side(), func(i int) node {
			return Slice(x, axis, graph.Dim(i), graph.Dim(i+s.tile*(tiles-1)+1), s.tile)
		})
	}
	if !s.atOnce {
		x = turnedAlong(across+1, s.ofSeen, along(x, across, s.tiles[1])) // [N, H, tiles across, m+2, C]
		x = turnedAlong(across+1, s.ofSeen, along(Unsqueeze(x, across+1), down, s.tiles[0]))
		return s.matrices(x, s.numbers(), channels)
	}
	rows := along(x, down, s.tiles[0])
	seen := list(s.side(), func(i int) []node { return along(rows[i], across, s.tiles[1]) })
	return s.together(across+1, onBothSides(s.ofSeen, seen), channels)
}

// tilesGiven is A dy Aᵀ of all tiles: [numbers, tiles, O].
func (s winogradSizes) tilesGiven(dy node) node {
	dy, s = s.givenLast(dy), s.given()
	for i, n := range s.places {
		dy = Pad(dy, 1+i, 0, graph.Dim(s.tile*s.tiles[i]-n), 0)
	}
	// Images and rows of tiles are one axis here, so that no kernel has both these numbers and what tiles see: it would
	// have too many operands.
	dy = Reshape(dy, s.images.Times(graph.Dim(s.tiles[0])), graph.Dim(s.tile), graph.Dim(s.tiles[1]), graph.Dim(s.tile),
		s.filters)
	if !s.atOnce {
		dy = turnedAlong(3, s.ofGiven, rowsAlong(dy, 3)) // [.., m, tiles across, m+2, O]
		dy = turnedAlong(2, s.ofGiven, rowsAlong(MoveAxis(dy, 1, 2), 2))
		return s.matrices(dy, s.numbers(), s.filters)
	}
	rows := list(s.tile, func(i int) []node { return rowsAlong(Select(dy, 1, graph.Dim(i)), 2) })
	return s.together(2, onBothSides(s.ofGiven, rows), s.filters)
}

// together are the numbers of tiles, [.., 1, C] each, which lie side by side along an axis, as matrices: see
// [winogradSizes.matrices].
func (s winogradSizes) together(axis int, numbers []node, channels graph.Dim) node {
	if c, known := channels.Int(); known && 4*c*int64(s.numbers())%winogradAliased == 0 && c <= winogradNear {
		numbers = append(numbers, numbers[0]) // so that rows of a matrix are no power of two apart
	}
	return s.matrices(Concat(axis, numbers...), len(numbers), channels)
}

// matrices are the numbers of tiles, which lie side by side before the last axis of x, as matrices: [numbers, tiles,
// C].
func (s winogradSizes) matrices(x node, together int, channels graph.Dim) node {
	x = Reshape(x, s.images.Times(graph.Dim(s.tiles[0]*s.tiles[1])), graph.Dim(together), channels)
	return Transpose(Slice(x, 1, 0, graph.Dim(s.numbers()), 1), 0, 1)
}

// placesOf is Aᵀ p A of all tiles, whose products p are [numbers, tiles, O]: [N, H', W', O], of whole tiles.
func (s winogradSizes) placesOf(products node) node {
	down, across, m := graph.Dim(s.tiles[0]), graph.Dim(s.tiles[1]), graph.Dim(s.tile)
	whole := graph.Shape{s.images, m.Times(down), m.Times(across), s.filters}
	if s.atOnce {
		products = Reshape(products, graph.Dim(s.numbers()), s.images, down, 1, across, 1, s.filters)
		numbers := list(s.side(), func(i int) []node {
			return list(s.side(), func(j int) node { return Select(products, 0, graph.Dim(i*s.side()+j)) })
		})
		places := onBothSides(s.toPlaces, numbers)
		rows := list(s.tile, func(i int) node { return Concat(4, places[i*s.tile:][:s.tile]...) })
		return Reshape(Concat(2, rows...), whole...) // from [N, tiles down, m, tiles across, m, O]
	}
	side := graph.Dim(s.side())
	products = Reshape(products, side, side, s.images.Times(down).Times(across), s.filters)
	rows := Reshape(turnedAlong(0, s.toPlaces, rowsAlong(products, 0)), m, side, s.images, down, across, s.filters)
	rows = Permute(rows, 2, 3, 0, 4, 1, 5) // [N, tiles down, m, tiles across, numbers, O]
	return Reshape(turnedAlong(4, s.toPlaces, rowsAlong(rows, 4)), whole...)
}

// winogradFilters is the gradient for the filters, [O, C, 3, 3], or [O, C, k, 3, 3], of the convolution of x whose
// result has the gradient dy, or nil where there are too many tiles. That of U = G g Gᵀ is the product of A dy Aᵀ with
// Bᵀ x B. The latter is computed again: that of the convolution would stay in memory from there to here.
func winogradFilters(x, dy node, s winogradSizes) node {
	if images, known := s.images.Int(); known && images*s.bytes() > winogradMost/2 {
		return nil
	}
	t := x.DType()
	x, dy = Cast(x, graph.Float32), Cast(dy, graph.Float32)
	rows := s.rows(s.tilesSeen(x, true))
	if !s.isOfImages() {
		rows = Flatten(rows, 1, 2)
	}
	turned := MatMul(Transpose(s.tilesGiven(dy), 1, 2), rows) // [numbers, O, C]
	channels := rows.Shape()[2]
	turned = Reshape(turned, graph.Dim(s.numbers()), s.filters.Times(channels))
	filters := Reshape(MatMul(Transpose(turned, 0, 1), s.filterFactors(x.Graph())), s.filters, channels, winogradFilter,
		winogradFilter)
	return Cast(s.tapsBack(filters), t)
}

// turned is G g Gᵀ of all filters and channels, [numbers, O, C], by one product: each of its numbers is a sum of the
// nine of a filter.
func (s winogradSizes) turned(w node) node {
	w = s.tapsFirst(w)
	channels := w.Shape()[1]
	each := Transpose(Reshape(w, s.filters.Times(channels), winogradFilter*winogradFilter), 0, 1)
	return Reshape(MatMul(s.filterFactors(w.Graph()), each), graph.Dim(s.numbers()), s.filters, channels)
}
