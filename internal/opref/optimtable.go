package opref

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

type (
	initializer = graph.Initializer
	optimizer   = optim.Optimizer
	rate        = optim.Schedule
	nodes       = []*graph.Node
)

var optimTable = []part{
	{"steps along the gradient, with momentum or Nesterov's.", "torch.optim.SGD", "", "keras.optimizers.SGD",
		"optax.sgd, optax.noisy_sgd, optax.trace", "Momentum, Gradient", "", func() optimizer {
			return optim.SGD(0.1, optim.Momentum(0.9))
		}},
	{"steps divided by running roots of squares, with bias corrections.", "torch.optim.Adam, torch.optim.SparseAdam",
		"", "keras.optimizers.Adam", "optax.adam, optax.amsgrad, optax.scale_by_adam, optax.scale_by_amsgrad", "Adam",
		"", func() optimizer { return optim.Adam(1e-3) }},
	{"Adam with weight decay apart from the gradient.", "torch.optim.AdamW", "", "keras.optimizers.AdamW",
		"optax.adamw", "", "", func() optimizer { return optim.AdamW(1e-3, optim.WeightDecay(0.1)) }},
	{"Adam by the largest gradient.", "torch.optim.Adamax", "", "keras.optimizers.Adamax",
		"optax.adamax, optax.adamaxw, optax.scale_by_adamax", "", "", func() optimizer { return optim.Adamax(1e-3) }},
	{"Adam with Nesterov's momentum.", "torch.optim.NAdam", "", "keras.optimizers.Nadam", "optax.nadam, optax.nadamw",
		"", "", func() optimizer { return optim.NAdam(1e-3) }},
	{"Adam that waits for a known variance.", "torch.optim.RAdam", "", "", "optax.radam, optax.scale_by_radam", "", "",
		func() optimizer { return optim.RAdam(1e-3) }},
	{"steps divided by running roots of squares.", "torch.optim.RMSprop", "", "keras.optimizers.RMSprop",
		"optax.rmsprop, optax.scale_by_rms, optax.scale_by_stddev", "", "", func() optimizer {
			return optim.RMSProp(1e-3, optim.Centered())
		}},
	{"steps divided by roots of sums of squares.", "torch.optim.Adagrad", "", "keras.optimizers.Adagrad",
		"optax.adagrad, optax.scale_by_rss", "Adagrad", "", func() optimizer { return optim.Adagrad(1e-2) }},
	{"steps in the units of the parameters.", "torch.optim.Adadelta", "", "keras.optimizers.Adadelta",
		"optax.adadelta, optax.scale_by_adadelta", "", "", func() optimizer { return optim.Adadelta(1.0) }},
	{"the sign of a running mean.", "", "", "keras.optimizers.Lion", "optax.lion, optax.scale_by_lion", "", "",
		func() optimizer { return optim.Lion(1e-4) }},
	{"running squares of rows and columns alone.", "torch.optim.Adafactor", "", "keras.optimizers.Adafactor",
		"optax.adafactor, optax.scale_by_factored_rms", "", "", func() optimizer { return optim.Adafactor(1e-2) }},
	{"Adam's step in the length of each parameter.", "", "", "keras.optimizers.Lamb",
		"optax.lamb, optax.scale_by_trust_ratio", "", "", func() optimizer {
			return optim.Lamb(1e-3, optim.WeightDecay(0.01))
		}},
	{"momentum with a rate in the length of each parameter.", "", "", "", "optax.lars", "", "", func() optimizer {
		return optim.Lars(1.0, optim.WeightDecay(1e-4))
	}},
	{"steps of own sizes by the signs of gradients of all data.", "torch.optim.Rprop", "", "",
		"optax.rprop, optax.scale_by_rprop", "", "", func() optimizer { return optim.Rprop(1e-2) }},
	{"gradient descent that keeps the mean of the parameters.", "torch.optim.ASGD", "", "", "", "", "",
		func() optimizer { return optim.ASGD(1e-2) }},
	{"momentum of a matrix with its singular values brought near 1.", "torch.optim.Muon", "", "keras.optimizers.Muon",
		"optax.contrib.muon", "", "", func() optimizer { return optim.Muon(0.02) }},
	{"the rate times a factor every few steps.", "torch.optim.lr_scheduler.StepLR", "", "", "", "", "", func() rate {
		return optim.Step(0.1, 0.5, 10)
	}},
	{"the rate times a factor at milestones.", "torch.optim.lr_scheduler.MultiStepLR", "",
		"keras.optimizers.schedules.PiecewiseConstantDecay",
		"optax.piecewise_constant_schedule, optax.piecewise_interpolate_schedule", "", "", func() rate {
			return optim.MultiStep(0.1, 0.5, 10, 20)
		}},
	{"the rate times a factor each step.", "torch.optim.lr_scheduler.ExponentialLR", "",
		"keras.optimizers.schedules.ExponentialDecay", "optax.exponential_decay", "", "", func() rate {
			return optim.Exponential(0.1, 0.99)
		}},
	{"from one rate to another in a line.", "torch.optim.lr_scheduler.LinearLR", "", "", "optax.linear_schedule", "",
		"", func() rate { return optim.Linear(0.1, 1, 0.1, 100) }},
	{"a power of the share of steps that are left.", "torch.optim.lr_scheduler.PolynomialLR", "",
		"keras.optimizers.schedules.PolynomialDecay", "optax.polynomial_schedule", "", "", func() rate {
			return optim.Polynomial(0.1, 2, 100)
		}},
	{"half a cosine down.", "torch.optim.lr_scheduler.CosineAnnealingLR", "", "keras.optimizers.schedules.CosineDecay",
		"optax.cosine_decay_schedule", "", "", func() rate { return optim.Cosine(3e-4, 0, 10_000) }},
	{"half cosines, each longer than the one before.", "torch.optim.lr_scheduler.CosineAnnealingWarmRestarts", "",
		"keras.optimizers.schedules.CosineDecayRestarts", "optax.sgdr_schedule", "", "", func() rate {
			return optim.CosineRestarts(0.1, 0, 10, 2)
		}},
	{"up, and down to almost nothing.", "torch.optim.lr_scheduler.OneCycleLR", "", "", "optax.cosine_onecycle_schedule",
		"", "", func() rate { return optim.OneCycle(0.1, 100) }},
	{"up, and down to almost nothing, in shares and forms of one's own.", "torch.optim.lr_scheduler.OneCycleLR", "", "",
		"optax.linear_onecycle_schedule", "", "",
		func() rate { return optim.OneCycleWith(0.1, 100, optim.OneCycleRule{Lines: true}) }},
	{"up and down in lines, over and over.", "torch.optim.lr_scheduler.CyclicLR", "", "", "", "", "", func() rate {
		return optim.Cyclic(0.01, 0.1, 50, optim.CyclicRule{})
	}},
	{"a share of the rate at first, and then the rate.", "torch.optim.lr_scheduler.ConstantLR", "", "", "", "", "",
		func() rate { return optim.Constant(0.1, 0.25, 100) }},
	{"the rate divided by a number that grows in a line.", "", "", "keras.optimizers.schedules.InverseTimeDecay", "",
		"", "", func() rate { return optim.InverseTime(0.1, 0.5, 100) }},
	{"the rate times a formula of the step.", "torch.optim.lr_scheduler.LambdaLR", "", "", "", "", "",
		func() rate {
			return optim.Formula(0.1, func(s node) node { return ops.Rsqrt(ops.Add(s, graph.Num(1))) })
		}},
	{"one schedule after another.", "torch.optim.lr_scheduler.SequentialLR", "", "", "optax.join_schedules", "", "",
		func() rate {
			return optim.Sequence([]rate{optim.Constant(0.1, 0.1, 20), optim.Exponential(0.1, 0.9)}, 20)
		}},
	{"the product of several schedules.", "torch.optim.lr_scheduler.ChainedScheduler", "", "", "", "", "", func() rate {
		return optim.Chained(optim.Constant(0.1, 0.1, 20), optim.Exponential(1, 0.9))
	}},
	{"a rate that rises in a line to another schedule.", "torch.optim.lr_scheduler.LinearLR", "", "",
		"optax.warmup_cosine_decay_schedule, optax.warmup_exponential_decay_schedule, optax.warmup_constant_schedule",
		"", "",
		func() rate { return optim.WarmUp(100, 0.01, optim.Cosine(3e-4, 0, 10_000)) }},
	{"running means of the parameters.",
		"torch.optim.swa_utils.AveragedModel, torch.optim.swa_utils.get_ema_avg_fn, torch.optim.swa_utils.get_ema_multi_avg_fn",
		"", "", "optax.ema, optax.params_ema, optax.incremental_update", "", "",
		func(params, steps nodes) optim.Averages { return optim.EMA(0.999, params, steps) }},
	{"means of the parameters over all steps.",
		"torch.optim.swa_utils.AveragedModel, torch.optim.swa_utils.get_swa_avg_fn, torch.optim.swa_utils.get_swa_multi_avg_fn",
		"", "", "", "", "",
		func(params, steps nodes) optim.Averages { return optim.SWA(params, steps) }},
	{"gradients of a bounded norm.",
		"torch.nn.utils.clip_grad_norm_, torch.nn.utils.clip_grad_norm, torch.nn.utils.clip_grads_with_norm_, torch.nn.utils.get_total_norm",
		"", "", "optax.clip_by_global_norm, optax.global_norm", "", "",
		func(params, grads nodes) (nodes, node) { return optim.ClipNorm(grads, 1) }},
	{"gradients of bounded elements.", "torch.nn.utils.clip_grad_value_", "", "", "optax.clip", "", "",
		func(params, grads nodes) nodes { return optim.ClipValue(grads, 0.5) }},
	{"means of the gradients of several runs.", "", "", "", "optax.MultiSteps, optax.apply_every", "", "",
		func(params, grads nodes) (nodes, node) { return optim.Accumulate(params, grads, 4) }},
	{"a loss that is multiplied so that gradients in Float16 are not 0.",
		"torch.amp.GradScaler, torch.cuda.amp.GradScaler, torch.cpu.amp.GradScaler", "", "", "", "", "",
		func(params, grads nodes) (nodes, node) {
			return optim.NewLossScale(params[0].Graph(), "scale", optim.LossScaleRule{}).Unscale(grads)
		}},
	{"a rate that falls when what is measured no longer gets better.", "torch.optim.lr_scheduler.ReduceLROnPlateau", "",
		"keras.callbacks.ReduceLROnPlateau", "", "", "",
		func(g gr) optimizer { return optim.SGD(optim.NewPlateau(g, "rate", 0.1, optim.PlateauRule{}).Rate()) }},
}
