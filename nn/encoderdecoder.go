package nn

import "github.com/broadloom/broadloom/graph"

// EncoderDecoder is a transformer with an encoder and a decoder, without embeddings and the last layer: Vaswani and
// others, Attention Is All You Need, 2017, figure 1.
type EncoderDecoder struct{ Encoder, Decoder *Transformer }

// NewEncoderDecoder declares an encoder and a decoder with the given numbers of layers, both of which normalize their
// results. The parameters are name.encoder.layers.0 and so on, name.encoder.norm, name.decoder.layers.0 and so on,
// and name.decoder.norm. Matrices are initialised by [XavierUniform]. It is PyTorch's Transformer with batch_first
// and a causal target mask. Options are those of [NewTransformerEncoderLayer]; [Causal] applies to the encoder too, and
// [Bidirectional] leaves out the target mask.
func NewEncoderDecoder(g *graph.Graph, name string, encoderLayers, decoderLayers, width, heads int,
	opts ...Option) *EncoderDecoder {
	opts = append([]Option{WeightInit(XavierUniform())}, opts...)
	return &EncoderDecoder{
		Encoder: newTransformer(g, stackKind{name: "EncoderDecoder", normalizes: true}, name+".encoder", encoderLayers,
			width, heads, opts),
		Decoder: newTransformer(g, stackKind{name: "EncoderDecoder", decodes: true, normalizes: true}, name+".decoder",
			decoderLayers, width, heads, opts),
	}
}

// ApplyTo takes source, [batch, s, width], and target, [batch, t, width], and returns the result of the decoder,
// [batch, t, width]. Each position of target attends to itself, to earlier positions, and to the encoder's result for
// source. [SourceMask] and [SourceKeyPadding] mask the encoder's self-attention, [Mask] and [KeyPadding] the decoder's,
// and [MemoryMask] and [MemoryKeyPadding] the decoder's attention to the encoder's result. To generate text, apply the
// encoder once, and the decoder with [Cached].
func (t *EncoderDecoder) ApplyTo(p *Pass, source, target *graph.Node, opts ...AttentionOption) *graph.Node {
	if t.Encoder == nil || t.Decoder == nil {
		return unbuilt("ApplyTo", "it has no encoder or no decoder: nn.NewEncoderDecoder(g, …) makes both", source)
	}
	a := attendingOf(opts)
	memory := t.Encoder.ApplyTo(p, source, nil, a.source.as())
	a.source = attended{}
	return t.Decoder.ApplyTo(p, target, memory, a.all())
}
