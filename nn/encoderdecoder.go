package nn

import "github.com/broadloom/broadloom/graph"

// EncoderDecoder is a transformer that reads one sequence and writes another: Vaswani and others, Attention Is All You Need, 2017, figure 1, without
// embeddings and the last layer.
type EncoderDecoder struct{ Encoder, Decoder *Transformer }

// NewEncoderDecoder declares an encoder and a decoder with the given numbers of layers, both of which normalize their results, as PyTorch's
// Transformer with batch_first and a causal mask of the target: the parameters are name.encoder.layers.0 and so on, name.encoder.norm,
// name.decoder.layers.0 and so on and name.decoder.norm. Matrices start as [XavierUniform] says, as there. Options are those of
// [NewTransformerEncoderLayer]; [Causal] is of the encoder too.
func NewEncoderDecoder(g *graph.Graph, name string, encoderLayers, decoderLayers, width, heads int, opts ...Option) *EncoderDecoder {
	opts = append([]Option{WeightInit(XavierUniform())}, opts...)
	return &EncoderDecoder{
		Encoder: newTransformer(g, stackKind{name: "EncoderDecoder", normalizes: true}, name+".encoder", encoderLayers, width, heads, opts),
		Decoder: newTransformer(g, stackKind{name: "EncoderDecoder", decodes: true, normalizes: true}, name+".decoder", decoderLayers, width, heads, opts),
	}
}

// ApplyTo takes source, [batch, s, width], and target, [batch, t, width], and returns [batch, t, width]: what the decoder makes of target, each place
// of which sees those before it and all that the encoder makes of source. [SourceMask] is of the encoder's attention, [Mask] of the decoder's to itself and
// [MemoryMask] of the decoder's to the encoder's result. A text is written with the encoder applied once, and the decoder with [Cached].
func (t *EncoderDecoder) ApplyTo(p *Pass, source, target *graph.Node, opts ...AttentionOption) *graph.Node {
	if t.Encoder == nil || t.Decoder == nil {
		return unbuilt("ApplyTo", "it has no encoder or no decoder: nn.NewEncoderDecoder(g, …) makes both", source)
	}
	a := attendingOf(opts)
	memory := t.Encoder.ApplyTo(p, source, nil, Mask(a.source))
	a.source = nil
	return t.Decoder.ApplyTo(p, target, memory, a.all())
}
