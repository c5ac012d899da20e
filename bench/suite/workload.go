package suite

import "strings"

// Kind is the computation of a workload, without its sizes. A library has one builder per kind; the sizes follow from
// the shapes of the inputs.
type Kind string

// The kinds. Names of inputs in parentheses; "train" means that one call
// computes the loss, its gradients and the new parameters.
const (
	ChainFwd      Kind = "chain_fwd"      // tanh(x*y + b)*x - y
	ChainGrad     Kind = "chain_grad"     // its sum, and the gradients for x, y and b
	BiasGelu      Kind = "bias_gelu"      // exact GELU of x + b
	AddFwd        Kind = "add"            // x + y
	BlackScholes  Kind = "black_scholes"  // call prices (s, k, t, r, v)
	Softmax       Kind = "softmax"        // of x over its last axis
	XentGrad      Kind = "xent_grad"      // mean cross-entropy (x, t), and the gradient for x
	LayerNormGrad Kind = "layernorm_grad" // sum(layer_norm(x; g, b) * u), and the gradients for x, g and b
	ColRowSum     Kind = "colsum_rowsum"  // x*y summed over axis 0, and over axis 1
	MatMul        Kind = "matmul"         // x @ y
	AttentionFwd  Kind = "attention"      // causal attention of q, k and v, scaled by the root of their last axis
	AttentionGrad Kind = "attention_grad" // the sum of it times u, and the gradients for q, k and v
	MLP           Kind = "mlp"            // train: ReLU layers (w0, b0, w1, …), cross-entropy (x, t)
	LogReg        Kind = "logreg"         // train: binary cross-entropy of x @ w + b against t
	Transformer   Kind = "transformer"    // train: one pre-norm block, 8 heads, mean of squares
	// train: an LSTM (lstm.weight_ih_l0, …), its last place times w, cross-entropy (x, t)
	LSTM  Kind = "lstm"
	LeNet Kind = "lenet" // train: conv, pool, conv, pool, three products, cross-entropy (x, t)
	// train: pre-norm decoder with a tied embedding, heads of 64, cross-entropy (x, t)
	GPT       Kind = "gpt"
	GPTFwd    Kind = "gpt_fwd"    // its logits
	ResNet    Kind = "resnet"     // train: ResNet-18 with batch norm, cross-entropy (x, t)
	ResNetFwd Kind = "resnet_fwd" // its logits, by running statistics
	// train: binary cross-entropy of centres (i) with contexts (j), y says which are true
	SkipGram     Kind = "skipgram"
	PINN         Kind = "pinn"          // train: tanh layers u(x, t); mean (u_t - u_xx)^2 + mean (u - sin x)^2
	MobileNet    Kind = "mobilenet"     // train: MobileNetV2 with batch norm, cross-entropy (x, t)
	MobileNetFwd Kind = "mobilenet_fwd" // its logits, by running statistics
	UNet         Kind = "unet"          // train: images x halved twice and doubled again, mean of squares
	VAE          Kind = "vae"           // train: images x, noise eps; binary cross-entropy and divergence
	// train: two layers in both directions (gru.weight_ih_l0, …), the mean of places, cross-entropy (x, t)
	GRU Kind = "gru"
	// train: patches, a class token, pre-norm blocks, heads of 64, cross-entropy (x, t)
	ViT Kind = "vit"
	// train: layers for x, tables e0, … for classes i0, …, products of pairs, layers, binary cross-entropy (t)
	DLRM Kind = "dlrm"
	// train: decoder with rotary positions, grouped queries and gated layers, cross-entropy (x, t)
	Llama Kind = "llama"
	// its last logits, after places whose keys and values are kept (keys0, values0, …, place)
	LlamaCached Kind = "llama_cached"
	// train: post-norm encoder of sequences of lengths, cross-entropy at places (x, lengths, places, t)
	BERT Kind = "bert"
	// train: encoder (x) and decoder (y) whose attention knows distances, cross-entropy (t)
	T5       Kind = "t5"
	MoEDense Kind = "moe_dense" // train: layers of experts, all computed for all rows, cross-entropy (x, t)
	MoE      Kind = "moe"       // train: the same, each computed for rows that are given to it
	// train: recurrent encoder (x, lengths) and decoder (y) with additive attention, cross-entropy (t)
	Translator Kind = "translator"
	// train: causal convolutions and loops over states that fade as the input says, cross-entropy (x, t)
	Mamba   Kind = "mamba"
	WaveNet Kind = "wavenet" // train: dilated causal convolutions with gates, cross-entropy (x, t)
	// train: convolutions on spectra x, recurrent layers in both directions, CTC (letters, lengths)
	Recognizer Kind = "recognizer"
	// train: blocks of attention and convolutions along the sequence, cross-entropy (x, t)
	Conformer Kind = "conformer"
	// train: decoder that compares queries with keys of its past and with distances, cross-entropy (x, t)
	Relative Kind = "relative"
	// train: stages of depthwise 7x7 convolutions and linear layers, cross-entropy (x, t)
	ConvNeXt  Kind = "convnext"
	DCGAN     Kind = "dcgan"     // train: a generator of images and a critic of them, binary cross-entropy (x)
	DenseNet  Kind = "densenet"  // train: dense blocks with batch norm, cross-entropy (x, t)
	Diffusion Kind = "diffusion" // train: the noise in images (x, noise, time), mean square error
	Swin      Kind = "swin"      // train: attention in windows that move, cross-entropy (x, t)
	Mixer     Kind = "mixer"     // train: layers across places and across channels, cross-entropy (x, t)
	Video     Kind = "video"     // train: 3-D convolutions, cross-entropy (x, t)
	GAT       Kind = "gat"       // train: attention along edges (from, to), cross-entropy (x, t)
	NeRF      Kind = "nerf"      // train: colours of rays (origin, direction, step, colour), mean square error
	// train: Runge and Kutta's steps through layers from x to y, mean square error
	NeuralODE Kind = "neural_ode"
	// train: conductivity (conductivity) with which temperatures get from x to y, mean square error
	Heat Kind = "heat"
	// train: speeds with which bodies (mass) get from x to y under gravity, mean square error
	NBody        Kind = "nbody"
	Gaussian     Kind = "gaussian"      // train: likelihood of values (x, y)
	Efficient    Kind = "efficient"     // train: EfficientNet-B0 with batch norm, cross-entropy (x, t)
	EfficientFwd Kind = "efficient_fwd" // its logits, by running statistics
	// train: VGG-11 without elements of layers (stay0, stay1), cross-entropy (x, t)
	VGG        Kind = "vgg"
	VGGFwd     Kind = "vgg_fwd"    // its logits
	ShuffleNet Kind = "shufflenet" // train: ShuffleNetV2 with batch norm, cross-entropy (x, t)
	Inception  Kind = "inception"  // train: blocks of convolutions beside each other, cross-entropy (x, t)
	// train: layers for each point of clouds and the maximum over points, cross-entropy (x, t)
	PointNet Kind = "pointnet"
	Spatial  Kind = "spatial" // train: convolutions on images that others have moved, cross-entropy (x, t)
	Critic   Kind = "critic"  // train: what a critic gives images (x, y), and its gradients between them
	Flow     Kind = "flow"    // train: likelihood of images x by steps that can be undone
	Pixels   Kind = "pixels"  // train: masked convolutions, cross-entropy of pixels (x, t)
	// train: images x to be y by residual blocks with mirrored borders, mean magnitude of errors
	Images Kind = "images"
	// train: an image x by the features of others (content, style), mean square errors
	Style Kind = "style"
	// train: images x enlarged to be y by channels that become places, mean magnitude of errors
	Resolution Kind = "resolution"
	// train: recurrent encoder (x) and decoder (y) with products of their states, cross-entropy (t)
	Luong    Kind = "luong"
	Language Kind = "language" // train: recurrent layers that go on from states (h, c), cross-entropy (x, t)
	// train: blocks with random features of queries and keys, cross-entropy (x, t)
	Performer Kind = "performer"
	RetNet    Kind = "retnet"    // train: blocks whose attention fades with distances, cross-entropy (x, t)
	Perceiver Kind = "perceiver" // train: a few vectors that look at long sequences x, cross-entropy (t)
	Temporal  Kind = "temporal"  // train: dilated causal convolutions with weight norm, cross-entropy (x, t)
	// train: layers for images and texts that belong together, cross-entropy of all pairs
	Contrast Kind = "contrast"
	// train: what tasks (x0, t0, …) lose after a step of their own (tryx0, tryt0, …)
	Meta   Kind = "meta"
	Player Kind = "player" // train: the worth of moves before (x) and after (y) them, by Huber's loss
	// train: sums of what neighbours have along edges (from, to), cross-entropy (x, t)
	GCN Kind = "gcn"
	// train: sequences x and pairs of places z that tell each other, means of squares
	Folding Kind = "folding"
	// train: products of low frequencies with matrices, from x to y, mean square error
	Fourier  Kind = "fourier"
	Splines  Kind = "splines"  // train: layers of splines (knots0, …) of each element, cross-entropy (x, t)
	Capsules Kind = "capsules" // train: vectors that agree on classes, margins (x, t)
	// train: recurrent convolutions of images x, the one behind them (y), mean square error
	Nowcast Kind = "nowcast"
	// train: recurrent layers in both directions, likelihood of tags one after the other (x, t)
	Tagger Kind = "tagger"
	// train: atoms (h) at places (x) that tell and move each other, mean square errors (y, to)
	Molecules Kind = "molecules"
	Transport Kind = "transport" // train: the cost of moving points x to y by a smooth plan
	Policy    Kind = "policy"    // train: moves (x, move, gain, before) and what they are worth (worth)
	// train: hashed tables for corners of cells, colours of points (x, y), mean square error
	Hashed Kind = "hashed"
)

// Optimizer is the update rule of a training workload.
type Optimizer string

// The update rules: plain p -= 0.01 g, and Adam with a rate of 0.001, betas
// of 0.9 and 0.999 and an epsilon of 1e-8.
const (
	SGD  Optimizer = "sgd"
	Adam Optimizer = "adam"
)

// The constants of the update rules, and of layer norm.
const (
	SGDRate      = 0.01
	AdamRate     = 1e-3
	AdamBeta1    = 0.9
	AdamBeta2    = 0.999
	AdamEpsilon  = 1e-8
	NormEpsilon  = 1e-5
	NumberHeads  = 8   // attention heads of the transformer
	PoolWindow   = 2   // window and stride of LeNet's max pooling
	LeNetFilters = 5   // height and width of LeNet's filters
	HeadWidth    = 64  // of the decoder's and the vision transformer's attention
	NormGroups   = 8   // groups of channels that the U-Net's group norm has
	Momentum     = 0.1 // of running statistics
)

// Group is a part of the table with separate geometric means.
type Group string

// The groups. Most workloads are in the first, which has no name.
const (
	Main             Group = ""
	MoreModels       Group = "more models"
	SequenceModels   Group = "sequence models"
	ImageModels      Group = "image models"
	ScientificModels Group = "scientific models"
	StructuredModels Group = "structured models"
)

// Groups lists them in the order of the table.
var Groups = []Group{Main, MoreModels, SequenceModels, ImageModels, ScientificModels, StructuredModels}

// Of is what follows the name of a quantity in a sentence: " of" and the group's name, if it has one.
func (g Group) Of() string {
	if g == Main {
		return ""
	}
	return " of " + string(g)
}

// Workload is one row of the table.
type Workload struct {
	Name  string
	Kind  Kind
	Group Group
	// Optimizer is empty if nothing is trained.
	Optimizer Optimizer
	// HasLoss says that the first result is a scalar worth reporting.
	HasLoss bool

	inputs func(*source)
}

// Inputs makes the data, the same in every call.
func (w Workload) Inputs() *Inputs {
	s := newSource()
	w.inputs(s)
	return &s.in
}

// All lists the workloads in the order of the table. The slice is the caller's.
func All() []Workload {
	return append([]Workload(nil), table...)
}

// Lookup finds a workload by its full name.
func Lookup(name string) (Workload, bool) {
	for _, w := range table {
		if w.Name == name {
			return w, true
		}
	}
	return Workload{}, false
}

// Match lists, in the order of the table, the workloads whose name contains one
// of the parts; all of them when there is no part.
func Match(parts []string) []Workload {
	if len(parts) == 0 {
		return All()
	}
	var found []Workload
	for _, w := range table {
		for _, p := range parts {
			if strings.Contains(w.Name, p) {
				found = append(found, w)
				break
			}
		}
	}
	return found
}
