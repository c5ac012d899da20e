// Package nn has layers, and initializers for their parameters. A layer is a value that is made once and applied any
// number of times; layers are composed in plain Go.
//
//	network := nn.Sequential(
//		nn.NewLinear(g, "fc1", 784, 128), nn.Func(ops.Relu), nn.Dropout(0.2),
//		nn.NewLinear(g, "fc2", 128, 10),
//	)
//	train, eval := nn.Training(g), nn.Evaluation(g)
//	loss := ops.CrossEntropy(network.Apply(train, x), label)
//	prediction := ops.ArgMax(network.Apply(eval, x), 1)
//
// A layer's name is the scope of its parameters and of its nodes, so that pictures can fold it. Names, layouts, initial
// values and formulas are PyTorch's: a state_dict is loaded by name, without transposing.
//
// In a Bool [Mask] of attention, true means that a query attends to a key, as in PyTorch's
// scaled_dot_product_attention; the masks of its MultiheadAttention and transformers are the opposite. [KeyPadding]
// takes their key_padding_mask as it is.
//
// layer.go defines layers, their composition, and dropout; pass.go is training and evaluation. option.go, apply.go and
// weighted.go (normalized weights) and quantised.go (weights of 8 and 4 bits) are shared by layers. linear.go, conv.go,
// pool.go, padding.go, resize.go, norm.go, embedding.go, recurrent.go, cell.go and convcell.go (single steps),
// adaptivesoftmax.go and dropout.go (layers that use random numbers in training, and learned slopes) are layers;
// rotary.go, attention.go (its options in attentionoption.go), cache.go, transformer.go and encoderdecoder.go those of
// transformers. init.go and initmatrix.go are initial values.
package nn
