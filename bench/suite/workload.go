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
	LSTM          Kind = "lstm"           // train: an LSTM (lstm.weight_ih_l0, …), its last place times w, cross-entropy (x, t)
	LeNet         Kind = "lenet"          // train: conv, pool, conv, pool, three products, cross-entropy (x, t)
	GPT           Kind = "gpt"            // train: pre-norm decoder with a tied embedding, heads of 64, cross-entropy (x, t)
	GPTFwd        Kind = "gpt_fwd"        // its logits
	ResNet        Kind = "resnet"         // train: ResNet-18 with batch norm, cross-entropy (x, t)
	ResNetFwd     Kind = "resnet_fwd"     // its logits, by running statistics
	SkipGram      Kind = "skipgram"       // train: binary cross-entropy of centres (i) with contexts (j), y says which are true
	PINN          Kind = "pinn"           // train: tanh layers u(x, t); mean (u_t - u_xx)^2 + mean (u - sin x)^2
	MobileNet     Kind = "mobilenet"      // train: MobileNetV2 with batch norm, cross-entropy (x, t)
	MobileNetFwd  Kind = "mobilenet_fwd"  // its logits, by running statistics
	UNet          Kind = "unet"           // train: images x halved twice and doubled again, mean of squares
	VAE           Kind = "vae"            // train: images x, noise eps; binary cross-entropy and divergence
	GRU           Kind = "gru"            // train: two layers in both directions (gru.weight_ih_l0, …), the mean of places, cross-entropy (x, t)
	ViT           Kind = "vit"            // train: patches, a class token, pre-norm blocks, heads of 64, cross-entropy (x, t)
	DLRM          Kind = "dlrm"           // train: layers for x, tables e0, … for classes i0, …, products of pairs, layers, binary cross-entropy (t)
	Llama         Kind = "llama"          // train: decoder with rotary positions, grouped queries and gated layers, cross-entropy (x, t)
	LlamaCached   Kind = "llama_cached"   // its last logits, after places whose keys and values are kept (keys0, values0, …, place)
	BERT          Kind = "bert"           // train: post-norm encoder of sequences of lengths, cross-entropy at places (x, lengths, places, t)
	T5            Kind = "t5"             // train: encoder (x) and decoder (y) whose attention knows distances, cross-entropy (t)
	MoEDense      Kind = "moe_dense"      // train: layers of experts, all computed for all rows, cross-entropy (x, t)
	MoE           Kind = "moe"            // train: the same, each computed for rows that are given to it
	Translator    Kind = "translator"     // train: recurrent encoder (x, lengths) and decoder (y) with additive attention, cross-entropy (t)
	Mamba         Kind = "mamba"          // train: causal convolutions and loops over states that fade as the input says, cross-entropy (x, t)
	WaveNet       Kind = "wavenet"        // train: dilated causal convolutions with gates, cross-entropy (x, t)
	Recognizer    Kind = "recognizer"     // train: convolutions on spectra x, recurrent layers in both directions, CTC (letters, lengths)
	Conformer     Kind = "conformer"      // train: blocks of attention and convolutions along the sequence, cross-entropy (x, t)
	Relative      Kind = "relative"       // train: decoder that compares queries with keys of its past and with distances, cross-entropy (x, t)
	ConvNeXt      Kind = "convnext"       // train: stages of depthwise 7x7 convolutions and linear layers, cross-entropy (x, t)
	DCGAN         Kind = "dcgan"          // train: a generator of images and a critic of them, binary cross-entropy (x)
	DenseNet      Kind = "densenet"       // train: dense blocks with batch norm, cross-entropy (x, t)
	Diffusion     Kind = "diffusion"      // train: the noise in images (x, noise, time), mean square error
	Swin          Kind = "swin"           // train: attention in windows that move, cross-entropy (x, t)
	Mixer         Kind = "mixer"          // train: layers across places and across channels, cross-entropy (x, t)
	Video         Kind = "video"          // train: 3-D convolutions, cross-entropy (x, t)
	GAT           Kind = "gat"            // train: attention along edges (from, to), cross-entropy (x, t)
	NeRF          Kind = "nerf"           // train: colours of rays (origin, direction, step, colour), mean square error
	NeuralODE     Kind = "neural_ode"     // train: Runge and Kutta's steps through layers from x to y, mean square error
	Heat          Kind = "heat"           // train: conductivity (conductivity) with which temperatures get from x to y, mean square error
	NBody         Kind = "nbody"          // train: speeds with which bodies (mass) get from x to y under gravity, mean square error
	Gaussian      Kind = "gaussian"       // train: likelihood of values (x, y)
	Efficient     Kind = "efficient"      // train: EfficientNet-B0 with batch norm, cross-entropy (x, t)
	EfficientFwd  Kind = "efficient_fwd"  // its logits, by running statistics
	VGG           Kind = "vgg"            // train: VGG-11 without elements of layers (stay0, stay1), cross-entropy (x, t)
	VGGFwd        Kind = "vgg_fwd"        // its logits
	ShuffleNet    Kind = "shufflenet"     // train: ShuffleNetV2 with batch norm, cross-entropy (x, t)
	Inception     Kind = "inception"      // train: blocks of convolutions beside each other, cross-entropy (x, t)
	PointNet      Kind = "pointnet"       // train: layers for each point of clouds and the maximum over points, cross-entropy (x, t)
	Spatial       Kind = "spatial"        // train: convolutions on images that others have moved, cross-entropy (x, t)
	Critic        Kind = "critic"         // train: what a critic gives images (x, y), and its gradients between them
	Flow          Kind = "flow"           // train: likelihood of images x by steps that can be undone
	Pixels        Kind = "pixels"         // train: masked convolutions, cross-entropy of pixels (x, t)
	Images        Kind = "images"         // train: images x to be y by residual blocks with mirrored borders, mean magnitude of errors
	Style         Kind = "style"          // train: an image x by the features of others (content, style), mean square errors
	Resolution    Kind = "resolution"     // train: images x enlarged to be y by channels that become places, mean magnitude of errors
	Luong         Kind = "luong"          // train: recurrent encoder (x) and decoder (y) with products of their states, cross-entropy (t)
	Language      Kind = "language"       // train: recurrent layers that go on from states (h, c), cross-entropy (x, t)
	Performer     Kind = "performer"      // train: blocks with random features of queries and keys, cross-entropy (x, t)
	RetNet        Kind = "retnet"         // train: blocks whose attention fades with distances, cross-entropy (x, t)
	Perceiver     Kind = "perceiver"      // train: a few vectors that look at long sequences x, cross-entropy (t)
	Temporal      Kind = "temporal"       // train: dilated causal convolutions with weight norm, cross-entropy (x, t)
	Contrast      Kind = "contrast"       // train: layers for images and texts that belong together, cross-entropy of all pairs
	Meta          Kind = "meta"           // train: what tasks (x0, t0, …) lose after a step of their own (tryx0, tryt0, …)
	Player        Kind = "player"         // train: the worth of moves before (x) and after (y) them, by Huber's loss
	GCN           Kind = "gcn"            // train: sums of what neighbours have along edges (from, to), cross-entropy (x, t)
	Folding       Kind = "folding"        // train: sequences x and pairs of places z that tell each other, means of squares
	Fourier       Kind = "fourier"        // train: products of low frequencies with matrices, from x to y, mean square error
	Splines       Kind = "splines"        // train: layers of splines (knots0, …) of each element, cross-entropy (x, t)
	Capsules      Kind = "capsules"       // train: vectors that agree on classes, margins (x, t)
	Nowcast       Kind = "nowcast"        // train: recurrent convolutions of images x, the one behind them (y), mean square error
	Tagger        Kind = "tagger"         // train: recurrent layers in both directions, likelihood of tags one after the other (x, t)
	Molecules     Kind = "molecules"      // train: atoms (h) at places (x) that tell and move each other, mean square errors (y, to)
	Transport     Kind = "transport"      // train: the cost of moving points x to y by a smooth plan
	Policy        Kind = "policy"         // train: moves (x, move, gain, before) and what they are worth (worth)
	Hashed        Kind = "hashed"         // train: hashed tables for corners of cells, colours of points (x, y), mean square error
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
