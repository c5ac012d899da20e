package main

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// normalizing are softmaxes, normalisations, gates and statistics.
var normalizing = []entry{
	{"1000 1000", "F.softmax(x, 0)", func(x, y, z node) node { return ops.Softmax(x, 0) }},
	{"100000 10", "F.softmax(x, 1)", func(x, y, z node) node { return ops.Softmax(x, 1) }},
	{"8 21 64 64", "F.softmax(x, 1)", func(x, y, z node) node { return ops.Softmax(x, 1) }},
	{"8 21 64 64", "F.log_softmax(x, 1)", func(x, y, z node) node { return ops.LogSoftmax(x, 1) }},
	{"bfloat16 1000 1000", "F.softmax(x, 1)", func(x, y, z node) node { return ops.Softmax(x, 1) }},
	{"1000 1000; bool 1000 1000", "F.softmax(x.masked_fill(~y, -math.inf), 1)", func(x, y, z node) node {
		return ops.MaskedSoftmax(x, y, 1)
	}},
	{"16 64 28 28; 64; 64", "F.batch_norm(x, None, None, y, z, True)", func(x, y, z node) node {
		r, _, _ := ops.BatchNorm(x, y, z, 1e-5)
		return r
	}},
	{"64 256 4 4; 256; 256", "F.batch_norm(x, None, None, y, z, True)", func(x, y, z node) node {
		r, _, _ := ops.BatchNorm(x, y, z, 1e-5)
		return r
	}},
	{"4096 128; 128; 128", "F.batch_norm(x, None, None, y, z, True)", func(x, y, z node) node {
		r, _, _ := ops.BatchNorm(x, y, z, 1e-5)
		return r
	}},
	{"16 64 28 28; 64; 64", "F.group_norm(x, 8, y, z)", func(x, y, z node) node {
		return ops.GroupNorm(x, 8, y, z, 1e-5)
	}},
	{"64 256 4 4; 256; 256", "F.group_norm(x, 32, y, z)", func(x, y, z node) node {
		return ops.GroupNorm(x, 32, y, z, 1e-5)
	}},
	{"16 64 28 28; 64; 64", "F.instance_norm(x, weight=y, bias=z)", func(x, y, z node) node {
		r, _, _ := ops.InstanceNorm(x, y, z, 1e-5)
		return r
	}},
	{"100000 8; 8; 8", "F.layer_norm(x, [8], y, z)", func(x, y, z node) node { return ops.LayerNorm(x, y, z, 1e-5) }},
	{"1000 777; 777; 777", "F.layer_norm(x, [777], y, z)", func(x, y, z node) node {
		return ops.LayerNorm(x, y, z, 1e-5)
	}},
	{"16 64 28 28", "F.layer_norm(x, [64, 28, 28])", func(x, y, z node) node {
		return ops.LayerNormOver(x, graph.MakeShape(64, 28, 28), nil, nil, 1e-5)
	}},
	{"1000 1000; 1000", "F.rms_norm(x, [1000], y, 1e-6)", func(x, y, z node) node { return ops.RMSNorm(x, y, 1e-6) }},
	{"16 64 28 28", "F.local_response_norm(x, 5)", func(x, y, z node) node {
		return ops.LocalResponseNorm(x, 5, 1e-4, 0.75, 1)
	}},
	{"1000 1000", "F.normalize(x, 2, 1)", func(x, y, z node) node { return ops.Normalize(x, 2, 1, 1e-12) }},
	{"1000 1000", "F.normalize(x, 2, 0)", func(x, y, z node) node { return ops.Normalize(x, 2, 0, 1e-12) }},
	{"100000 3", "F.normalize(x, 2, 1)", func(x, y, z node) node { return ops.Normalize(x, 2, 1, 1e-12) }},
	{"1000 1000; 1000 1", "torch._weight_norm(x, y, 0)", func(x, y, z node) node { return ops.WeightNorm(x, y, 0) }},
	{"1000 1000", "torch.renorm(x, 2, 0, 1)", func(x, y, z node) node { return ops.Renorm(x, 2, 0, 1) }},
	{"1000 1000; 1000", "F.prelu(x, y)", func(x, y, z node) node { return ops.PRelu(x, y) }},
	{"1000 1000", "F.glu(x, 1)", func(x, y, z node) node { return ops.GLU(x, 1) }},
	{"1000 1000", "F.glu(x, 0)", func(x, y, z node) node { return ops.GLU(x, 0) }},
	{"256 128", "torch.cov(x)", func(x, y, z node) node { return ops.Cov(x, 1, nil, nil) }},
	{"256 128", "torch.corrcoef(x)", func(x, y, z node) node { return ops.CorrCoef(x) }},
}

// losing are losses.
var losing = []entry{
	{"4096 100; int64<100 4096", "F.cross_entropy(x, y)", func(x, y, z node) node { return ops.CrossEntropy(x, y) }},
	{"100000 5; int64<5 100000", "F.cross_entropy(x, y)", func(x, y, z node) node { return ops.CrossEntropy(x, y) }},
	{"8 21 64 64; int64<21 8 64 64", "F.cross_entropy(x, y)", func(x, y, z node) node {
		return ops.CrossEntropy(x, y)
	}},
	{"4096 100; int64<100 4096", "F.cross_entropy(x, y, label_smoothing=0.1)", func(x, y, z node) node {
		return ops.CrossEntropy(x, y, ops.LabelSmoothing(0.1))
	}},
	{"4096 100; int64<100 4096; share 100", "F.cross_entropy(x, y, z.detach())", func(x, y, z node) node {
		return ops.CrossEntropy(x, y, ops.ClassWeights(ops.StopGradient(z)))
	}},
	{"4096 100; int64<100 4096", "F.nll_loss(x, y)", func(x, y, z node) node { return ops.NLL(x, y) }},
	{"8 21 64 64; int64<21 8 64 64", "F.nll_loss(x, y)", func(x, y, z node) node { return ops.NLL(x, y) }},
	{"4096 100; int64<100 4096", "F.multi_margin_loss(x, y)", func(x, y, z node) node {
		return ops.MultiMargin(x, y, 1, 1)
	}},
	{"1000000; share 1000000", "F.binary_cross_entropy_with_logits(x, y.detach())", func(x, y, z node) node {
		return ops.BCEWithLogits(x, ops.StopGradient(y))
	}},
	{"share 1000000; share 1000000", "F.binary_cross_entropy(x, y.detach())", func(x, y, z node) node {
		return ops.BCE(x, ops.StopGradient(y))
	}},
	{"1000000; 1000000", "F.mse_loss(x, y)", func(x, y, z node) node { return ops.MSE(x, y) }},
	{"1000000; 1000000", "F.l1_loss(x, y)", func(x, y, z node) node { return ops.L1(x, y) }},
	{"1000000; 1000000", "F.huber_loss(x, y)", func(x, y, z node) node { return ops.Huber(x, y, 1) }},
	{"1000 256; 1000 256; 1000 256", "F.triplet_margin_loss(x, y, z)", func(x, y, z node) node {
		return ops.TripletMargin(x, y, z, 1, 2)
	}},
	{"1000 256; share 1000 256", "F.kl_div(F.log_softmax(x, 1), y.detach(), reduction='batchmean')",
		func(x, y, z node) node { return ops.KLDiv(ops.LogSoftmax(x, 1), ops.StopGradient(y), ops.BatchMean()) }},
	{"50 16 40; int64 positive<40 16 20", "F.ctc_loss(F.log_softmax(x, 2), y, (50,) * 16, (20,) * 16)",
		func(x, y, z node) node {
			lengths := func(v float64) node { return ops.Full(x.Graph(), graph.Int64, v, 16) }
			return ops.CTC(ops.LogSoftmax(x, 2), y, lengths(50), lengths(20))
		}},
}
