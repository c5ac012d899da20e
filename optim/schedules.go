package optim

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func num(v float64) *graph.Node { return graph.Num(v) }

// fraction returns s/total, at most 1.
func fraction(s *graph.Node, total int) *graph.Node {
	return ops.Minimum(ops.Div(s, num(float64(total))), num(1))
}

// halfCosine returns low + (high-low)·(1 + cos(π·x))/2.
func halfCosine(high, low float64, x *graph.Node) *graph.Node {
	wave := ops.Add(ops.Cos(ops.Mul(x, num(math.Pi))), num(1))
	return ops.Add(ops.Mul(wave, num((high-low)/2)), num(low))
}

// Step multiplies the rate by factor after every given number of steps: base·factor^⌊s/every⌋ (StepLR).
func Step(base, factor float64, every int) Schedule {
	return schedule("Step", func(s *graph.Node) *graph.Node {
		return ops.Mul(num(base), ops.Pow(num(factor), ops.Floor(ops.Div(s, num(float64(every))))))
	}, atLeastZero("base rate", base), atLeastZero("factor", factor), positive("number of steps", every))
}

// MultiStep multiplies the rate by factor at each milestone: base·factor^(milestones ≤ s)
// (MultiStepLR).
func MultiStep(base, factor float64, milestones ...int) Schedule {
	return schedule("MultiStep", func(s *graph.Node) *graph.Node {
		rate := s.Graph().Scalar(graph.Float64, base)
		for _, m := range milestones {
			rate = ops.Mul(rate,
				ops.Where(ops.Less(s, num(float64(m))), num(1), s.Graph().Scalar(graph.Float64, factor)))
		}
		return rate
	}, atLeastZero("base rate", base), atLeastZero("factor", factor))
}

// Exponential multiplies the rate by factor in each step: base·factorˢ (ExponentialLR).
func Exponential(base, factor float64) Schedule {
	return schedule("Exponential", func(s *graph.Node) *graph.Node {
		return ops.Mul(num(base), ops.Pow(num(factor), s))
	}, atLeastZero("base rate", base), atLeastZero("factor", factor))
}

// Linear goes from base·first to base·last in the given number of steps, and stays there (LinearLR).
func Linear(base, first, last float64, steps int) Schedule {
	return schedule("Linear", func(s *graph.Node) *graph.Node {
		return ops.Mul(num(base), ops.Add(num(first), ops.Mul(fraction(s, steps), num(last-first))))
	}, atLeastZero("base rate", base), atLeastZero("first factor", first), atLeastZero("last factor", last),
		positive("number of steps", steps))
}

// Polynomial is base·(1 - s/steps)^power, and 0 after that (PolynomialLR).
func Polynomial(base, power float64, steps int) Schedule {
	return schedule("Polynomial", func(s *graph.Node) *graph.Node {
		return ops.Mul(num(base), ops.Pow(ops.Sub(num(1), fraction(s, steps)), num(power)))
	}, atLeastZero("base rate", base), atLeastZero("power", power), positive("number of steps", steps))
}

// Cosine falls from base to least in the given number of steps along half a cosine: least + (base-least)·(1 +
// cos(π·s/steps))/2. After that it stays at least, unlike CosineAnnealingLR, which rises again.
func Cosine(base, least float64, steps int) Schedule {
	return schedule("Cosine", func(s *graph.Node) *graph.Node {
		return halfCosine(base, least, fraction(s, steps))
	}, atLeastZero("base rate", base), atLeastZero("least rate", least), positive("number of steps", steps))
}

// CosineRestarts falls from base to least as [Cosine] does, then restarts. The first period has first steps, and each
// later one times as many as the one before (CosineAnnealingWarmRestarts; Loshchilov and Hutter, 2017).
func CosineRestarts(base, least float64, first, times int) Schedule {
	return schedule("CosineRestarts", func(s *graph.Node) *graph.Node {
		if times == 1 {
			return halfCosine(base, least, ops.Div(ops.Remainder(s, num(float64(first))), num(float64(first))))
		}
		f, k := float64(first), float64(times)
		// Periods end at whole steps: half a step more keeps the logarithm off its jumps.
		periods := ops.Add(ops.Mul(ops.Add(s, num(0.5)), num((k-1)/f)), num(1))
		length := ops.Mul(ops.Pow(num(k), ops.Floor(ops.Div(ops.Log(periods), num(math.Log(k))))), num(f))
		begin := ops.Div(ops.Sub(length, num(f)), num(k-1))
		return halfCosine(base, least, ops.Div(ops.Sub(s, begin), length))
	}, atLeastZero("base rate", base), atLeastZero("least rate", least), positive("first period", first),
		positive("growth of the periods", times))
}

// WarmUp multiplies the first rate of another schedule by a factor that rises from first to 1 in the given number of
// steps, and then follows that schedule from its start: LinearLR and the schedule in a SequentialLR.
//
//	optim.AdamW(optim.WarmUp(100, 0.01, optim.Cosine(3e-4, 0, 10_000)))
func WarmUp[R Rate](steps int, first float64, then R) Schedule {
	next := scheduleOf(then)
	if trouble := next.trouble(); trouble != "" {
		return Schedule{wrong: trouble}
	}
	return schedule("WarmUp", func(s *graph.Node) *graph.Node {
		after := ops.Maximum(ops.Sub(s, num(float64(steps))), num(0))
		factor := ops.Add(num(first), ops.Mul(fraction(s, steps), num(1-first)))
		return ops.Mul(next.at(func() *graph.Node { return after }), factor)
	}, atLeastZero("first factor", first), positive("number of steps", steps))
}
