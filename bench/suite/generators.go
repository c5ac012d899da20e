package suite

import "math"

// PenaltyWeight is that of a critic's gradients.
const PenaltyWeight = 10

// critic makes true images and generated ones, a place between each two, and the parameters of a critic of three
// convolutions, as in I. Gulrajani et al., Improved Training of Wasserstein GANs, arXiv:1704.00028.
func critic(batch, size int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, 3, size, size)
		s.normal("y", batch, 3, size, size)
		s.uniform("between", 0, 1, batch, 1, 1, 1)
		for i, c := range [][2]int{{3, 64}, {64, 128}, {128, 256}} {
			s.filters(numbered("w", i), numbered("b", i), c[1], c[1], c[0], 4, 4)
		}
		s.linear("head", "bias", 256*(size/8)*(size/8), 1)
	}
}

// The levels of a flow, at each of which images are halved, and the steps of a level.
const (
	FlowLevels = 2
	FlowSteps  = 4
)

// flow makes images and the parameters of steps: a scale and a shift of each channel, a product of channels with a
// matrix, and convolutions that tell from one half of the channels how to scale and shift the other, as in D. P.
// Kingma, P. Dhariwal, Glow, arXiv:1807.03039.
func flow(batch, size, d int) func(*source) {
	return func(s *source) {
		s.uniform("x", 0, 1, batch, 3, size, size)
		channels := 3
		for level := range FlowLevels {
			channels *= 4
			for i := level * FlowSteps; i < (level+1)*FlowSteps; i++ {
				s.parameter(numbered("scale", i), []int{channels, 1, 1}, func() float32 {
					return float32(0.1 * s.rng.NormFloat64())
				})
				s.zeros(numbered("shift", i), channels, 1, 1)
				at := 0
				s.parameter(numbered("mix", i), []int{channels, channels}, func() float32 {
					row, column := at/channels, at%channels
					at++
					x := 0.1 * s.rng.NormFloat64()
					if (row+1)%channels == column {
						x++
					}
					return float32(x)
				})
				s.filters(numbered("wa", i), numbered("ba", i), d, d, channels/2, 3, 3)
				s.filters(numbered("wb", i), numbered("bb", i), d, d, d, 1, 1)
				s.scaled(numbered("wc", i), 0.01, channels, d, 3, 3)
				s.zeros(numbered("bc", i), channels)
			}
			channels /= 2
		}
	}
}

// PixelLayers is the number of residual blocks that see only pixels before their own.
const PixelLayers = 5

// pixels makes images of one channel, the classes of their pixels, and the parameters of masked convolutions, as in A.
// van den Oord, N. Kalchbrenner, K. Kavukcuoglu, Pixel Recurrent Neural Networks, arXiv:1601.06759.
func pixels(batch, size, d, classes int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, 1, size, size)
		s.classes("t", classes, batch, size, size)
		s.filters("first", "bfirst", 2*d, 2*d, 1, 7, 7)
		for i := range PixelLayers {
			s.filters(numbered("wa", i), numbered("ba", i), d, d, 2*d, 1, 1)
			s.filters(numbered("wb", i), numbered("bb", i), d, d, d, 3, 3)
			s.filters(numbered("wc", i), numbered("bc", i), 2*d, 2*d, d, 1, 1)
		}
		s.filters("middle", "bmiddle", 2*d, 2*d, 2*d, 1, 1)
		s.filters("last", "blast", classes, classes, 2*d, 1, 1)
	}
}

// TranslatorBlocks is the number of residual blocks of a translator of images.
const TranslatorBlocks = 4

// images makes images and what is to become of them, and the parameters of a network between both: convolutions that
// halve images twice, residual blocks and transposed convolutions, with norms of each image and mirrored borders, as in
// J.-Y. Zhu, T. Park, P. Isola, A. A. Efros, arXiv:1703.10593.
func images(batch, size, d int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, 3, size, size)
		s.normal("y", batch, 3, size, size)
		conv := func(name string, i, out, in, kernel int) {
			s.scaled(numbered("w"+name, i), math.Sqrt(2/float64(in*kernel*kernel)), out, in, kernel, kernel)
			s.numberedNorm("g"+name, "c"+name, i, out)
		}
		conv("in", 0, d, 3, 7)
		conv("down", 0, 2*d, d, 3)
		conv("down", 1, 4*d, 2*d, 3)
		for i := range TranslatorBlocks {
			conv("a", i, 4*d, 4*d, 3)
			conv("b", i, 4*d, 4*d, 3)
		}
		for i, c := range [][2]int{{4 * d, 2 * d}, {2 * d, d}} {
			s.scaled(numbered("wup", i), math.Sqrt(8/float64(9*c[0])), c[0], c[1], 3, 3)
			s.numberedNorm("gup", "cup", i, c[1])
		}
		s.filters("last", "blast", 3, 3, d, 7, 7)
	}
}

// StyleChannels lists those of the convolutions that tell the style of an image; a pool is before each but the first.
var StyleChannels = []int{64, 128, 256, 256}

// style makes an image that is trained, one with the contents and one with the style that it is to have, and filters
// that are held, as in L. A. Gatys, A. S. Ecker, M. Bethge, A Neural Algorithm of Artistic Style, arXiv:1508.06576.
func style(size int) func(*source) {
	return func(s *source) {
		s.scaled("x", 1, 1, 3, size, size)
		s.normal("content", 1, 3, size, size)
		s.normal("style", 1, 3, size, size)
		s.evaluates = true
		in := 3
		for i, c := range StyleChannels {
			s.filters(numbered("w", i), numbered("b", i), c, c, in, 3, 3)
			in = c
		}
		s.evaluates = false
	}
}

// ResolutionBlocks is the number of residual blocks of a network that enlarges images.
const ResolutionBlocks = 4

// resolution makes small images and large ones, and the parameters of residual blocks and of convolutions whose
// channels become places, as in B. Lim et al., Enhanced Deep Residual Networks for Single Image Super-Resolution,
// arXiv:1707.02921.
func resolution(batch, size, d int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, 3, size, size)
		s.normal("y", batch, 3, 4*size, 4*size)
		s.filters("first", "bfirst", d, d, 3, 3, 3)
		for i := range ResolutionBlocks {
			s.filters(numbered("wa", i), numbered("ba", i), d, d, d, 3, 3)
			s.filters(numbered("wb", i), numbered("bb", i), d, d, d, 3, 3)
		}
		s.filters("middle", "bmiddle", d, d, d, 3, 3)
		for i := range 2 {
			s.filters(numbered("wup", i), numbered("bup", i), 4*d, 4*d, d, 3, 3)
		}
		s.filters("last", "blast", 3, 3, d, 3, 3)
	}
}
