package ops

import "github.com/broadloom/broadloom/graph"

// A convolution of volumes with filters of k×3×3 is one of images by tiles, of whose products k are added up: tiles see
// all slices of an image side by side, as if they were channels, and what k of them give is a row of the product. So
// each slice is turned once, for all k filters that see it.
//
// winogradVolume is what volumes have beside images; of images, one of each.
type winogradVolume struct {
	depth, taps, padding int // slices, zeros included; of them, those that a filter sees; zeros before and behind
}

// slices is the number of those that are given.
func (v winogradVolume) slices() int { return v.depth - v.taps + 1 }

// isOfImages reports whether there is no axis of slices.
func (s winogradSizes) isOfImages() bool { return s.volume == nil }

// volumeOf returns the sizes along the axis of slices, and whether filters go along it by steps of one.
func volumeOf(x node, w graph.Shape, a ConvAttrs) (v *winogradVolume, suits bool) {
	depth, known := x.Shape()[2].Int()
	taps, alsoKnown := w[2].Int()
	v = &winogradVolume{int(depth) + 2*a.Padding[0], int(taps), a.Padding[0]}
	return v, known && alsoKnown && a.Stride[0] == 1 && a.Dilation[0] == 1 && v.slices() > 0
}

// counts are the slices that are seen, that are given, and the taps.
func (s winogradSizes) counts() (seen, given, taps int) {
	if s.isOfImages() {
		return 1, 1, 1
	}
	return s.volume.depth, s.volume.slices(), s.volume.taps
}

// given are the sizes of what is given: each slice is an image.
func (s winogradSizes) given() winogradSizes {
	_, slices, _ := s.counts()
	s.images = s.images.Times(graph.Dim(slices))
	return s
}

// channelsLast moves the channels of x behind all other axes. Slices come before them, where they are seen, with zeros
// around: [N, H, W, D·C].
func (s winogradSizes) channelsLast(x node) node {
	if s.isOfImages() {
		return MoveAxis(x, 1, -1)
	}
	return Pad(Permute(x, 0, 3, 4, 2, 1), 3, graph.Dim(s.volume.padding), graph.Dim(s.volume.padding), 0)
}

// slicesAsChannels makes one axis of slices and channels.
func (s winogradSizes) slicesAsChannels(x node) node {
	if s.isOfImages() {
		return x
	}
	return Flatten(x, -2, -1)
}

// givenLast moves the channels of dy behind all other axes. Slices come before the images, with which they are one
// axis: [D·N, H, W, O].
func (s winogradSizes) givenLast(dy node) node {
	if s.isOfImages() {
		return MoveAxis(dy, 1, -1)
	}
	return Flatten(Permute(dy, 2, 0, 3, 4, 1), 0, 1)
}

// givenBack moves channels and slices back, [N, O, …], of what is given for places.
func (s winogradSizes) givenBack(y node) node {
	if s.isOfImages() {
		return MoveAxis(y, -1, 1)
	}
	_, slices, _ := s.counts()
	shape := y.Shape()
	return Permute(Reshape(y, append(graph.Shape{graph.Dim(slices), s.images}, shape[1:]...)...), 1, 4, 0, 2, 3)
}

// rows are what the products read of tiles that are seen: [numbers, tiles, C], or [numbers, slices, tiles, taps·C].
func (s winogradSizes) rows(seen node) node {
	if s.isOfImages() {
		return seen
	}
	numbers, tiles := seen.Shape()[0], seen.Shape()[1]
	_, slices, taps := s.counts()
	channels := Reshape(seen, numbers, tiles, graph.Dim(s.volume.depth), s.channels)
	windows := Window(channels, 2, graph.Dim(taps), 1, 1) // [numbers, tiles, slices, C, taps]
	return Reshape(Permute(windows, 0, 2, 1, 4, 3), numbers, graph.Dim(slices), tiles,
		graph.Dim(taps).Times(s.channels))
}

// products are the products ⊙ of all tiles, [numbers, tiles of all slices, O].
func (s winogradSizes) products(seen, filters node) node {
	if s.isOfImages() {
		return MatMul(seen, filters)
	}
	y := MatMul(s.rows(seen), Unsqueeze(filters, 1))
	return Flatten(y, 1, 2)
}

// tapsFirst has the taps of filters [O, C, k, 3, 3] before the channels: [O, k·C, 3, 3].
func (s winogradSizes) tapsFirst(w node) node {
	if s.isOfImages() {
		return w
	}
	return Flatten(Transpose(w, 1, 2), 1, 2)
}

// tapsBack is the opposite of tapsFirst.
func (s winogradSizes) tapsBack(w node) node {
	if s.isOfImages() {
		return w
	}
	return Copy(Transpose(Reshape(w, s.filters, graph.Dim(s.volume.taps), s.channels, winogradFilter, winogradFilter),
		1, 2))
}
