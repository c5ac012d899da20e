package optim

import (
	"cmp"
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// OneCycle rises from highest/25 to highest in the first 30 % of steps, and falls to highest/250000 in the rest, along
// half cosines (OneCycleLR with PyTorch's usual settings; Smith and Topin, 2019).
func OneCycle(highest float64, steps int) Schedule {
	return OneCycleWith(highest, steps, OneCycleRule{})
}

// OneCycleRule configures [OneCycleWith]. Fields that are 0 default to PyTorch's values, which are given with each
// field.
type OneCycleRule struct {
	Rising float64 // 0.3: the fraction of steps in which the rate rises
	Start  float64 // 25: the rate starts at highest/Start
	End    float64 // 1e4: and ends at highest/(Start·End)
	Lines  bool    // whether it changes linearly, not along half cosines
	Three  bool    // whether it first falls to the first rate in as many steps as it rose, and then to the last rate
}

func (r OneCycleRule) withDefaults() OneCycleRule {
	r.Rising, r.Start, r.End = cmp.Or(r.Rising, 0.3), cmp.Or(r.Start, 25), cmp.Or(r.End, 1e4)
	return r
}

// OneCycleWith is [OneCycle] with a rule (OneCycleLR). Momentum does not change, as with PyTorch's
// cycle_momentum=False.
func OneCycleWith(highest float64, steps int, rule OneCycleRule) Schedule {
	r, all := rule.withDefaults(), float64(steps)
	first, last := highest/r.Start, highest/r.Start/r.End
	// Each phase ends at a step, which may lie between two, with a rate.
	ends, rates := []float64{r.Rising*all - 1, all - 1}, []float64{highest, last}
	if r.Three {
		ends, rates = []float64{r.Rising*all - 1, 2*r.Rising*all - 2, all - 1}, []float64{highest, first, last}
	}
	between := halfCosine
	if r.Lines {
		between = func(from, to float64, x *graph.Node) *graph.Node {
			return ops.Add(num(from), ops.Mul(x, num(to-from)))
		}
	}
	fits := ends[0] > 0
	for i := range ends[1:] {
		fits = fits && ends[i+1] > ends[i]
	}
	fewest := want{"number of steps",
		"enough for each phase: at least 4, and more where Rising is small or near its end", all, fits}
	if rule.Rising == 0 {
		fewest = want{"number of steps", "at least 4", all, steps >= 4}
	}
	return schedule("OneCycle", func(s *graph.Node) *graph.Node {
		begin, from := 0.0, first
		var rate *graph.Node
		var wait []func(rest *graph.Node) *graph.Node
		for i, end := range ends {
			share := ops.Minimum(ops.Div(ops.Sub(s, num(begin)), num(end-begin)), num(1))
			phase := between(from, rates[i], share)
			wait = append(wait, func(rest *graph.Node) *graph.Node {
				if rest == nil {
					return phase
				}
				return ops.Where(ops.LessEqual(s, num(end)), phase, rest)
			})
			begin, from = end, rates[i]
		}
		for i := len(wait) - 1; i >= 0; i-- {
			rate = wait[i](rate)
		}
		return rate
	}, atLeastZero("highest rate", highest),
		want{"share Rising", "more than 0 and less than 1", r.Rising, r.Rising > 0 && r.Rising < 1},
		want{"divisor Start", "a number greater than 0", r.Start, r.Start > 0 && !math.IsInf(r.Start, 1)},
		want{"divisor End", "a number greater than 0", r.End, r.End > 0 && !math.IsInf(r.End, 1)}, fewest)
}

// CyclicRule configures the cycles of [Cyclic]. Fields that are 0 default to PyTorch's values.
type CyclicRule struct {
	Down   int     // the number of steps down; 0 means as many as up
	Halved bool    // whether each cycle is half as high as the one before ("triangular2")
	Factor float64 // 1: the factor by which the height is multiplied in each step ("exp_range", gamma)
}

// Cyclic rises linearly from low to high in the given number of steps and falls again, repeatedly (CyclicLR; Smith,
// 2017). Momentum does not change, as with PyTorch's cycle_momentum=False.
func Cyclic(low, high float64, up int, rule CyclicRule) Schedule {
	down := rule.Down
	if down == 0 {
		down = up
	}
	factor := rule.Factor
	if factor == 0 {
		factor = 1
	}
	length := float64(up + down)
	return schedule("Cyclic", func(s *graph.Node) *graph.Node {
		at := ops.Remainder(s, num(length))
		share := ops.Where(ops.LessEqual(at, num(float64(up))), ops.Div(at, num(float64(up))),
			ops.Div(ops.Sub(num(length), at), num(float64(down))))
		height := ops.Mul(num(high-low), share)
		if rule.Halved {
			height = ops.Mul(height, ops.Pow(num(0.5), ops.Floor(ops.Div(s, num(length)))))
		}
		if factor != 1 {
			height = ops.Mul(height, ops.Pow(num(factor), s))
		}
		return ops.Add(num(low), height)
	}, atLeastZero("lower rate", low), want{
		"higher rate", "a number that is not less than the lower one", high, high >= low && !math.IsInf(high, 1)},
		positive("number of steps up", up), positive("number of steps down", down), atLeastZero("factor", factor))
}
