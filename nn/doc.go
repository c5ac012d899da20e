// Package nn has layers and the first values of their parameters. A layer is a value that is made
// once and applied any number of times; composition is Go's.
//
//	network := nn.Sequential(
//		nn.NewLinear(g, "fc1", 784, 128), nn.Func(ops.Relu), nn.Dropout(0.2),
//		nn.NewLinear(g, "fc2", 128, 10),
//	)
//	train, eval := nn.Training(g), nn.Evaluation(g)
//	loss := ops.CrossEntropy(network.Apply(train, x), label)
//	prediction := ops.ArgMax(network.Apply(eval, x), 1)
//
// A layer's name is the scope of its parameters, in which its nodes stand too, so that pictures
// can fold it. Names, layouts, first values and formulas are PyTorch's: a state_dict is loaded by
// its names, without transposing.
//
// layer.go is what a layer is, how layers are put together, and dropout; pass.go is training and
// evaluation. option.go, apply.go and weighted.go (weights that are normalized) are what layers share. linear.go, conv.go, pool.go, padding.go, resize.go, norm.go,
// embedding.go, recurrent.go, cell.go and convcell.go (single steps), adaptivesoftmax.go and dropout.go (what draws in training, and learned slopes) are layers; rotary.go, attention.go (its options in
// attentionoption.go), cache.go, transformer.go and encoderdecoder.go those of transformers. init.go and
// initmatrix.go are first values.
package nn
