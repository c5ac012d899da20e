package suite

import "math"

// ConvNeXtStages lists stages of a small ConvNeXt: channels and blocks, as in figure 4 of Z. Liu, H. Mao, C.-Y. Wu, C.
// Feichtenhofer, T. Darrell, S. Xie, A ConvNet for the 2020s, arXiv:2201.03545, with fewer.
var ConvNeXtStages = [][2]int{{64, 2}, {128, 2}, {256, 4}, {512, 2}}

// convNeXt makes square images with their classes, and the parameters of stages of blocks: a depthwise 7×7 convolution,
// a norm of the channels, two linear layers and a scale for each channel.
func convNeXt(batch, size int) func(*source) {
	const classes = 1000
	return func(s *source) {
		s.images(classes, batch, size)
		in, window, block := 3, 4, 0
		for i, stage := range ConvNeXtStages {
			d := stage[0]
			if i > 0 {
				s.numberedNorm("gd", "cd", i, in)
			}
			s.filters(numbered("wd", i), numbered("bd", i), d, d, in, window, window)
			if i == 0 {
				s.numberedNorm("gd", "cd", i, d)
			}
			for range stage[1] {
				s.filters(numbered("w", block), numbered("b", block), d, d, 1, 7, 7)
				s.numberedNorm("g", "c", block, d)
				s.linear(numbered("wup", block), numbered("bup", block), d, 4*d)
				s.linear(numbered("wdown", block), numbered("bdown", block), 4*d, d)
				s.parameter(numbered("scale", block), []int{d}, func() float32 { return 0.1 })
				block++
			}
			in, window = d, 2
		}
		s.numberedNorm("glast", "clast", 0, in)
		s.linear("head", "bias", in, classes)
	}
}

// numberedNorm adds the gain and the bias of a norm.
func (s *source) numberedNorm(gain, bias string, i, channels int) {
	s.ones(numbered(gain, i), channels)
	s.zeros(numbered(bias, i), channels)
}

// dcgan makes codes, and the parameters of a generator of images of 32×32 and of a critic of these: of each convolution
// but the first of the critic and the last ones a norm over the batch, as in A. Radford, L. Metz, S. Chintala,
// arXiv:1511.06434.
func dcgan(batch, codes int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, codes)
		s.linear("start", "bstart", codes, 256*4*4)
		for i, c := range [][2]int{{256, 128}, {128, 64}, {64, 3}} {
			s.scaled(numbered("up", i), math.Sqrt(2/float64(4*c[0])), c[0], c[1], 4, 4)
			s.numberedNorm("gup", "cup", i, c[1])
		}
		for i, c := range [][2]int{{3, 64}, {64, 128}, {128, 256}} {
			s.scaled(numbered("down", i), math.Sqrt(2/float64(16*c[0])), c[1], c[0], 4, 4)
			s.numberedNorm("gdown", "cdown", i, c[1])
		}
		s.linear("end", "bend", 256*4*4, 1)
	}
}

// The layers of each dense block, and the channels that one adds.
const (
	DenseLayers = 6
	DenseGrowth = 32
	DenseBlocks = 3
)

// denseNet makes square images with their classes and the parameters of dense blocks of layers: norm, 1×1 convolution,
// norm, 3×3 convolution, whose results stand behind what the layer read, as in G. Huang, Z. Liu, L. van der Maaten, K.
// Q. Weinberger, arXiv:1608.06993. Between blocks, a 1×1 convolution and a pool halve channels and images.
func denseNet(batch, size int) func(*source) {
	const classes = 10
	return func(s *source) {
		s.images(classes, batch, size)
		channels := 2 * DenseGrowth
		s.scaled("first", math.Sqrt(2.0/27), channels, 3, 3, 3)
		for b := range DenseBlocks {
			for i := range DenseLayers {
				layer := b*DenseLayers + i
				s.numberedNorm("ga", "ca", layer, channels)
				s.scaled(numbered("wa", layer), math.Sqrt(2/float64(channels)), 4*DenseGrowth, channels, 1, 1)
				s.numberedNorm("gb", "cb", layer, 4*DenseGrowth)
				s.scaled(numbered("wb", layer), math.Sqrt(2/float64(36*DenseGrowth)), DenseGrowth, 4*DenseGrowth, 3, 3)
				channels += DenseGrowth
			}
			if b < DenseBlocks-1 {
				s.numberedNorm("gt", "ct", b, channels)
				s.scaled(numbered("wt", b), math.Sqrt(2/float64(channels)), channels/2, channels, 1, 1)
				channels /= 2
			}
		}
		s.numberedNorm("g", "c", 0, channels)
		s.linear("head", "bias", channels, classes)
	}
}

// diffusion makes noisy images, the noise, times, and the parameters of a network that tells the noise: residual blocks
// with group norms that take up the time, attention between places where the image is smallest, and sums past each
// level.
func diffusion(batch, size, d int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, 3, size, size)
		s.normal("noise", batch, 3, size, size)
		s.uniform("time", 0, 1000, batch, 1)
		s.linear("t0", "bt0", d, 4*d)
		s.linear("t1", "bt1", 4*d, 4*d)
		s.filters("first", "bfirst", d, d, 3, 3, 3)
		for i, c := range [][2]int{{d, d}, {d, 2 * d}, {2 * d, 2 * d}, {2 * d, 2 * d}, {3 * d, d}, {2 * d, d}} {
			s.numberedNorm("ga", "ca", i, c[0])
			s.filters(numbered("wa", i), numbered("ba", i), c[1], c[1], c[0], 3, 3)
			s.linear(numbered("wtime", i), numbered("btime", i), 4*d, c[1])
			s.numberedNorm("gb", "cb", i, c[1])
			s.filters(numbered("wb", i), numbered("bb", i), c[1], c[1], c[1], 3, 3)
			if c[0] != c[1] {
				s.filters(numbered("wp", i), numbered("bp", i), c[1], c[1], c[0], 1, 1)
			}
		}
		s.filters("down", "bdown", d, d, d, 3, 3)
		s.numberedNorm("gq", "cq", 0, 2*d)
		s.linear("wqkv", "bqkv", 2*d, 6*d)
		s.linear("wo", "bo", 2*d, 2*d)
		s.filters("up", "bup", 2*d, 2*d, 2*d, 3, 3)
		s.numberedNorm("glast", "clast", 0, d)
		s.filters("last", "blast", 3, 3, d, 3, 3)
	}
}

// SwinWindow is the height and the width of the windows in which places attend to each other.
const SwinWindow = 7

// swin makes square images with their classes and the parameters of blocks of attention in windows, which every other
// block moves by half a window, in stages of two, with a learned bias for each distance, as in Z. Liu et al.,
// arXiv:2103.14030.
func swin(batch, size, d int) func(*source) {
	const classes = 1000
	return func(s *source) {
		s.images(classes, batch, size)
		s.filters("patch", "bpatch", d, d, 3, 4, 4)
		for stage := range 2 {
			if stage > 0 {
				s.numberedNorm("gm", "cm", 0, 4*d)
				s.weight("merge", 2*d, 4*d)
				d *= 2
			}
			for i := 2 * stage; i < 2*stage+2; i++ {
				s.numberedNorm("g1_", "c1_", i, d)
				s.linear(numbered("wqkv", i), numbered("bqkv", i), d, 3*d)
				s.scaled(numbered("distances", i), 0.02, (2*SwinWindow-1)*(2*SwinWindow-1), d/32)
				s.linear(numbered("wo", i), numbered("bo", i), d, d)
				s.numberedNorm("g2_", "c2_", i, d)
				s.linear(numbered("w1_", i), numbered("b1_", i), d, 4*d)
				s.linear(numbered("w2_", i), numbered("b2_", i), 4*d, d)
			}
		}
		s.numberedNorm("g", "c", 0, d)
		s.linear("head", "bias", d, classes)
	}
}

// mixer makes square images with their classes, and blocks of two linear layers across places and two across channels.
func mixer(batch, size, patch, d, layers int) func(*source) {
	const classes = 1000
	places := (size / patch) * (size / patch)
	return func(s *source) {
		s.images(classes, batch, size)
		s.filters("patch", "bpatch", d, d, 3, patch, patch)
		for i := range layers {
			s.numberedNorm("g1_", "c1_", i, d)
			s.linear(numbered("wp", i), numbered("bp", i), places, 2*places)
			s.linear(numbered("wq", i), numbered("bq", i), 2*places, places)
			s.numberedNorm("g2_", "c2_", i, d)
			s.linear(numbered("w1_", i), numbered("b1_", i), d, 4*d)
			s.linear(numbered("w2_", i), numbered("b2_", i), 4*d, d)
		}
		s.numberedNorm("g", "c", 0, d)
		s.linear("head", "bias", d, classes)
	}
}

// video makes clips with their classes, and five 3-D convolutions.
func video(batch, frames, size int) func(*source) {
	const classes = 100
	return func(s *source) {
		s.normal("x", batch, 3, frames, size, size)
		s.classes("t", classes, batch)
		for i, c := range [][2]int{{3, 32}, {32, 64}, {64, 128}, {128, 128}} {
			s.filters(numbered("w", i), numbered("b", i), c[1], c[1], c[0], 3, 3, 3)
		}
		s.linear("head", "bias", 128, classes)
	}
}
