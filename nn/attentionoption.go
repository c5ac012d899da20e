package nn

import "github.com/broadloom/broadloom/graph"

// attentionSettings are those of attention.
type attentionSettings struct {
	kvHeads              int
	causal               bool
	dropout              float64
	rotary               float64 // base, or 0
	keyWidth, valueWidth *int
	biasKV, zeroAttn     bool
}

// KeyWidth has attention take keys of another width than its own: PyTorch's kdim.
func KeyWidth(n int) Option { return Option{"KeyWidth", func(s *settings) { s.keyWidth = &n }} }

// ValueWidth has attention take values of another width than its own: PyTorch's vdim.
func ValueWidth(n int) Option { return Option{"ValueWidth", func(s *settings) { s.valueWidth = &n }} }

// BiasKV adds a learned key and a learned value to those that each query attends to: PyTorch's add_bias_kv. No mask hides them.
func BiasKV() Option { return Option{"BiasKV", func(s *settings) { s.biasKV = true }} }

// ZeroAttn adds a key and a value of zeros to those that each query attends to: PyTorch's add_zero_attn. No mask hides them.
func ZeroAttn() Option { return Option{"ZeroAttn", func(s *settings) { s.zeroAttn = true }} }

// KVHeads gives attention fewer heads of keys and values than of queries, which share them in
// groups: grouped-query attention; with 1, multi-query attention.
func KVHeads(n int) Option { return Option{"KVHeads", func(s *settings) { s.kvHeads = n }} }

// Causal lets each place attend to itself and to places before it.
func Causal() Option { return Option{"Causal", func(s *settings) { s.causal = true }} }

// DropoutRate sets the probability with which elements are dropped in training: of the weights of
// attention (0 unless said otherwise), and also behind each part of a transformer's layers (0.1
// unless said otherwise, as in PyTorch).
func DropoutRate(p float64) Option { return Option{"DropoutRate", func(s *settings) { s.dropout = p }} }

// RotaryBase turns queries and keys by their places: see [Rotary]. The usual base is 10000.
func RotaryBase(base float64) Option {
	return Option{"RotaryBase", func(s *settings) { s.rotary = base }}
}

// transformerSettings are those of the layers of a transformer.
type transformerSettings struct {
	feedForward int
	normFirst   bool
	activation  func(*graph.Node) *graph.Node
}

// FeedForward sets the width between the two linear layers of a transformer's layer: 2048 unless
// said otherwise, as in PyTorch.
func FeedForward(width int) Option {
	return Option{"FeedForward", func(s *settings) { s.feedForward = width }}
}

// NormFirst normalizes what goes into each part of a transformer's layer, rather than what comes
// out of it.
func NormFirst() Option { return Option{"NormFirst", func(s *settings) { s.normFirst = true }} }

// Activation sets the function between the linear layers of a transformer's layer: ops.Relu unless
// said otherwise.
func Activation(f func(*graph.Node) *graph.Node) Option {
	return Option{"Activation", func(s *settings) { s.activation = f }}
}

// AttentionOption changes one application of attention.
type AttentionOption func(*attending)

// attending is one application of attention.
type attending struct {
	mask               *graph.Node
	memoryMask, source *graph.Node
	caches             []*KVCache
	eachHead           bool
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

// Mask says what each query attends to: a mask whose shape broadcasts to [batch, heads, queries,
// keys], either Bool, true where a query attends to a key, or numbers that are added to the
// scores. That is the mask of PyTorch's scaled_dot_product_attention; the Bool masks of its
// MultiheadAttention are the opposite.
func Mask(mask *graph.Node) AttentionOption { return func(a *attending) { a.mask = mask } }

// MemoryMask is [Mask] of a decoder's attention to what an encoder gives, with the places of the latter as keys: the opposite of PyTorch's
// memory_mask and memory_key_padding_mask.
func MemoryMask(mask *graph.Node) AttentionOption { return func(a *attending) { a.memoryMask = mask } }

// SourceMask is [Mask] of the encoder of an [EncoderDecoder]: the opposite of PyTorch's src_mask and src_key_padding_mask.
func SourceMask(mask *graph.Node) AttentionOption { return func(a *attending) { a.source = mask } }

// EachHead has [MultiHeadAttention.AttendWithWeights] return the weights of each head, [batch, heads, t, s], in place of their mean: PyTorch's
// average_attn_weights=False.
func EachHead() AttentionOption { return func(a *attending) { a.eachHead = true } }

// Cached appends the keys and values of this application to a cache, and attends to all in it:
// see [MultiHeadAttention.NewCache]. A stack of layers has a cache for each: see
// [Transformer.NewCaches].
func Cached(caches ...*KVCache) AttentionOption {
	return func(a *attending) { a.caches = caches }
}
