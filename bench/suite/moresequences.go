package suite

import "math"

// The sizes of more sequence models.
var (
	SmallLuong     = Sizes{Width: 128, Hidden: 256, Tokens: 4000}
	SmallLanguage  = Sizes{Layers: 2, Width: 200, Hidden: 200, Tokens: 10000}
	SmallPerformer = Sizes{Layers: 2, Width: 256, Heads: 4, Hidden: 1024, Tokens: 1000}
	SmallRetNet    = Sizes{Layers: 2, Width: 256, Heads: 4, Hidden: 512, Tokens: 1000}
	SmallPerceiver = Sizes{Layers: 4, Width: 192, Heads: 3, Hidden: 768, Tokens: 1000, Longest: 64}
	SmallTemporal  = Sizes{Layers: 6, Width: 64, Tokens: 10, Kernel: 3}
)

// RandomFeatures is the number of features of a query or a key in a Performer.
const RandomFeatures = 64

// luong makes sequences, those that are to be written of them, and the parameters of an encoder, a decoder that also
// sees what it said last, and products of what both give, as in M.-T. Luong, H. Pham, C. D. Manning, arXiv:1508.04025.
func luong(c Sizes, batch, length, written int) func(*source) {
	return func(s *source) {
		s.classes("x", c.Tokens, batch, length)
		s.classes("y", c.Tokens, batch, written)
		s.classes("t", c.Tokens, batch, written)
		s.scaled("source", 0.1, c.Tokens, c.Width)
		s.scaled("target", 0.1, c.Tokens, c.Width)
		s.cell("encoder", "_l0", 4, c.Width, c.Hidden)
		s.cell("decoder", "", 4, c.Width+c.Hidden, c.Hidden)
		s.weight("general", c.Hidden, c.Hidden)
		s.weight("combine", c.Hidden, 2*c.Hidden)
		s.linear("head", "bias", c.Hidden, c.Tokens)
	}
}

// language makes parts of texts, the states that are behind the parts before, and the parameters of recurrent layers,
// as in W. Zaremba, I. Sutskever, O. Vinyals, arXiv:1409.2329.
func language(c Sizes, batch, length int) func(*source) {
	return func(s *source) {
		s.tokens(c, batch, length)
		s.state("h", 0, c.Layers, batch, c.Hidden)
		s.state("c", 0, c.Layers, batch, c.Hidden)
		s.scaled("tokens", 0.1, c.Tokens, c.Width)
		for i := range c.Layers {
			s.cell("lstm", numbered("_l", i), 4, c.Width, c.Hidden)
		}
		s.linear("head", "bias", c.Hidden, c.Tokens)
	}
}

// attending adds the parameters of numbered pre-norm blocks but for their feed-forward parts.
func (s *source) attending(i int, c Sizes) {
	s.numberedNorm("g1_", "c1_", i, c.Width)
	s.linear(numbered("wqkv", i), numbered("bqkv", i), c.Width, 3*c.Width)
	s.linear(numbered("wo", i), numbered("bo", i), c.Width, c.Width)
	s.numberedNorm("g2_", "c2_", i, c.Width)
	s.linear(numbered("w1_", i), numbered("b1_", i), c.Width, c.Hidden)
	s.linear(numbered("w2_", i), numbered("b2_", i), c.Hidden, c.Width)
}

// performer makes sequences with a class for each place, directions at random, and the parameters of blocks whose
// attention is linear in the length, as in K. Choromanski et al., Rethinking Attention with Performers,
// arXiv:2009.14794.
func performer(c Sizes, batch, length int) func(*source) {
	return func(s *source) {
		s.tokens(c, batch, length)
		s.scaled("tokens", 0.5, c.Tokens, c.Width)
		s.normal("directions", RandomFeatures, HeadWidth)
		for i := range c.Layers {
			s.attending(i, c)
		}
		s.linear("head", "bias", c.Width, c.Tokens)
	}
}

// retNet makes sequences and the parameters of blocks whose attention fades with the distance in place of being
// normalized, as in Y. Sun et al., Retentive Network, arXiv:2307.08621.
func retNet(c Sizes, batch, length int) func(*source) {
	return func(s *source) {
		s.tokens(c, batch, length)
		s.scaled("tokens", 0.5, c.Tokens, c.Width)
		for i := range c.Layers {
			s.attending(i, c)
			s.weight(numbered("gate", i), c.Width, c.Width)
			s.weight(numbered("w3_", i), c.Hidden, c.Width)
		}
		s.linear("head", "bias", c.Width, c.Tokens)
	}
}

// perceiver makes long sequences of vectors with a class for each sequence, and the parameters of a few vectors that
// look at all of them, and of blocks between these, as in A. Jaegle et al., arXiv:2103.03206.
func perceiver(c Sizes, batch, length, width int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, length, width)
		s.classes("t", c.Tokens, batch)
		s.scaled("latents", 0.5, c.Longest, c.Width)
		s.ones("gx", width)
		s.zeros("cx", width)
		s.ones("gl", c.Width)
		s.zeros("cl", c.Width)
		s.linear("wq", "bq", c.Width, c.Width)
		s.linear("wkv", "bkv", width, 2*c.Width)
		s.linear("wc", "bc", c.Width, c.Width)
		for i := range c.Layers {
			s.attending(i, c)
		}
		s.linear("head", "bias", c.Width, c.Tokens)
	}
}

// temporal makes sequences with a class for each place, and the parameters of dilated causal convolutions whose filters
// are directions and lengths, as in S. Bai, J. Z. Kolter, V. Koltun, arXiv:1803.01271.
func temporal(c Sizes, batch, length, width int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, width, length)
		s.classes("t", c.Tokens, batch, length)
		in := width
		for i := range c.Layers {
			for _, part := range []string{"a", "b"} {
				s.filters(numbered("v"+part, i), numbered("b"+part, i), c.Width, c.Width, in, c.Kernel)
				s.parameter(numbered("l"+part, i), []int{c.Width, 1, 1}, func() float32 { return math.Sqrt2 })
				if part == "a" && in != c.Width {
					s.filters(numbered("wp", i), numbered("bp", i), c.Width, c.Width, in, 1)
				}
				in = c.Width
			}
		}
		s.filters("last", "blast", c.Tokens, c.Tokens, c.Width, 1)
	}
}
