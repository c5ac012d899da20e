package nn

import (
	"fmt"
	"strconv"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TransformerLayer is a layer of a transformer's encoder or decoder.
type TransformerLayer struct {
	declared
	SelfAttn         *MultiHeadAttention
	MultiHeadAttn    *MultiHeadAttention // in a decoder, to the encoder's output; else nil
	Linear1, Linear2 *Linear
	Norm1, Norm2     *Norm
	Norm3            *Norm // in a decoder; else nil
	settings         settings
}

const transformerOptions = "FeedForward NormFirst Activation DropoutRate Epsilon KVHeads Causal Bidirectional RotaryBase RotaryInterleaved WeightInit BiasInit NoBias Int8Weights Int4Weights Uint8Weights Uint4Weights DType"

// NewTransformerEncoderLayer declares self-attention and two linear layers, each followed by dropout, a residual
// connection and normalization. It is PyTorch's TransformerEncoderLayer with batch_first, and has its parameters
// name.self_attn, linear1, linear2, norm1 and norm2. Options are [FeedForward], [NormFirst], [Activation],
// [DropoutRate], [Epsilon], [KVHeads], [Causal] or [Bidirectional] (the default), [RotaryBase], [RotaryInterleaved],
// [WeightInit] and [BiasInit] (for attention and the linear layers), [NoBias], [Int8Weights], [Int4Weights],
// [Uint8Weights] and [Uint4Weights] (the same) and [DType].
func NewTransformerEncoderLayer(g *graph.Graph, name string, width, heads int, opts ...Option) *TransformerLayer {
	return newTransformerLayer(g, "TransformerEncoderLayer", false, name, width, heads, opts)
}

// NewTransformerDecoderLayer declares causal self-attention, attention to an encoder's output, and two linear layers.
// It is PyTorch's TransformerDecoderLayer with batch_first and a causal mask, and has its parameters name.self_attn,
// multihead_attn, linear1, linear2, norm1, norm2 and norm3. Options are those of [NewTransformerEncoderLayer]; with
// [Bidirectional] there is no causal mask.
func NewTransformerDecoderLayer(g *graph.Graph, name string, width, heads int, opts ...Option) *TransformerLayer {
	return newTransformerLayer(g, "TransformerDecoderLayer", true, name, width, heads, opts)
}

func newTransformerLayer(g *graph.Graph, kind string, decodes bool, name string, width, heads int,
	opts []Option) *TransformerLayer {
	l := &TransformerLayer{}
	opts = append([]Option{FeedForward(2048), Activation(ops.Relu), DropoutRate(0.1)}, opts...)
	l.declared = declare(g, kind, name, opts, transformerOptions, func(s *settings) {
		l.settings = *s
		w, inner := s.size("width", graph.Dim(width)), s.size("FeedForward", graph.Dim(s.feedForward))
		if w.IsUnknown() {
			width = max(heads, 1) // a width that is told is told once
		}
		common := []Option{DType(s.dtype)}
		if s.noBias {
			common = append(common, NoBias())
		}
		linear := append([]Option{WeightInit(s.weight), BiasInit(s.bias), s.heldAlike()}, common...)
		attention := append([]Option{DropoutRate(s.dropout), KVHeads(s.kvHeads)}, linear...)
		self := append([]Option{RotaryBase(s.rotary)}, attention...)
		if s.rotaryInterleaved {
			self = append(self, RotaryInterleaved())
		}
		if s.causal && s.bidirectional {
			s.layer.refuse("Causal and Bidirectional exclude each other: leave one out")
		}
		if s.causal || decodes && !s.bidirectional {
			self = append(self, Causal())
		}
		l.SelfAttn = NewMultiHeadAttention(g, "self_attn", width, heads, self...)
		norm := append([]Option{Epsilon(s.eps)}, common...)
		if decodes {
			l.MultiHeadAttn = NewMultiHeadAttention(g, "multihead_attn", width, heads, attention...)
			l.Norm3 = NewLayerNorm(g, "norm3", w, norm...)
		}
		l.Linear1 = NewLinear(g, "linear1", w, inner, linear...)
		l.Linear2 = NewLinear(g, "linear2", inner, w, linear...)
		l.Norm1, l.Norm2 = NewLayerNorm(g, "norm1", w, norm...), NewLayerNorm(g, "norm2", w, norm...)
	})
	return l
}

// Apply takes x, [batch, t, width], and returns its shape.
func (l *TransformerLayer) Apply(p *Pass, x *graph.Node) *graph.Node { return l.ApplyTo(p, x, nil) }

// ApplyTo is Apply for a decoder layer, which attends to memory, [batch, s, width], the result of an encoder. Options
// apply to self-attention, except [MemoryMask] and [MemoryKeyPadding].
func (l *TransformerLayer) ApplyTo(p *Pass, x, memory *graph.Node, opts ...AttentionOption) *graph.Node {
	if l.g == nil || l.SelfAttn == nil {
		return l.apply(p, argumentOf(x, "b t width"), nil, "", nil)
	}
	self, across := attendingOf(opts), attending{}
	if l.MultiHeadAttn != nil {
		self.memory, across.attended = attended{}, self.memory
	}
	parts := []struct {
		norm  *Norm
		build func(x *graph.Node) *graph.Node
	}{
		{l.Norm1, func(x *graph.Node) *graph.Node { return l.SelfAttn.Attend(p, x, x, x, self.all()) }},
		{l.Norm2, func(x *graph.Node) *graph.Node {
			return l.MultiHeadAttn.Attend(p, x, memory, memory, across.all())
		}},
		{l.Norm3, func(x *graph.Node) *graph.Node { return l.feedForward(p, x) }},
	}
	if l.MultiHeadAttn == nil {
		parts[1] = parts[2]
		parts[1].norm, parts = l.Norm2, parts[:2]
		if memory != nil {
			return unbuilt("ApplyTo", "an encoder layer has no memory to attend to: use NewTransformerDecoderLayer", x)
		}
	}
	drop := Dropout(l.settings.dropout)
	l.g.InScope(l.scope, func() {
		for _, part := range parts {
			if l.settings.normFirst {
				x = ops.Add(x, drop.Apply(p, part.build(part.norm.Apply(p, x))))
			} else {
				x = part.norm.Apply(p, ops.Add(x, drop.Apply(p, part.build(x))))
			}
		}
	})
	return x
}

func (l *TransformerLayer) feedForward(p *Pass, x *graph.Node) *graph.Node {
	h := Dropout(l.settings.dropout).Apply(p, l.settings.activation(l.Linear1.Apply(p, x)))
	return l.Linear2.Apply(p, h)
}

// maxLayers bounds a stack, so that a wrong number of layers is reported at once.
const maxLayers = 1 << 12

// Transformer is a stack of transformer layers.
type Transformer struct {
	Layers []*TransformerLayer
	Norm   *Norm // of the last result, with [NormFirst]; else nil
}

// NewTransformerEncoder declares layers of [NewTransformerEncoderLayer] named name.layers.0 and so on, like PyTorch's
// TransformerEncoder. With [NormFirst] the result is normalized by name.norm.
func NewTransformerEncoder(g *graph.Graph, name string, layers, width, heads int, opts ...Option) *Transformer {
	return newTransformer(g, stackKind{name: "TransformerEncoder"}, name, layers, width, heads, opts)
}

// NewTransformerDecoder is [NewTransformerEncoder] with layers of [NewTransformerDecoderLayer].
func NewTransformerDecoder(g *graph.Graph, name string, layers, width, heads int, opts ...Option) *Transformer {
	return newTransformer(g, stackKind{name: "TransformerDecoder", decodes: true}, name, layers, width, heads, opts)
}

// stackKind is one of the kinds of stacks.
type stackKind struct {
	name       string
	decodes    bool
	normalizes bool // its result always, and not with [NormFirst] alone
}

// newTransformer declares a stack.
func newTransformer(g *graph.Graph, k stackKind, name string, layers, width, heads int, opts []Option) *Transformer {
	t := &Transformer{}
	if layers < 0 || layers > maxLayers {
		d := declared{g: g, kind: k.name, scope: name}
		d.refuse("the number of layers is " + strconv.Itoa(layers) + "; it must be from 0 to " +
			strconv.Itoa(maxLayers))
		return t
	}
	for i := range layers {
		l := newTransformerLayer(g, k.name, k.decodes, name+".layers."+strconv.Itoa(i), width, heads, opts)
		t.Layers = append(t.Layers, l)
		if l.refused || l.SelfAttn.refused || l.Linear1.refused || l.Linear2.refused {
			return t // the others would be refused for the same
		}
	}
	if len(t.Layers) > 0 {
		if s := t.Layers[0].settings; s.normFirst || k.normalizes {
			norm := []Option{Epsilon(s.eps), DType(s.dtype)}
			if k.normalizes && s.noBias {
				norm = append(norm, NoBias())
			}
			t.Norm = NewLayerNorm(g, name+".norm", width, norm...)
		}
	}
	return t
}

// Apply applies the layers in order to x, [batch, t, width], and returns its shape.
func (t *Transformer) Apply(p *Pass, x *graph.Node) *graph.Node { return t.ApplyTo(p, x, nil) }

// ApplyTo is Apply for a decoder, which attends to memory, [batch, s, width]. Options apply to the self-attention of
// each layer.
func (t *Transformer) ApplyTo(p *Pass, x, memory *graph.Node, opts ...AttentionOption) *graph.Node {
	caches := attendingOf(opts).caches
	if caches != nil && len(caches) != len(t.Layers) {
		return unbuilt("Cached", fmt.Sprintf(
			"there are %d caches for %d layers: use NewCaches to make one for each", len(caches), len(t.Layers)), x)
	}
	for i, l := range t.Layers {
		if caches != nil {
			opts = append(opts[:len(opts):len(opts)], Cached(caches[i]))
		}
		x = l.ApplyTo(p, x, memory, opts...)
	}
	if t.Norm != nil {
		x = t.Norm.Apply(p, x)
	}
	return x
}
