package nn

import "github.com/broadloom/broadloom/graph"

// attentionSettings are those of attention.
type attentionSettings struct {
	kvHeads              int
	causal               bool
	dropout              float64
	rotary               float64 // base, or 0
	rotaryInterleaved    bool
	keyWidth, valueWidth *int
	biasKV, zeroAttn     bool
}

// KeyWidth sets the width of attention's keys if it differs from that of the queries: PyTorch's kdim.
func KeyWidth(n int) Option { return Option{"KeyWidth", func(s *settings) { s.keyWidth = &n }} }

// ValueWidth sets the width of attention's values if it differs from that of the queries: PyTorch's vdim.
func ValueWidth(n int) Option { return Option{"ValueWidth", func(s *settings) { s.valueWidth = &n }} }

// BiasKV adds a learned key and value to those that each query attends to: PyTorch's add_bias_kv. Masks do not apply to
// them.
func BiasKV() Option { return Option{"BiasKV", func(s *settings) { s.biasKV = true }} }

// ZeroAttn adds a key and a value of zeros to those that each query attends to: PyTorch's add_zero_attn. Masks do not
// apply to them.
func ZeroAttn() Option { return Option{"ZeroAttn", func(s *settings) { s.zeroAttn = true }} }

// KVHeads gives attention fewer heads of keys and values than of queries, which share them in
// groups: grouped-query attention; with 1, multi-query attention.
func KVHeads(n int) Option { return Option{"KVHeads", func(s *settings) { s.kvHeads = n }} }

// Causal lets each position attend only to itself and to earlier positions.
func Causal() Option { return Option{"Causal", func(s *settings) { s.causal = true }} }

// DropoutRate sets the probability with which elements are dropped in training: of the weights of attention (0 by
// default), and also after each part of a transformer's layers (0.1 by default, as in PyTorch).
func DropoutRate(p float64) Option { return Option{"DropoutRate", func(s *settings) { s.dropout = p }} }

// RotaryBase rotates queries and keys by their positions: see [Rotary]. The usual base is 10000.
func RotaryBase(base float64) Option {
	return Option{"RotaryBase", func(s *settings) { s.rotary = base }}
}

// RotaryInterleaved has [RotaryBase] take elements 2k and 2k+1 of each head as a pair, not k and k+width/2, as in GPT-J
// and in llama.cpp's files of Llama.
func RotaryInterleaved() Option {
	return Option{"RotaryInterleaved", func(s *settings) { s.rotaryInterleaved = true }}
}

// transformerSettings are those of the layers of a transformer.
type transformerSettings struct {
	feedForward int
	normFirst   bool
	activation  func(*graph.Node) *graph.Node
}

// FeedForward sets the width between the two linear layers of a transformer's layer: 2048 by default, as in PyTorch.
func FeedForward(width int) Option {
	return Option{"FeedForward", func(s *settings) { s.feedForward = width }}
}

// NormFirst normalizes the input of each part of a transformer's layer, instead of its output.
func NormFirst() Option { return Option{"NormFirst", func(s *settings) { s.normFirst = true }} }

// Activation sets the function between the linear layers of a transformer's layer: ops.Relu by default.
func Activation(f func(*graph.Node) *graph.Node) Option {
	return Option{"Activation", func(s *settings) { s.activation = f }}
}

// AttentionOption is an option of one application of attention.
type AttentionOption func(*attending)

// attended is what queries may attend to: a mask, and which keys are padding. Either may be nil.
type attended struct{ mask, padding *graph.Node }

// isGiven reports whether there is either.
func (a attended) isGiven() bool { return a.mask != nil || a.padding != nil }

// as are these as the options of one attention.
func (a attended) as() AttentionOption { return func(other *attending) { other.attended = a } }

// attending is one application of attention.
type attending struct {
	attended                // of the layer's own attention
	memory, source attended // of a decoder to an encoder's result, and of an encoder
	caches         []*KVCache
	eachHead       bool
}

// all are these options as one.
func (a attending) all() AttentionOption { return func(other *attending) { *other = a } }

func attendingOf(opts []AttentionOption) (a attending) {
	for _, o := range opts {
		if o != nil {
			o(&a)
		}
	}
	return a
}

// Mask says what each query attends to: a mask whose shape broadcasts to [batch, heads, queries, keys], either Bool,
// true where a query attends to a key, or numbers that are added to the scores. That is the mask of PyTorch's
// scaled_dot_product_attention. The Bool masks of its MultiheadAttention and Transformer, attn_mask, src_mask and
// tgt_mask, are the opposite, true where a query does not attend to a key: Mask(ops.Not(mask)). A mask of padding is
// [KeyPadding].
func Mask(mask *graph.Node) AttentionOption { return func(a *attending) { a.mask = mask } }

// MemoryMask is [Mask] for a decoder's attention to an encoder's output, with the positions of the latter as keys:
// Bool, it is the opposite of PyTorch's memory_mask.
func MemoryMask(mask *graph.Node) AttentionOption { return func(a *attending) { a.memory.mask = mask } }

// SourceMask is [Mask] of the encoder of an [EncoderDecoder]: Bool, it is the opposite of PyTorch's src_mask.
func SourceMask(mask *graph.Node) AttentionOption { return func(a *attending) { a.source.mask = mask } }

// KeyPadding says which keys are padding, to which no query attends: a mask of shape [batch, keys], either Bool, true
// where a key is padding, or numbers that are added to the scores of each key. It is PyTorch's key_padding_mask, or
// src_key_padding_mask of an encoder and tgt_key_padding_mask of a decoder: true is what [Mask] calls false. It goes
// together with Mask and [Causal]. With [Cached] the keys are all those that there is room for. A query all of whose
// keys are hidden gets zeros, not PyTorch's NaN.
//
// For lengths, KeyPadding(ops.Not(ops.LengthMask(lengths, t))); for a mask of integers that is 1 where a token counts,
// as tokenizers write it, KeyPadding(ops.Equal(mask, graph.Num(0))).
func KeyPadding(padding *graph.Node) AttentionOption {
	return func(a *attending) { a.padding = padding }
}

// MemoryKeyPadding is [KeyPadding] for a decoder's attention to an encoder's output: PyTorch's memory_key_padding_mask.
// As there, an [EncoderDecoder] does not take it from [SourceKeyPadding].
func MemoryKeyPadding(padding *graph.Node) AttentionOption {
	return func(a *attending) { a.memory.padding = padding }
}

// SourceKeyPadding is [KeyPadding] of the encoder of an [EncoderDecoder]: PyTorch's src_key_padding_mask.
func SourceKeyPadding(padding *graph.Node) AttentionOption {
	return func(a *attending) { a.source.padding = padding }
}

// EachHead has [MultiHeadAttention.AttendWithWeights] return the weights of each head, [batch, heads, t, s], instead of
// their mean: PyTorch's average_attn_weights=False.
func EachHead() AttentionOption { return func(a *attending) { a.eachHead = true } }

// Cached appends the keys and values of this application to a cache, and attends to all in it:
// see [MultiHeadAttention.NewCache]. A stack of layers has a cache for each: see
// [Transformer.NewCaches].
func Cached(caches ...*KVCache) AttentionOption {
	return func(a *attending) { a.caches = caches }
}
