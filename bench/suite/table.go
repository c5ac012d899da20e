package suite

// table holds every workload, in the order in which they are run and reported.
var table = []Workload{
	{Name: "chain_1024_fwd", Kind: ChainFwd, inputs: chain(1024)},
	{Name: "chain_64_fwd", Kind: ChainFwd, inputs: chain(64)},
	{Name: "chain_1024_grad", Kind: ChainGrad, HasLoss: true, inputs: chain(1024)},
	{Name: "bias_gelu_4096x1024_fwd", Kind: BiasGelu, inputs: func(s *source) {
		s.normal("x", 4096, 1024)
		s.normal("b", 1024)
	}},
	{Name: "add_16M_fwd", Kind: AddFwd, inputs: func(s *source) {
		s.normal("x", 16<<20)
		s.normal("y", 16<<20)
	}},
	{Name: "black_scholes_1M_fwd", Kind: BlackScholes, inputs: func(s *source) {
		s.uniform("s", 10, 50, 1<<20)
		s.uniform("k", 10, 50, 1<<20)
		s.uniform("t", 1, 2, 1<<20)
		s.scalar("r", 0.1)
		s.scalar("v", 0.2)
	}},
	{Name: "softmax_1024_fwd", Kind: Softmax, inputs: func(s *source) {
		s.normal("x", 1024, 1024)
	}},
	{Name: "xent_4096x1000_grad", Kind: XentGrad, HasLoss: true, inputs: func(s *source) {
		s.normal("x", 4096, 1000)
		s.classes("t", 1000, 4096)
	}},
	{Name: "layernorm_4096x1024_grad", Kind: LayerNormGrad, HasLoss: true, inputs: func(s *source) {
		s.normal("x", 4096, 1024)
		s.normal("g", 1024)
		s.normal("b", 1024)
		s.normal("u", 4096, 1024)
	}},
	{Name: "colsum_rowsum_4096x1024_fwd", Kind: ColRowSum, inputs: func(s *source) {
		s.normal("x", 4096, 1024)
		s.normal("y", 1024)
	}},
	{Name: "matmul_1024_fwd", Kind: MatMul, inputs: product(1024, 1024, 1024)},
	{Name: "matmul_256_fwd", Kind: MatMul, inputs: product(256, 256, 256)},
	{Name: "matmul_64x784x512_fwd", Kind: MatMul, inputs: product(64, 784, 512)},
	{Name: "attention_b4_h8_s512_d64_fwd", Kind: AttentionFwd, inputs: attention(4, 8, 512, 64, "q", "k", "v")},
	{Name: "attention_b4_h8_s512_d64_grad", Kind: AttentionGrad, HasLoss: true,
		inputs: attention(4, 8, 512, 64, "q", "k", "v", "u")},
	{Name: "attention_b1_h8_s2048_d64_fwd", Kind: AttentionFwd, inputs: attention(1, 8, 2048, 64, "q", "k", "v")},
	{Name: "attention_b1_h8_s2048_d64_grad", Kind: AttentionGrad, HasLoss: true,
		inputs: attention(1, 8, 2048, 64, "q", "k", "v", "u")},
	{Name: "mlp_784_512_512_10_b64_sgd", Kind: MLP, Optimizer: SGD, HasLoss: true, inputs: mlp(64, 784, 512, 512, 10)},
	{Name: "mlp_784_512_512_10_b64_adam", Kind: MLP, Optimizer: Adam, HasLoss: true,
		inputs: mlp(64, 784, 512, 512, 10)},
	{Name: "mlp_64_32_10_b32_sgd", Kind: MLP, Optimizer: SGD, HasLoss: true, inputs: mlp(32, 64, 32, 10)},
	{Name: "logreg_16_b32_sgd", Kind: LogReg, Optimizer: SGD, HasLoss: true, inputs: func(s *source) {
		s.normal("x", 32, 16)
		s.coins("t", 32, 1)
		s.weight("w", 16, 1)
		s.zeros("b", 1)
	}},
	{Name: "transformer_b8_s128_d256_sgd", Kind: Transformer, Optimizer: SGD, HasLoss: true,
		inputs: transformer(8, 128, 256)},
	{Name: "lstm_b32_t64_i128_h256_sgd", Kind: LSTM, Optimizer: SGD, HasLoss: true, inputs: func(s *source) {
		s.normal("x", 32, 64, 128)
		s.classes("t", 10, 32)
		s.weight("lstm.weight_ih_l0", 4*256, 128)
		s.weight("lstm.weight_hh_l0", 4*256, 256)
		s.zeros("lstm.bias_ih_l0", 4*256)
		s.zeros("lstm.bias_hh_l0", 4*256)
		s.weight("w", 256, 10)
	}},
	{Name: "lenet_b64_sgd", Kind: LeNet, Optimizer: SGD, HasLoss: true, inputs: func(s *source) {
		s.normal("x", 64, 1, 28, 28)
		s.classes("t", 10, 64)
		s.weight("c1", 6, 1, LeNetFilters, LeNetFilters)
		s.weight("c2", 16, 6, LeNetFilters, LeNetFilters)
		s.weight("w1", 256, 120)
		s.weight("w2", 120, 84)
		s.weight("w3", 84, 10)
	}},
	{Name: "gpt_l6_d384_s256_v65_b4_adam", Kind: GPT, Optimizer: Adam, HasLoss: true, inputs: gpt(6, 384, 65, 256, 4)},
	{Name: "gpt_l2_d256_s512_v50257_b2_adam", Kind: GPT, Optimizer: Adam, HasLoss: true,
		inputs: gpt(2, 256, 50257, 512, 2)},
	{Name: "gpt2_l12_d768_s128_v50257_b1_fwd", Kind: GPTFwd, inputs: evaluated(gpt(12, 768, 50257, 128, 1))},
	{Name: "resnet18_b1_224_fwd", Kind: ResNetFwd, inputs: evaluated(resNet18(1, 224))},
	{Name: "resnet18_b16_64_sgd", Kind: ResNet, Optimizer: SGD, HasLoss: true, inputs: resNet18(16, 64)},
	{Name: "skipgram_v50k_d128_b1024_n5_sgd", Kind: SkipGram, Optimizer: SGD, HasLoss: true,
		inputs: skipGram(50000, 128, 1024, 6)},
	{Name: "pinn_2_64x4_1_b4096_adam", Kind: PINN, Optimizer: Adam, HasLoss: true,
		inputs: pinn(4096, 2, 64, 64, 64, 64, 1)},
	{Name: "mobilenetv2_b1_224_fwd", Kind: MobileNetFwd, Group: MoreModels, inputs: evaluated(mobileNet(1, 224))},
	{Name: "mobilenetv2_b8_96_sgd", Kind: MobileNet, Group: MoreModels, Optimizer: SGD, HasLoss: true,
		inputs: mobileNet(8, 96)},
	{Name: "unet_b4_64_sgd", Kind: UNet, Group: MoreModels, Optimizer: SGD, HasLoss: true, inputs: uNet(4, 64)},
	{Name: "vae_b64_28_sgd", Kind: VAE, Group: MoreModels, Optimizer: SGD, HasLoss: true, inputs: vae(64, 28, 32)},
	{Name: "gru_l2_bi_b32_s64_h128_sgd", Kind: GRU, Group: MoreModels, Optimizer: SGD, HasLoss: true,
		inputs: gru(32, 64, 128, 128)},
	{Name: "vit_b8_128_sgd", Kind: ViT, Group: MoreModels, Optimizer: SGD, HasLoss: true,
		inputs: vit(8, 128, 16, 192, 6)},
	{Name: "dlrm_b512_sgd", Kind: DLRM, Group: MoreModels, Optimizer: SGD, HasLoss: true,
		inputs: dlrm(512, 8, 10000, 64)},
	{Name: "llama_l4_d384_s256_v8000_b2_adam", Kind: Llama, Group: SequenceModels, Optimizer: Adam, HasLoss: true,
		inputs: llama(SmallLlama, 2, 256, 0)},
	{Name: "llama_l8_d512_decode512_b1_fwd", Kind: LlamaCached, Group: SequenceModels,
		inputs: evaluated(llama(LargerLlama, 1, 1, 512))},
	{Name: "llama_l8_d512_prefill512_b1_fwd", Kind: LlamaCached, Group: SequenceModels,
		inputs: evaluated(llama(LargerLlama, 1, 512, 512))},
	{Name: "bert_l4_d256_s128_v8000_b8_adam", Kind: BERT, Group: SequenceModels, Optimizer: Adam, HasLoss: true,
		inputs: bert(SmallBERT, 8, 20)},
	{Name: "t5_l3_d256_s128_t64_v8000_b8_adam", Kind: T5, Group: SequenceModels, Optimizer: Adam, HasLoss: true,
		inputs: t5(SmallT5, 8, 128, 64)},
	{Name: "moe_dense_l2_d256_e8_n1024_sgd", Kind: MoEDense, Group: SequenceModels, Optimizer: SGD, HasLoss: true,
		inputs: mixture(SmallMixture, 1024)},
	{Name: "moe_l2_d256_e8_n1024_sgd", Kind: MoE, Group: SequenceModels, Optimizer: SGD, HasLoss: true,
		inputs: mixture(SmallMixture, 1024)},
	{Name: "translator_h256_s40_t30_b32_sgd", Kind: Translator, Group: SequenceModels, Optimizer: SGD, HasLoss: true,
		inputs: translator(SmallTranslator, 32, 40, 30)},
	{Name: "mamba_l2_d192_n16_s128_b4_sgd", Kind: Mamba, Group: SequenceModels, Optimizer: SGD, HasLoss: true,
		inputs: mamba(SmallMamba, 4, 128)},
	{Name: "wavenet_l10_c64_s2048_b4_sgd", Kind: WaveNet, Group: SequenceModels, Optimizer: SGD, HasLoss: true,
		inputs: wave(SmallWave, 4, 2048)},
	{Name: "recognizer_h192_s200_b8_sgd", Kind: Recognizer, Group: SequenceModels, Optimizer: SGD, HasLoss: true,
		inputs: recognizer(SmallRecognizer, 8, 200, 24)},
	{Name: "conformer_l2_d144_s128_b8_sgd", Kind: Conformer, Group: SequenceModels, Optimizer: SGD, HasLoss: true,
		inputs: conformer(SmallConformer, 8, 128)},
	{Name: "relative_l2_d256_s128_m128_b4_sgd", Kind: Relative, Group: SequenceModels, Optimizer: SGD, HasLoss: true,
		inputs: relative(SmallRelative, 4)},
	{Name: "luong_h256_s40_t30_b32_sgd", Kind: Luong, Group: SequenceModels, Optimizer: SGD, HasLoss: true,
		inputs: luong(SmallLuong, 32, 40, 30)},
	{Name: "lstm_lm_l2_h200_v10000_s35_b20_sgd", Kind: Language, Group: SequenceModels, Optimizer: SGD, HasLoss: true,
		inputs: language(SmallLanguage, 20, 35)},
	{Name: "performer_l2_d256_s512_b2_sgd", Kind: Performer, Group: SequenceModels, Optimizer: SGD, HasLoss: true,
		inputs: performer(SmallPerformer, 2, 512)},
	{Name: "retnet_l2_d256_s256_b4_sgd", Kind: RetNet, Group: SequenceModels, Optimizer: SGD, HasLoss: true,
		inputs: retNet(SmallRetNet, 4, 256)},
	{Name: "perceiver_l4_d192_s1024_b8_sgd", Kind: Perceiver, Group: SequenceModels, Optimizer: SGD, HasLoss: true,
		inputs: perceiver(SmallPerceiver, 8, 1024, 64)},
	{Name: "tcn_l6_c64_s512_b8_sgd", Kind: Temporal, Group: SequenceModels, Optimizer: SGD, HasLoss: true,
		inputs: temporal(SmallTemporal, 8, 512, 16)},
	{Name: "convnext_b8_96_sgd", Kind: ConvNeXt, Group: ImageModels, Optimizer: SGD, HasLoss: true,
		inputs: convNeXt(8, 96)},
	{Name: "dcgan_b32_32_adam", Kind: DCGAN, Group: ImageModels, Optimizer: Adam, HasLoss: true,
		inputs: dcgan(32, 100)},
	{Name: "densenet_b16_32_sgd", Kind: DenseNet, Group: ImageModels, Optimizer: SGD, HasLoss: true,
		inputs: denseNet(16, 32)},
	{Name: "diffusion_b4_32_adam", Kind: Diffusion, Group: ImageModels, Optimizer: Adam, HasLoss: true,
		inputs: diffusion(4, 32, 64)},
	{Name: "swin_b4_224_sgd", Kind: Swin, Group: ImageModels, Optimizer: SGD, HasLoss: true, inputs: swin(4, 224, 96)},
	{Name: "mixer_b8_128_sgd", Kind: Mixer, Group: ImageModels, Optimizer: SGD, HasLoss: true,
		inputs: mixer(8, 128, 16, 256, 6)},
	{Name: "video_b2_16x56_sgd", Kind: Video, Group: ImageModels, Optimizer: SGD, HasLoss: true,
		inputs: video(2, 16, 56)},
	{Name: "efficientnet_b8_96_sgd", Kind: Efficient, Group: ImageModels, Optimizer: SGD, HasLoss: true,
		inputs: efficientNet(8, 96)},
	{Name: "efficientnet_b1_224_fwd", Kind: EfficientFwd, Group: ImageModels, inputs: evaluated(efficientNet(1, 224))},
	{Name: "vgg11_b2_96_sgd", Kind: VGG, Group: ImageModels, Optimizer: SGD, HasLoss: true, inputs: vgg(2, 96)},
	{Name: "vgg11_b1_224_fwd", Kind: VGGFwd, Group: ImageModels, inputs: evaluated(vgg(1, 224))},
	{Name: "shufflenetv2_b8_96_sgd", Kind: ShuffleNet, Group: ImageModels, Optimizer: SGD, HasLoss: true,
		inputs: shuffleNet(8, 96)},
	{Name: "inception_b8_96_sgd", Kind: Inception, Group: ImageModels, Optimizer: SGD, HasLoss: true,
		inputs: inception(8, 96)},
	{Name: "pointnet_b8_n1024_sgd", Kind: PointNet, Group: ImageModels, Optimizer: SGD, HasLoss: true,
		inputs: pointNet(8, 1024)},
	{Name: "spatial_transformer_b64_28_sgd", Kind: Spatial, Group: ImageModels, Optimizer: SGD, HasLoss: true,
		inputs: spatial(64, 28)},
	{Name: "wgan_gp_b16_32_sgd", Kind: Critic, Group: ImageModels, Optimizer: SGD, HasLoss: true,
		inputs: critic(16, 32)},
	{Name: "glow_b8_32_sgd", Kind: Flow, Group: ImageModels, Optimizer: SGD, HasLoss: true, inputs: flow(8, 32, 64)},
	{Name: "pixelcnn_b4_28_sgd", Kind: Pixels, Group: ImageModels, Optimizer: SGD, HasLoss: true,
		inputs: pixels(4, 28, 64, 256)},
	{Name: "cyclegan_b1_96_sgd", Kind: Images, Group: ImageModels, Optimizer: SGD, HasLoss: true,
		inputs: images(1, 96, 32)},
	{Name: "style_transfer_128_sgd", Kind: Style, Group: ImageModels, Optimizer: SGD, HasLoss: true,
		inputs: style(128)},
	{Name: "superresolution_b2_24_sgd", Kind: Resolution, Group: ImageModels, Optimizer: SGD, HasLoss: true,
		inputs: resolution(2, 24, 64)},
	{Name: "gat_n2708_e10556_adam", Kind: GAT, Group: ScientificModels, Optimizer: Adam, HasLoss: true,
		inputs: gat(2708, 10556, 1433, 8, 8)},
	{Name: "nerf_b256_s32_adam", Kind: NeRF, Group: ScientificModels, Optimizer: Adam, HasLoss: true,
		inputs: nerf(256, 32, 256, 6)},
	{Name: "neural_ode_b128_sgd", Kind: NeuralODE, Group: ScientificModels, Optimizer: SGD, HasLoss: true,
		inputs: neuralODE(128, 16, 128)},
	{Name: "heat_n128_sgd", Kind: Heat, Group: ScientificModels, Optimizer: SGD, HasLoss: true, inputs: torus(128)},
	{Name: "nbody_n128_sgd", Kind: NBody, Group: ScientificModels, Optimizer: SGD, HasLoss: true, inputs: bodies(128)},
	{Name: "gaussian_process_n500_adam", Kind: Gaussian, Group: ScientificModels, Optimizer: Adam, HasLoss: true,
		inputs: gaussianProcess(500, 8)},
	{Name: "clip_n512_d256_sgd", Kind: Contrast, Group: ScientificModels, Optimizer: SGD, HasLoss: true,
		inputs: contrast(512, 512, 1024, 256)},
	{Name: "maml_s5_q25_28_sgd", Kind: Meta, Group: ScientificModels, Optimizer: SGD, HasLoss: true,
		inputs: meta(5, 25, 28, 32)},
	{Name: "dqn_b32_84_sgd", Kind: Player, Group: ScientificModels, Optimizer: SGD, HasLoss: true, inputs: player(32)},
	{Name: "gcn_n10000_e100000_sgd", Kind: GCN, Group: ScientificModels, Optimizer: SGD, HasLoss: true,
		inputs: gcn(10000, 100000, 128, 64)},
	{Name: "folding_s16_r64_sgd", Kind: Folding, Group: StructuredModels, Optimizer: SGD, HasLoss: true,
		inputs: folding(16, 64, 64, 32)},
	{Name: "fourier_b8_64_adam", Kind: Fourier, Group: StructuredModels, Optimizer: Adam, HasLoss: true,
		inputs: fourier(8, 64, 32)},
	{Name: "splines_784_64_10_b128_sgd", Kind: Splines, Group: StructuredModels, Optimizer: SGD, HasLoss: true,
		inputs: splines(128, 784, 64, 10)},
	{Name: "capsules_b16_28_adam", Kind: Capsules, Group: StructuredModels, Optimizer: Adam, HasLoss: true,
		inputs: capsules(16, 28)},
	{Name: "nowcast_b4_t8_32_sgd", Kind: Nowcast, Group: StructuredModels, Optimizer: SGD, HasLoss: true,
		inputs: nowcast(4, 8, 32, 32)},
	{Name: "tagger_b16_t40_sgd", Kind: Tagger, Group: StructuredModels, Optimizer: SGD, HasLoss: true,
		inputs: tagger(16, 40, 5000, 100, 20)},
	{Name: "molecules_b16_n24_d64_adam", Kind: Molecules, Group: StructuredModels, Optimizer: Adam, HasLoss: true,
		inputs: molecules(16, 24, 64)},
	{Name: "transport_n256_sgd", Kind: Transport, Group: StructuredModels, Optimizer: SGD, HasLoss: true,
		inputs: transport(256, 64, 32)},
	{Name: "policy_b2048_adam", Kind: Policy, Group: StructuredModels, Optimizer: Adam, HasLoss: true,
		inputs: policy(2048, 17, 6, 64)},
	{Name: "hashed_n4096_adam", Kind: Hashed, Group: StructuredModels, Optimizer: Adam, HasLoss: true,
		inputs: hashed(4096, 64)},
}

// chain makes x [n,n], y [n] and b [n,1].
func chain(n int) func(*source) {
	return func(s *source) {
		s.normal("x", n, n)
		s.normal("y", n)
		s.normal("b", n, 1)
	}
}

// product makes x [m,k] and y [k,n].
func product(m, k, n int) func(*source) {
	return func(s *source) {
		s.normal("x", m, k)
		s.normal("y", k, n)
	}
}

// attention makes inputs of [batch, heads, length, width].
func attention(batch, heads, length, width int, names ...string) func(*source) {
	return func(s *source) {
		for _, name := range names {
			s.normal(name, batch, heads, length, width)
		}
	}
}

// mlp makes a batch with its classes, and layers of those widths.
func mlp(batch int, widths ...int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, widths[0])
		s.classes("t", widths[len(widths)-1], batch)
		s.layers(widths)
	}
}

// layers makes a weight and a bias between each two of the widths.
func (s *source) layers(widths []int) {
	for i := range len(widths) - 1 {
		s.weight(numbered("w", i), widths[i], widths[i+1])
		s.zeros(numbered("b", i), widths[i+1])
	}
}

// transformer makes a batch of sequences of vectors of width d, and the
// parameters of one block.
func transformer(batch, length, d int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, length, d)
		s.weight("wqkv", d, 3*d)
		s.weight("wo", d, d)
		s.weight("w1", d, 4*d)
		s.weight("w2", 4*d, d)
		s.ones("g1", d)
		s.zeros("b1", d)
		s.ones("g2", d)
		s.zeros("b2", d)
	}
}
