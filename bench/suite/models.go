package suite

import "math"

// gpt makes sequences of tokens, of the tokens that follow if the model is trained, and the
// parameters of a decoder of some layers of width d.
func gpt(layers, d, vocabulary, length, batch int) func(*source) {
	return func(s *source) {
		s.classes("x", vocabulary, batch, length)
		if !s.evaluates {
			s.classes("t", vocabulary, batch, length)
		}
		s.blocks(layers, d)
		s.scaled("tokens", 0.02, vocabulary, d)
		s.scaled("positions", 0.02, length, d)
	}
}

// blocks adds the parameters of some pre-norm transformer blocks of width d, and of the norm behind them.
func (s *source) blocks(layers, d int) {
	for i := range layers {
		s.ones(numbered("g1_", i), d)
		s.zeros(numbered("c1_", i), d)
		s.weight(numbered("wqkv", i), d, 3*d)
		s.zeros(numbered("bqkv", i), 3*d)
		s.weight(numbered("wo", i), d, d)
		s.zeros(numbered("bo", i), d)
		s.ones(numbered("g2_", i), d)
		s.zeros(numbered("c2_", i), d)
		s.weight(numbered("w1_", i), d, 4*d)
		s.zeros(numbered("b1_", i), 4*d)
		s.weight(numbered("w2_", i), 4*d, d)
		s.zeros(numbered("b2_", i), d)
	}
	s.ones("g", d)
	s.zeros("c", d)
}

// Block is one of ResNet-18's: two 3×3 convolutions, and a 1×1 one past them where the
// number of channels changes.
type Block struct{ In, Out, Stride int }

// Projects reports whether a convolution leads past the block.
func (b Block) Projects() bool { return b.In != b.Out || b.Stride != 1 }

// ResNet18 lists the blocks, as in table 1 of K. He, X. Zhang, S. Ren, J. Sun, Deep Residual
// Learning for Image Recognition, arXiv:1512.03385.
var ResNet18 = []Block{{64, 64, 1}, {64, 64, 1}, {64, 128, 2}, {128, 128, 1}, {128, 256, 2}, {256, 256, 1},
	{256, 512, 2}, {512, 512, 1}}

// resNet18 makes square images, their classes if the model is trained, and its parameters:
// of each convolution filters "w…", gain "g…", bias "b…", and running statistics.
func resNet18(batch, size int) func(*source) {
	const classes = 1000
	return func(s *source) {
		s.images(classes, batch, size)
		s.normalized("0", 64, 3, 7)
		for i, b := range ResNet18 {
			s.normalized(numbered("a", i), b.Out, b.In, 3)
			s.normalized(numbered("b", i), b.Out, b.Out, 3)
			if b.Projects() {
				s.normalized(numbered("p", i), b.Out, b.In, 1)
			}
		}
		width := ResNet18[len(ResNet18)-1].Out
		s.scaled("head", 1/math.Sqrt(float64(width)), width, classes)
		s.zeros("bias", classes)
	}
}

// images makes square images, and their classes if the model is trained.
func (s *source) images(classes, batch, size int) {
	s.normal("x", batch, 3, size, size)
	if !s.evaluates {
		s.classes("t", classes, batch)
	}
}

// normalized adds the parameters of a convolution that batch norm follows.
func (s *source) normalized(suffix string, filters, channels, kernel int) {
	s.normalizedAround(0, suffix, filters, channels, kernel)
}

// normalizedAround does so with a bias of one value.
func (s *source) normalizedAround(bias float32, suffix string, filters, channels, kernel int) {
	fan := channels * kernel * kernel
	s.scaled("w"+suffix, math.Sqrt(2/float64(fan)), filters, channels, kernel, kernel)
	s.ones("g"+suffix, filters)
	s.parameter("b"+suffix, []int{filters}, func() float32 { return bias })
	s.state("mean"+suffix, 0, filters)
	s.state("variance"+suffix, 1, filters)
}

// skipGram makes centres, and for each some contexts of which the first is a true one, and
// two tables of vectors.
func skipGram(vocabulary, d, batch, contexts int) func(*source) {
	return func(s *source) {
		s.classes("i", vocabulary, batch)
		s.classes("j", vocabulary, batch, contexts)
		at := 0
		s.add("y", []int{batch, contexts}, func() float32 {
			at++
			if (at-1)%contexts == 0 {
				return 1
			}
			return 0
		})
		s.weight("centres", vocabulary, d)
		s.weight("contexts", vocabulary, d)
	}
}

// pinn makes points in the unit square, and layers of those widths.
func pinn(points int, widths ...int) func(*source) {
	return func(s *source) {
		s.uniform("x", 0, 1, points, widths[0])
		s.layers(widths)
	}
}
