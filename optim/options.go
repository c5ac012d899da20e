package optim

import (
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// settings are the numbers of all rules; a rule reads those that it has.
type settings struct {
	rate          Schedule
	decay         float64
	momentum      float64
	dampening     float64
	nesterov      bool
	beta1, beta2  float64
	epsilon       float64
	amsgrad       bool
	centered      bool
	decoupled     bool
	frozen        bool
	smoothing     float64
	momentumDecay float64
	rateDecay     float64
	accumulator   float64
	beta2Decay    float64
	leastScale    float64
	threshold     float64
	usedRows      bool
	maximize      bool
	trust         float64
	etaMinus      float64
	etaPlus       float64
	leastStep     float64
	mostStep      float64
	lambda        float64
	ratePower     float64
	averageFrom   float64
	rounds        int
	matchRMS      bool
}

// Option changes an optimiser's settings. An option that the optimiser does not have is a mistake, recorded where the
// optimiser is used.
type Option func(*Optimizer)

// only returns an option that not all optimisers have.
func only(option string, set func(*Optimizer)) Option {
	return func(o *Optimizer) {
		if !slices.Contains(strings.Fields(o.rule.options), option) {
			o.fail("%s is an option of %s, not of %s", option, strings.Join(optimisersWith(option), ", "), o.rule.name)
		}
		set(o)
	}
}

// group gives some parameters options of their own.
type group struct {
	params []*graph.Node
	opts   []Option
}

// For applies options to some of the parameters only: a parameter group. If a parameter is in two groups, the options
// of the later one win.
//
//	optim.AdamW(1e-3, optim.For(biases, optim.WeightDecay(0)), optim.For(head, optim.LearningRate(1e-2)))
func For(params []*graph.Node, opts ...Option) Option {
	return func(o *Optimizer) { o.groups = append(o.groups, group{params, opts}) }
}

// ofParam is an optimiser with the options of one parameter's groups.
type ofParam struct {
	Optimizer
	key string // which groups the parameter is in
}

func (o Optimizer) of(w *graph.Node) ofParam {
	p := ofParam{Optimizer: o}
	p.groups, p.troubles = nil, nil
	for i, gr := range o.groups {
		if slices.Contains(gr.params, w) {
			p.apply(gr.opts)
			p.key += string(rune(i)) + " "
		}
	}
	if len(p.groups) > 0 || p.name != o.name || p.when != o.when {
		p.fail("optim.For, optim.Name and optim.When are options of a whole optimiser, not of a group")
	}
	return p
}

// LearningRate sets the learning rate of the parameters of [For].
func LearningRate[R Rate](rate R) Option {
	return func(o *Optimizer) { o.setRate(scheduleOf(rate)) }
}

// Frozen leaves the parameters of [For] unchanged.
func Frozen() Option { return func(o *Optimizer) { o.frozen = true } }

// Name names the optimiser's state: for fc.weight it is fc.weight.slow.exp_avg with Name("slow"), and fc.weight.exp_avg
// without a name. Two optimisers of the same parameter need different names.
func Name(name string) Option { return func(o *Optimizer) { o.name = name } }

// When performs the updates only in runs in which a bool scalar is true; in others the parameters, the optimiser's
// state and its step count do not change.
func When(condition *graph.Node) Option {
	return func(o *Optimizer) {
		if condition == nil {
			o.fail("the condition of optim.When is a nil node")
		}
		o.when = condition
	}
}

// WeightDecay adds decay times the parameter to each gradient. [AdamW], [Lion], [Adafactor], [Muon]
// and optimisers with [Decoupled] shrink the parameter itself instead: w *= 1 - rate·decay. [Lamb] adds it to its step.
func WeightDecay(decay float64) Option { return func(o *Optimizer) { o.decay = decay } }

// Decoupled makes the weight decay of [NAdam] and [RAdam] that of [AdamW].
func Decoupled() Option { return only("Decoupled", func(o *Optimizer) { o.decoupled = true }) }

// Maximize increases the loss instead of reducing it: the sign of gradients is flipped.
func Maximize() Option { return func(o *Optimizer) { o.maximize = true } }

// Momentum gives [SGD], [Lars], [RMSProp] and [Muon] a velocity, which is multiplied by mu in each step.
func Momentum(mu float64) Option { return only("Momentum", func(o *Optimizer) { o.momentum = mu }) }

// Dampening multiplies each gradient but the first by 1 - d before it is added to the velocity of [SGD].
func Dampening(d float64) Option { return only("Dampening", func(o *Optimizer) { o.dampening = d }) }

// Nesterov makes the momentum of [SGD] and [Lars] look one step ahead.
func Nesterov() Option { return only("Nesterov", func(o *Optimizer) { o.nesterov = true }) }

// Betas sets the decay of the two running means of [Adam] and its variants.
func Betas(first, second float64) Option {
	return only("Betas", func(o *Optimizer) { o.beta1, o.beta2 = first, second })
}

// Epsilon sets the number that keeps optimisers from dividing by 0.
func Epsilon(epsilon float64) Option {
	return only("Epsilon", func(o *Optimizer) { o.epsilon = epsilon })
}

// AMSGrad divides the step of [Adam] and [AdamW] by the largest running mean of squares so far
// (Reddi, Kale and Kumar, 2018).
func AMSGrad() Option { return only("AMSGrad", func(o *Optimizer) { o.amsgrad = true }) }

// Centered subtracts the square of the gradient's running mean from [RMSProp]'s mean of squares.
func Centered() Option { return only("Centered", func(o *Optimizer) { o.centered = true }) }

// Smoothing sets the decay of the mean of squares of [RMSProp] (PyTorch's alpha) and [Adadelta] (rho).
func Smoothing(share float64) Option {
	return only("Smoothing", func(o *Optimizer) { o.smoothing = share })
}

// MomentumDecay sets how fast the momentum of [NAdam] approaches its first beta.
func MomentumDecay(d float64) Option {
	return only("MomentumDecay", func(o *Optimizer) { o.momentumDecay = d })
}

// RateDecay divides the rate of [Adagrad] by 1 + d·(steps before this one).
func RateDecay(d float64) Option { return only("RateDecay", func(o *Optimizer) { o.rateDecay = d }) }

// InitialAccumulator sets the initial value of [Adagrad]'s sums of squares.
func InitialAccumulator(v float64) Option {
	return only("InitialAccumulator", func(o *Optimizer) { o.accumulator = v })
}

// Beta2Decay sets the exponent by which [Adafactor]'s running means slow down.
func Beta2Decay(exponent float64) Option {
	return only("Beta2Decay", func(o *Optimizer) { o.beta2Decay = exponent })
}

// LeastScale sets the minimum root mean square of a parameter by which [Adafactor] scales its rate.
func LeastScale(v float64) Option {
	return only("LeastScale", func(o *Optimizer) { o.leastScale = v })
}

// Threshold sets the root mean square above which [Adafactor] scales its steps down.
func Threshold(d float64) Option { return only("Threshold", func(o *Optimizer) { o.threshold = d }) }

// TrustCoefficient sets the length of a step of [Lars] as a fraction of the parameter's norm, at a rate of 1.
func TrustCoefficient(c float64) Option {
	return only("TrustCoefficient", func(o *Optimizer) { o.trust = c })
}

// Etas sets the factors by which [Rprop] multiplies the step size if the sign has changed, and if it has not.
func Etas(minus, plus float64) Option {
	return only("Etas", func(o *Optimizer) { o.etaMinus, o.etaPlus = minus, plus })
}

// StepSizes sets the minimum and maximum step size of [Rprop].
func StepSizes(least, most float64) Option {
	return only("StepSizes", func(o *Optimizer) { o.leastStep, o.mostStep = least, most })
}

// Lambda sets how fast [ASGD] shrinks its parameters and its rate (PyTorch's lambd).
func Lambda(l float64) Option { return only("Lambda", func(o *Optimizer) { o.lambda = l }) }

// RatePower sets the power with which the rate of [ASGD] decays (PyTorch's alpha).
func RatePower(p float64) Option {
	return only("RatePower", func(o *Optimizer) { o.ratePower = p })
}

// AverageFrom sets the number of steps after which [ASGD] starts averaging (PyTorch's t0).
func AverageFrom(steps float64) Option {
	return only("AverageFrom", func(o *Optimizer) { o.averageFrom = steps })
}

// NewtonSchulz sets how often [Muon] applies its polynomial (PyTorch's ns_steps), at least once.
func NewtonSchulz(times int) Option {
	return only("NewtonSchulz", func(o *Optimizer) {
		if o.rounds = times; times < 1 {
			o.fail("optim.NewtonSchulz is %d; it must be at least 1", times)
		}
	})
}

// MatchRMS scales the rate of [Muon] by 0.2·√max(rows, columns). Its steps are then as long as those of [AdamW], and
// the same rates work (PyTorch's adjust_lr_fn="match_rms_adamw").
func MatchRMS() Option { return only("MatchRMS", func(o *Optimizer) { o.matchRMS = true }) }
