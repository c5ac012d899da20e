package suite

import "math"

// Sizes are those of a sequence model, which its layers are declared with. Parameters have the names of layers.
type Sizes struct {
	Layers, Width    int
	Heads, KVHeads   int // of queries, and of keys and values
	Hidden           int // between the two products of a feed-forward part
	Tokens           int // that there are
	Longest          int // sequence
	Experts, Chosen  int // of a mixture, and how many of them a token is given to
	Kernel, StateLen int // of a convolution along the sequence, and the elements of a state of each channel
}

// The sizes of the models.
var (
	SmallLlama      = Sizes{Layers: 4, Width: 384, Heads: 6, KVHeads: 2, Hidden: 1024, Tokens: 8000}
	LargerLlama     = Sizes{Layers: 8, Width: 512, Heads: 8, KVHeads: 4, Hidden: 1408, Tokens: 8000}
	SmallBERT       = Sizes{Layers: 4, Width: 256, Heads: 4, KVHeads: 4, Hidden: 1024, Tokens: 8000, Longest: 128}
	SmallT5         = Sizes{Layers: 3, Width: 256, Heads: 4, KVHeads: 4, Hidden: 1024, Tokens: 8000}
	SmallMixture    = Sizes{Layers: 2, Width: 256, Hidden: 512, Experts: 8, Chosen: 2, Tokens: 1000}
	SmallTranslator = Sizes{Width: 128, Hidden: 256, Tokens: 4000}
	SmallMamba      = Sizes{Layers: 2, Width: 192, Hidden: 384, Tokens: 1000, Kernel: 4, StateLen: 16}
	SmallWave       = Sizes{Layers: 10, Width: 64, Tokens: 256, Kernel: 2}
	SmallRecognizer = Sizes{Layers: 2, Width: 32, Hidden: 192, Tokens: 29}
	SmallConformer  = Sizes{Layers: 2, Width: 144, Heads: 4, KVHeads: 4, Hidden: 576, Tokens: 256, Kernel: 31}
	SmallRelative   = Sizes{Layers: 2, Width: 256, Heads: 4, KVHeads: 4, Hidden: 1024, Tokens: 1000, Longest: 128}
)

// The constants of the sequence models.
const (
	RotaryBase = 10000
	Buckets    = 32 // of distances, in T5
	// a distance from which all have one bucket; no bound of a bucket is whole, where logarithms would decide by their
	// rounding
	FarAway      = 101
	CapacityOver = 1.25 // the room of an expert, by its mean number of tokens
	Mels         = 80   // frequencies of speech
)

// tokens makes sequences of tokens, and of those that follow if the model is trained.
func (s *source) tokens(c Sizes, batch, length int) {
	s.classes("x", c.Tokens, batch, length)
	if !s.evaluates {
		s.classes("t", c.Tokens, batch, length)
	}
}

// llama makes sequences and the parameters of a decoder with rotary positions, root-mean-square norms and gated layers;
// with room for places of the past, also keys and values of these, and how many there are.
func llama(c Sizes, batch, length, past int) func(*source) {
	return func(s *source) {
		s.tokens(c, batch, length)
		s.scaled("tokens.weight", 0.02, c.Tokens, c.Width)
		for i := range c.Layers {
			of := func(name string) string { return numbered("layers.", i) + "." + name }
			s.ones(of("norm1.weight"), c.Width)
			s.weight(of("attn.in_proj_weight"), c.Width+2*c.KVHeads*HeadWidth, c.Width)
			s.weight(of("attn.out_proj.weight"), c.Width, c.Width)
			s.ones(of("norm2.weight"), c.Width)
			s.weight(of("gate.weight"), c.Hidden, c.Width)
			s.weight(of("up.weight"), c.Hidden, c.Width)
			s.weight(of("down.weight"), c.Width, c.Hidden)
			if past > 0 {
				s.scaled(numbered("keys", i), 1, batch, c.KVHeads, past, HeadWidth)
				s.scaled(numbered("values", i), 1, batch, c.KVHeads, past, HeadWidth)
			}
		}
		s.ones("norm.weight", c.Width)
		s.weight("head.weight", c.Tokens, c.Width)
		if past > 0 {
			s.whole("place", past, nil, func(int) int { return past - length })
		}
	}
}

// bert makes sequences of different lengths, some places of each and what stood there, and the parameters of an encoder
// that normalizes sums.
func bert(c Sizes, batch, masked int) func(*source) {
	return func(s *source) {
		s.classes("x", c.Tokens, batch, c.Longest)
		s.whole("lengths", 1+c.Longest, []int{batch}, func(int) int { return c.Longest/2 + s.rng.IntN(1+c.Longest/2) })
		lengths := s.in.Get("lengths").Int
		s.whole("places", c.Longest, []int{batch, masked}, func(i int) int {
			return s.rng.IntN(int(lengths[i/masked]))
		})
		s.classes("t", c.Tokens, batch, masked)
		s.scaled("tokens.weight", 0.02, c.Tokens, c.Width)
		s.scaled("positions.weight", 0.02, c.Longest, c.Width)
		s.norm("norm", c.Width)
		for i := range c.Layers {
			of := func(name string) string { return numbered("encoder.layers.", i) + "." + name }
			s.weight(of("self_attn.in_proj_weight"), 3*c.Width, c.Width)
			s.zeros(of("self_attn.in_proj_bias"), 3*c.Width)
			s.layer(of("self_attn.out_proj"), c.Width, c.Width)
			s.layer(of("linear1"), c.Width, c.Hidden)
			s.layer(of("linear2"), c.Hidden, c.Width)
			s.norm(of("norm1"), c.Width)
			s.norm(of("norm2"), c.Width)
		}
		s.layer("dense", c.Width, c.Width)
		s.norm("last", c.Width)
		s.zeros("bias", c.Tokens)
	}
}

// t5 makes sequences, those that are to be written of them, and the parameters of an encoder and a decoder whose
// attention knows distances alone.
func t5(c Sizes, batch, length, written int) func(*source) {
	return func(s *source) {
		s.classes("x", c.Tokens, batch, length)
		s.classes("y", c.Tokens, batch, written)
		s.classes("t", c.Tokens, batch, written)
		s.weight("tokens", c.Tokens, c.Width)
		for _, part := range []string{"encoder", "decoder"} {
			s.scaled(part+"_distances", 0.1, Buckets, c.Heads)
			for i := range c.Layers {
				of := func(name string) string { return part + numbered("_"+name, i) }
				kinds := []string{"self_"}
				if part == "decoder" {
					kinds = append(kinds, "cross_")
				}
				for _, kind := range kinds {
					s.ones(of(kind+"norm"), c.Width)
					s.scaled(of(kind+"q"), 1/math.Sqrt(float64(c.Width*HeadWidth)), c.Width, c.Width)
					for _, name := range []string{"k", "v", "o"} {
						s.weight(of(kind+name), c.Width, c.Width)
					}
				}
				s.ones(of("norm"), c.Width)
				s.weight(of("wi"), c.Hidden, c.Width)
				s.weight(of("wo"), c.Width, c.Hidden)
			}
			s.ones(part+"_last", c.Width)
		}
	}
}

// mixture makes vectors with their classes, and the parameters of layers of experts.
func mixture(c Sizes, tokens int) func(*source) {
	return func(s *source) {
		s.normal("x", tokens, c.Width)
		s.classes("t", c.Tokens, tokens)
		for i := range c.Layers {
			s.ones(numbered("norm", i), c.Width)
			s.weight(numbered("router", i), c.Experts, c.Width)
			s.scaled(numbered("w1_", i), 1/math.Sqrt(float64(c.Width)), c.Experts, c.Width, c.Hidden)
			s.scaled(numbered("w2_", i), 1/math.Sqrt(float64(c.Hidden)), c.Experts, c.Hidden, c.Width)
		}
		s.linear("head", "bias", c.Width, c.Tokens)
	}
}

// translator makes sequences of different lengths, those that are to be written of them, and the parameters of an
// encoder, a decoder and additive attention.
func translator(c Sizes, batch, length, written int) func(*source) {
	return func(s *source) {
		s.classes("x", c.Tokens, batch, length)
		s.whole("lengths", 1+length, []int{batch}, func(int) int { return length/2 + s.rng.IntN(1+length/2) })
		s.classes("y", c.Tokens, batch, written)
		s.classes("t", c.Tokens, batch, written)
		s.scaled("source.weight", 0.1, c.Tokens, c.Width)
		s.scaled("target.weight", 0.1, c.Tokens, c.Width)
		s.cell("encoder", "_l0", 4, c.Width, c.Hidden)
		s.cell("decoder", "", 4, c.Width+c.Hidden, c.Hidden)
		s.weight("keys.weight", c.Hidden, c.Hidden)
		s.weight("query.weight", c.Hidden, c.Hidden)
		s.weight("energy.weight", 1, c.Hidden)
		s.layer("head", 2*c.Hidden, c.Tokens)
	}
}

// cell adds the parameters of a recurrent cell, which have names with a suffix.
func (s *source) cell(name, suffix string, gates, width, hidden int) {
	s.weight(name+".weight_ih"+suffix, gates*hidden, width)
	s.weight(name+".weight_hh"+suffix, gates*hidden, hidden)
	s.zeros(name+".bias_ih"+suffix, gates*hidden)
	s.zeros(name+".bias_hh"+suffix, gates*hidden)
}

// layer adds the weight and the bias of a linear layer that has a name.
func (s *source) layer(name string, in, out int) { s.linear(name+".weight", name+".bias", in, out) }

// norm adds the weight and the bias of a normalization.
func (s *source) norm(name string, width int) {
	s.ones(name+".weight", width)
	s.zeros(name+".bias", width)
}

// whole adds whole numbers below n.
func (s *source) whole(name string, n int, shape []int, number func(i int) int) {
	t := &Tensor{Name: name, Shape: shape, Classes: n}
	t.Int = make([]int64, t.Len())
	for i := range t.Int {
		t.Int[i] = int64(number(i))
	}
	s.in.Tensors = append(s.in.Tensors, t)
}
