package optim

import "math"

// Plateau lowers a rate when a measure, such as the loss on examples kept aside, no longer gets
// better (ReduceLROnPlateau). The measure is known only between runs, so the rate is a value
// that the program feeds or sets:
//
//	rate := g.Input("rate", graph.Float64)
//	step := optim.SGD(rate).Minimize(loss)
//	plateau := optim.Plateau{Rate: 0.1}
//	feed[rate] = plateau.Next(heldOutLoss)
//
// Fields that are 0 have PyTorch's values, which stand beside them.
type Plateau struct {
	Rate      float64 // the rate now; Next changes it
	Factor    float64 // 0.1: the rate is multiplied by it
	Patience  int     // 10: so many times without a better measure are passed over; -1 for none
	Threshold float64 // 1e-4: better is by more than this share of the best
	Cooldown  int     // 0: so many times after a change are not counted
	Least     float64 // 0: the least rate
	Largest   bool    // whether a larger measure is better

	Best    float64 // the best measure so far
	Bad     int     // how many in a row were not better
	Cooling int     // how many more are not counted
	Begun   bool    // whether there was a measure
}

// Next takes a measure in and returns the rate to use from now on. NaN is not better.
func (p *Plateau) Next(measure float64) float64 {
	factor, patience, threshold := p.Factor, p.Patience, p.Threshold
	if factor == 0 {
		factor = 0.1
	}
	if threshold == 0 {
		threshold = 1e-4
	}
	switch {
	case patience == 0:
		patience = 10
	case patience < 0:
		patience = 0
	}
	if p.better(measure, threshold) {
		p.Best, p.Bad, p.Begun = measure, 0, true
	} else {
		p.Bad++
	}
	if p.Cooling > 0 {
		p.Cooling--
		p.Bad = 0
	}
	if p.Bad > patience {
		// PyTorch leaves out changes that are too small to matter.
		if lower := math.Max(p.Rate*factor, p.Least); p.Rate-lower > 1e-8 {
			p.Rate = lower
		}
		p.Cooling, p.Bad = p.Cooldown, 0
	}
	return p.Rate
}

// better reports whether a measure is better than the best one.
func (p *Plateau) better(measure, threshold float64) bool {
	switch {
	case math.IsNaN(measure):
		return false
	case !p.Begun:
		return true
	case p.Largest:
		return measure > p.Best*(1+threshold)
	}
	return measure < p.Best*(1-threshold)
}
