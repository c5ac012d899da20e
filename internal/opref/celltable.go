package opref

import "github.com/broadloom/broadloom/nn"

var cellTable = []part{
	{"a recurrent network of tanh over [batch, time, in].", "torch.nn.RNN", "",
		"keras.layers.SimpleRNN, keras.layers.RNN", "flax.linen.RNN", "RNN", "n t 4",
		func(g gr, p pass, x, y, z node) node { return nn.NewRNN(g, "rnn", 4, 8).Apply(p, x) }},
	{"long short-term memory over [batch, time, in].", "torch.nn.LSTM", "", "keras.layers.LSTM",
		"flax.linen.OptimizedLSTMCell", "LSTM", "n t 4",
		func(g gr, p pass, x, y, z node) node {
			return nn.NewLSTM(g, "lstm", 4, 8, nn.Bidirectional()).Apply(p, x)
		}},
	{"gated recurrent units over [batch, time, in].", "torch.nn.GRU", "", "keras.layers.GRU", "flax.linen.GRUCell",
		"GRU", "n t 4",
		func(g gr, p pass, x, y, z node) node { return nn.NewGRU(g, "gru", 4, 8, nn.Layers(2)).Apply(p, x) }},
	{"one step of a recurrent network.", "torch.nn.RNNCell", "", "keras.layers.SimpleRNNCell", "flax.linen.SimpleCell",
		"", "n 4",
		func(g gr, p pass, x, y, z node) node { return nn.NewRNNCell(g, "cell", 4, 8).Apply(p, x) }},
	{"one step of long short-term memory over images, from a state.", "", "", "", "flax.linen.ConvLSTMCell", "",
		"n 3 8 8; n 4 8 8; n 4 8 8",
		func(g gr, p pass, x, y, z node) node {
			return nn.NewConvLSTMCell(g, "cell", 3, 4, 3).ApplyFrom(p, x, y, z)[0]
		}},
	{"one step of long short-term memory, from a state.", "torch.nn.LSTMCell", "", "keras.layers.LSTMCell",
		"flax.linen.LSTMCell", "", "n 4; n 8; n 8",
		func(g gr, p pass, x, y, z node) node {
			return nn.NewLSTMCell(g, "cell", 4, 8).ApplyFrom(p, x, y, z)[0]
		}},
	{"one step of gated recurrent units, from a state.", "torch.nn.GRUCell", "", "keras.layers.GRUCell",
		"flax.linen.GRUCell", "", "n 4; n 8",
		func(g gr, p pass, x, y, z node) node { return nn.NewGRUCell(g, "cell", 4, 8).ApplyFrom(p, x, y)[0] }},
	{"a network of minimal gated units over [batch, time, in].", "", "", "", "", "", "n t 4",
		func(g gr, p pass, x, y, z node) node { return nn.NewMGU(g, "mgu", 4, 8).Apply(p, x) }},
	{"one step of minimal gated units, from a state.", "", "", "", "flax.linen.MGUCell", "", "n 4; n 8",
		func(g gr, p pass, x, y, z node) node { return nn.NewMGUCell(g, "cell", 4, 8).ApplyFrom(p, x, y)[0] }},
	{"attention with several heads, from x to y.", "torch.nn.MultiheadAttention", "",
		"keras.layers.MultiHeadAttention, keras.layers.GroupQueryAttention, keras.layers.GroupedQueryAttention, keras.layers.Attention",
		"flax.linen.MultiHeadAttention, flax.linen.MultiHeadDotProductAttention, flax.linen.SelfAttention", "Attention",
		"n t 8; n s 8",
		func(g gr, p pass, x, y, z node) node {
			return nn.NewMultiHeadAttention(g, "attn", 8, 2).Attend(p, x, y, y)
		}},
	{"self-attention and two linear layers.", "torch.nn.TransformerEncoderLayer", "",
		"keras_hub.layers.TransformerEncoder", "", "", "n t 8",
		func(g gr, p pass, x, y, z node) node {
			return nn.NewTransformerEncoderLayer(g, "block", 8, 2, nn.FeedForward(16), nn.NormFirst()).Apply(p, x)
		}},
	{"causal self-attention, attention to what an encoder gives, and two linear layers.",
		"torch.nn.TransformerDecoderLayer", "", "keras_hub.layers.TransformerDecoder", "", "", "n t 8; n s 8",
		func(g gr, p pass, x, y, z node) node {
			return nn.NewTransformerDecoderLayer(g, "block", 8, 2, nn.FeedForward(16)).ApplyTo(p, x, y)
		}},
	{"a stack of a transformer's layers.", "torch.nn.TransformerEncoder", "", "", "", "", "n t 8",
		func(g gr, p pass, x, y, z node) node {
			return nn.NewTransformerEncoder(g, "encoder", 2, 8, 2, nn.FeedForward(16)).Apply(p, x)
		}},
	{"a stack of a decoder's layers.", "torch.nn.TransformerDecoder", "", "", "", "", "n t 8; n s 8",
		func(g gr, p pass, x, y, z node) node {
			return nn.NewTransformerDecoder(g, "decoder", 2, 8, 2, nn.FeedForward(16)).ApplyTo(p, x, y)
		}},
	{"an encoder of one sequence and a decoder of another, which attends to what the encoder gives.",
		"torch.nn.Transformer", "", "", "", "", "n s 8; n t 8",
		func(g gr, p pass, x, y, z node) node {
			return nn.NewEncoderDecoder(g, "translate", 2, 2, 8, 2, nn.FeedForward(16)).ApplyTo(p, x, y)
		}},
}

var firstTable = []part{
	{"zeros.", "torch.nn.init.zeros_", "jax.nn.initializers.zeros", "keras.initializers.Zeros", "flax.linen.zeros", "",
		"", func() initializer { return nn.Zeros() }},
	{"ones.", "torch.nn.init.ones_", "jax.nn.initializers.ones", "keras.initializers.Ones", "flax.linen.ones", "", "",
		func() initializer { return nn.Ones() }},
	{"one number.", "torch.nn.init.constant_", "jax.nn.initializers.constant", "keras.initializers.Constant",
		"flax.linen.constant", "", "", func() initializer { return nn.Constant(0.5) }},
	{"the matrix with ones on its diagonal.", "torch.nn.init.eye_", "",
		"keras.initializers.Identity, keras.initializers.IdentityInitializer", "", "", "",
		func() initializer { return nn.Eye() }},
	{"the uniform distribution.", "torch.nn.init.uniform_", "jax.nn.initializers.uniform",
		"keras.initializers.RandomUniform", "", "", "", func() initializer { return nn.Uniform(-0.1, 0.1) }},
	{"the normal distribution.", "torch.nn.init.normal_", "jax.nn.initializers.normal",
		"keras.initializers.RandomNormal", "", "", "", func() initializer { return nn.Normal(0.02) }},
	{"the normal distribution between bounds.", "torch.nn.init.trunc_normal_", "jax.nn.initializers.truncated_normal",
		"keras.initializers.TruncatedNormal", "", "", "", func() initializer { return nn.TruncNormal(0, 0.02, -2, 2) }},
	{"uniform, of a variance that depends on the numbers of inputs and outputs (Glorot).",
		"torch.nn.init.xavier_uniform_", "jax.nn.initializers.glorot_uniform, jax.nn.initializers.xavier_uniform",
		"keras.initializers.GlorotUniform", "", "", "",
		func() initializer { return nn.XavierUniform() }},
	{"normal, of a variance that depends on the numbers of inputs and outputs (Glorot).",
		"torch.nn.init.xavier_normal_", "jax.nn.initializers.glorot_normal, jax.nn.initializers.xavier_normal",
		"keras.initializers.GlorotNormal", "", "", "",
		func() initializer { return nn.XavierNormal() }},
	{"uniform, of a variance that depends on the number of inputs (He); of LeCun with nn.Gain(1).",
		"torch.nn.init.kaiming_uniform_",
		"jax.nn.initializers.he_uniform, jax.nn.initializers.kaiming_uniform, jax.nn.initializers.lecun_uniform, jax.nn.initializers.variance_scaling",
		"keras.initializers.HeUniform, keras.initializers.LecunUniform, keras.initializers.VarianceScaling", "", "", "",
		func() initializer { return nn.KaimingUniform() }},
	{"normal, of a variance that depends on the number of inputs (He); of LeCun with nn.Gain(1).",
		"torch.nn.init.kaiming_normal_",
		"jax.nn.initializers.he_normal, jax.nn.initializers.kaiming_normal, jax.nn.initializers.lecun_normal",
		"keras.initializers.HeNormal, keras.initializers.LecunNormal", "", "", "", func() initializer {
			return nn.KaimingNormal(nn.FanOut())
		}},
	{"an orthogonal matrix.", "torch.nn.init.orthogonal_",
		"jax.nn.initializers.orthogonal, jax.nn.initializers.delta_orthogonal",
		"keras.initializers.Orthogonal, keras.initializers.OrthogonalInitializer", "", "", "", func() initializer {
			return nn.Orthogonal(1)
		}},
	{"a convolution that passes its channels on.", "torch.nn.init.dirac_", "", "", "", "", "4 4 3",
		func() initializer { return nn.Dirac(1) }},
	{"normal, with a share of zeros in each column.", "torch.nn.init.sparse_", "", "", "", "", "", func() initializer {
		return nn.Sparse(0.5, 0.01)
	}},
}
