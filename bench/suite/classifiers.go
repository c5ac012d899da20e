package suite

import "math"

// MBConv is one of EfficientNet's blocks: MobileNetV2's, with filters of several sizes, and with factors for channels
// that come from their means.
type MBConv struct {
	Bottleneck
	Kernel, Squeezed int
}

// EfficientNet lists the blocks of EfficientNet-B0, as in table 1 of M. Tan, Q. V. Le, EfficientNet, arXiv:1905.11946.
// Factors come from a quarter of the block's channels.
var EfficientNet = mbConvs(32, [][5]int{
	{1, 16, 1, 1, 3}, {6, 24, 2, 2, 3}, {6, 40, 2, 2, 5}, {6, 80, 3, 2, 3}, {6, 112, 3, 1, 5}, {6, 192, 4, 2, 5},
	{6, 320, 1, 1, 3},
})

// mbConvs expands rows of the table: those of bottlenecks, and the size of depthwise filters.
func mbConvs(in int, rows [][5]int) []MBConv {
	var list []MBConv
	for _, r := range rows {
		for _, b := range bottlenecks(in, [][4]int{{r[0], r[1], r[2], r[3]}}) {
			list, in = append(list, MBConv{b, r[4], b.In / 4}), b.Out
		}
	}
	return list
}

// efficientNet makes square images, their classes if the model is trained, and its parameters, named as MobileNetV2's
// beside layers "s…" to fewer channels and "e…" back.
func efficientNet(batch, size int) func(*source) {
	const classes, width = 1000, 1280
	return func(s *source) {
		s.images(classes, batch, size)
		s.normalized("0", EfficientNet[0].In, 3, 3)
		for i, b := range EfficientNet {
			if b.Expands() {
				s.normalized(numbered("a", i), b.Hidden, b.In, 1)
			}
			s.normalized(numbered("b", i), b.Hidden, 1, b.Kernel)
			s.linear(numbered("s", i), numbered("bs", i), b.Hidden, b.Squeezed)
			s.linear(numbered("e", i), numbered("be", i), b.Squeezed, b.Hidden)
			s.normalized(numbered("c", i), b.Out, b.Hidden, 1)
		}
		s.normalized("last", width, EfficientNet[len(EfficientNet)-1].Out, 1)
		s.linear("head", "bias", width, classes)
	}
}

// VGG11 lists channels of 3×3 convolutions; 0 is a pool. It is column A in table 1 of K. Simonyan, A. Zisserman,
// arXiv:1409.1556.
var VGG11 = []int{64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0}

// VGGPlaces is the height and the width of what an adaptive pool makes of images of any size.
const VGGPlaces = 2

// vgg makes square images, their classes and which elements stay if the model is trained, and its parameters.
func vgg(batch, size int) func(*source) {
	const classes, width = 1000, 1024
	return func(s *source) {
		s.images(classes, batch, size)
		if !s.evaluates {
			s.coins("stay0", batch, width)
			s.coins("stay1", batch, width)
		}
		in, i := 3, 0
		for _, channels := range VGG11 {
			if channels > 0 {
				s.filters(numbered("c", i), numbered("bc", i), channels, channels, in, 3, 3)
				in, i = channels, i+1
			}
		}
		s.linear("w0", "b0", in*VGGPlaces*VGGPlaces, width)
		s.linear("w1", "b1", width, width)
		s.linear("w2", "b2", width, classes)
	}
}

// ShuffleStages lists channels and blocks of each stage of ShuffleNetV2, as in table 5 of N. Ma, X. Zhang, H.-T. Zheng,
// J. Sun, arXiv:1807.11164.
var ShuffleStages = [][2]int{{116, 4}, {232, 8}, {464, 4}}

// shuffleNet makes square images with their classes and the parameters of ShuffleNetV2: of each block "a…", "b…" and
// "c…", and of those that halve images "p…" and "q…" on the other side. Norms before ReLU have a bias of 3, as
// MobileNetV2's.
func shuffleNet(batch, size int) func(*source) {
	const classes, first, width, middle = 1000, 24, 1024, 3
	return func(s *source) {
		s.images(classes, batch, size)
		s.normalizedAround(middle, "0", first, 3, 3)
		in, block := first, 0
		for _, stage := range ShuffleStages {
			half := stage[0] / 2
			for i := range stage[1] {
				from := half
				if i == 0 {
					from = in
					s.normalized(numbered("p", block), from, 1, 3)
					s.normalizedAround(middle, numbered("q", block), half, from, 1)
				}
				s.normalizedAround(middle, numbered("a", block), half, from, 1)
				s.normalized(numbered("b", block), half, 1, 3)
				s.normalizedAround(middle, numbered("c", block), half, half, 1)
				block++
			}
			in = stage[0]
		}
		s.normalizedAround(middle, "last", width, in, 1)
		s.linear("head", "bias", width, classes)
	}
}

// Inceptions lists channels of blocks: of the 1×1 convolution, of those before and of the 3×3 ones, of those before and
// of the 5×5 ones, and of those behind a pool, as in table 1 of C. Szegedy et al., arXiv:1409.4842.
var Inceptions = [][6]int{{64, 96, 128, 16, 32, 32}, {128, 128, 192, 32, 96, 64}, {192, 96, 208, 16, 48, 64},
	{160, 112, 224, 24, 64, 64}}

// inception makes square images with their classes, and the parameters of a few blocks of convolutions beside each
// other.
func inception(batch, size int) func(*source) {
	const classes, first = 1000, 192
	return func(s *source) {
		s.images(classes, batch, size)
		conv := func(name string, i, out, in, kernel int) {
			s.filters(numbered("w"+name, i), numbered("b"+name, i), out, out, in, kernel, kernel)
		}
		conv("stem", 0, 64, 3, 7)
		conv("stem", 1, first, 64, 3)
		in := first
		for i, c := range Inceptions {
			conv("one", i, c[0], in, 1)
			conv("before3_", i, c[1], in, 1)
			conv("three", i, c[2], c[1], 3)
			conv("before5_", i, c[3], in, 1)
			conv("five", i, c[4], c[3], 5)
			conv("pool", i, c[5], in, 1)
			in = c[0] + c[2] + c[4] + c[5]
		}
		s.linear("head", "bias", in, classes)
	}
}

// PointWidths are those of layers that each point goes through before the maximum over points.
var PointWidths = []int{64, 128, 1024}

// pointNet makes clouds of points with their classes and the parameters of layers for each point, one sequence of which
// tells how to turn the points, and another one the class, as in C. R. Qi, H. Su, K. Mo, L. J. Guibas,
// arXiv:1612.00593.
func pointNet(batch, points int) func(*source) {
	const classes = 40
	return func(s *source) {
		s.normal("x", batch, 3, points)
		s.classes("t", classes, batch)
		for _, part := range []string{"turn", "see"} {
			in := 3
			for i, d := range PointWidths {
				s.scaled(numbered(part+"w", i), math.Sqrt(2/float64(in)), d, in, 1)
				s.numberedNorm(part+"g", part+"c", i, d)
				in = d
			}
			for i, d := range []int{512, 256} {
				s.linear(numbered(part+"l", i), numbered(part+"b", i), in, d)
				s.numberedNorm(part+"gl", part+"cl", i, d)
				in = d
			}
		}
		s.scaled("turn", 0.01, 9, 256)
		s.linear("head", "bias", 256, classes)
	}
}

// spatial makes small images with their classes, and the parameters of convolutions that tell how an image is moved,
// and of those that tell its class, as in M. Jaderberg, K. Simonyan, A. Zisserman, K. Kavukcuoglu, arXiv:1506.02025.
func spatial(batch, size int) func(*source) {
	const classes = 10
	return func(s *source) {
		s.normal("x", batch, 1, size, size)
		s.classes("t", classes, batch)
		s.filters("p0", "bp0", 8, 8, 1, 7, 7)
		s.filters("p1", "bp1", 10, 10, 8, 5, 5)
		s.linear("m0", "bm0", 90, 32)
		s.scaled("m1", 0.01, 6, 32)
		at := 0
		s.parameter("bm1", []int{6}, func() float32 {
			at++
			return []float32{1, 0, 0, 0, 1, 0}[at-1]
		})
		s.filters("c0", "bc0", 10, 10, 1, 5, 5)
		s.filters("c1", "bc1", 20, 20, 10, 5, 5)
		s.linear("w0", "b0", 320, 50)
		s.linear("w1", "b1", 50, classes)
	}
}
