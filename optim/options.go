package optim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// settings are the numbers of all rules; a rule reads those that it has.
type settings struct {
	rate         float64
	rateNode     *graph.Node
	decay        float64
	momentum     float64
	nesterov     bool
	beta1, beta2 float64
	epsilon      float64
}

// Option changes an optimiser's settings. One that the optimiser does not have is a
// mistake, recorded where the optimiser is used.
type Option func(*Optimizer)

// RateFrom takes the learning rate from a scalar of the graph in place of the number,
// such as an input that is fed another value in each step.
func RateFrom(rate *graph.Node) Option {
	return func(o *Optimizer) {
		if rate == nil {
			o.troubles = append(o.troubles, "the learning rate is a nil node")
		}
		o.rateNode = rate
	}
}

// WeightDecay adds decay times the parameter to each gradient. For [AdamW] it replaces
// the decay, which there shrinks the parameter itself.
func WeightDecay(decay float64) Option { return func(o *Optimizer) { o.decay = decay } }

// Nesterov makes [Momentum] look one step ahead.
func Nesterov() Option {
	return func(o *Optimizer) {
		o.only("Nesterov", "Momentum")
		o.nesterov = true
	}
}

// Betas sets how much of the two running means [Adam] and [AdamW] keep in each step:
// 0.9 and 0.999 unless said otherwise.
func Betas(first, second float64) Option {
	return func(o *Optimizer) {
		o.only("Betas", "Adam", "AdamW")
		o.beta1, o.beta2 = first, second
	}
}

// Epsilon sets the number that keeps [Adam] and [AdamW] from dividing by 0: 1e-8 unless
// said otherwise.
func Epsilon(epsilon float64) Option {
	return func(o *Optimizer) {
		o.only("Epsilon", "Adam", "AdamW")
		o.epsilon = epsilon
	}
}

// only notes a trouble where the optimiser is none of those that have the option.
func (o *Optimizer) only(option string, names ...string) {
	if !slices.Contains(names, o.name) {
		o.troubles = append(o.troubles, fmt.Sprintf("%s is an option of %s, not of %s", option, strings.Join(names, " and "), o.name))
	}
}
