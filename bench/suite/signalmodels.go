package suite

import "math"

// mamba makes sequences and the parameters of layers whose state of each channel is read and written as the input says.
func mamba(c Sizes, batch, length int) func(*source) {
	return func(s *source) {
		s.tokens(c, batch, length)
		s.weight("tokens", c.Tokens, c.Width)
		rank := c.Width / 16
		for i := range c.Layers {
			s.ones(numbered("norm", i), c.Width)
			s.weight(numbered("in", i), 2*c.Hidden, c.Width)
			s.filters(numbered("conv", i), numbered("bconv", i), c.Hidden, c.Hidden, 1, c.Kernel)
			s.weight(numbered("parts", i), rank+2*c.StateLen, c.Hidden)
			s.weight(numbered("step", i), c.Hidden, rank)
			s.parameter(numbered("bstep", i), []int{c.Hidden}, func() float32 { return -3 })
			at := 0
			s.parameter(numbered("loga", i), []int{c.Hidden, c.StateLen}, func() float32 {
				at++
				return float32(math.Log(float64((at-1)%c.StateLen + 1)))
			})
			s.ones(numbered("skip", i), c.Hidden)
			s.weight(numbered("out", i), c.Width, c.Hidden)
		}
		s.ones("norm", c.Width)
		s.weight("head", c.Tokens, c.Width)
	}
}

// wave makes sequences of classes and the parameters of dilated convolutions with gates, each with a sum past it and
// one to the end.
func wave(c Sizes, batch, length int) func(*source) {
	return func(s *source) {
		s.tokens(c, batch, length)
		s.scaled("tokens.weight", 1, c.Tokens, c.Width)
		convolution := func(name string, out, in, kernel int) {
			s.filters(name+".weight", name+".bias", out, out, in, kernel)
		}
		for i := range c.Layers {
			convolution(numbered("dilated.", i), 2*c.Width, c.Width, c.Kernel)
			convolution(numbered("skip.", i), c.Width, c.Width, 1)
			if i < c.Layers-1 {
				convolution(numbered("residual.", i), c.Width, c.Width, 1)
			}
		}
		convolution("middle", c.Width, c.Width, 1)
		convolution("last", c.Tokens, c.Width, 1)
	}
}

// recognizer makes spectra over time, letters of different lengths, and the parameters of two convolutions, recurrent
// layers and a last one.
func recognizer(c Sizes, batch, length, letters int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, 1, length, Mels)
		s.whole("letters", c.Tokens, []int{batch, letters}, func(int) int { return 1 + s.rng.IntN(c.Tokens-1) })
		s.whole("lengths", 1+letters, []int{batch}, func(int) int { return letters/2 + s.rng.IntN(1+letters/2) })
		s.filters("conv1.weight", "conv1.bias", c.Width, c.Width, 1, 3, 3)
		s.filters("conv2.weight", "conv2.bias", c.Width, c.Width, c.Width, 3, 3)
		width := c.Width * (Mels / 4)
		for i := range c.Layers {
			for _, direction := range []string{"", "_reverse"} {
				s.cell("lstm", numbered("_l", i)+direction, 4, width, c.Hidden)
			}
			width = 2 * c.Hidden
		}
		s.layer("head", width, c.Tokens)
	}
}

// conformer makes vectors over time with a class for each, and the parameters of blocks of attention and convolution.
func conformer(c Sizes, batch, length int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, length, c.Width)
		s.classes("t", c.Tokens, batch, length)
		for i := range c.Layers {
			of := func(name string) string { return numbered("blocks.", i) + "." + name }
			for _, half := range []string{"first", "second"} {
				s.norm(of(half+".norm"), c.Width)
				s.layer(of(half+".up"), c.Width, c.Hidden)
				s.layer(of(half+".down"), c.Hidden, c.Width)
			}
			s.norm(of("attention.norm"), c.Width)
			s.weight(of("attention.in_proj_weight"), 3*c.Width, c.Width)
			s.zeros(of("attention.in_proj_bias"), 3*c.Width)
			s.layer(of("attention.out_proj"), c.Width, c.Width)
			s.norm(of("conv.norm"), c.Width)
			s.filters(of("conv.expand.weight"), of("conv.expand.bias"), 2*c.Width, 2*c.Width, c.Width, 1)
			s.filters(of("conv.depth.weight"), of("conv.depth.bias"), c.Width, c.Width, 1, c.Kernel)
			s.norm(of("conv.batch"), c.Width)
			s.filters(of("conv.shrink.weight"), of("conv.shrink.bias"), c.Width, c.Width, c.Width, 1)
			s.norm(of("norm"), c.Width)
		}
		s.layer("head", c.Width, c.Tokens)
	}
}

// relative makes sequences, the layers' outputs for the sequences before, and the parameters of a decoder whose
// attention compares queries with distances too.
func relative(c Sizes, batch int) func(*source) {
	return func(s *source) {
		s.tokens(c, batch, c.Longest)
		s.weight("tokens", c.Tokens, c.Width)
		for i := range c.Layers {
			s.normal(numbered("memory", i), batch, c.Longest, c.Width)
			for _, name := range []string{"q", "k", "v", "r", "o"} {
				s.weight(numbered(name, i), c.Width, c.Width)
			}
			s.scaled(numbered("u", i), 0.1, c.Heads, HeadWidth)
			s.scaled(numbered("w", i), 0.1, c.Heads, HeadWidth)
			s.ones(numbered("g1_", i), c.Width)
			s.zeros(numbered("c1_", i), c.Width)
			s.linear(numbered("w1_", i), numbered("b1_", i), c.Width, c.Hidden)
			s.linear(numbered("w2_", i), numbered("b2_", i), c.Hidden, c.Width)
			s.ones(numbered("g2_", i), c.Width)
			s.zeros(numbered("c2_", i), c.Width)
		}
	}
}
