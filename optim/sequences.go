package optim

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Constant is base·factor for the given number of steps, and base after that (ConstantLR).
func Constant(base, factor float64, steps int) Schedule {
	return schedule("Constant", func(s *graph.Node) *graph.Node {
		return ops.Where(ops.Less(s, num(float64(steps))), num(base*factor), s.Graph().Scalar(graph.Float64, base))
	}, atLeastZero("base rate", base), atLeastZero("factor", factor),
		want{"number of steps", "at least 0", float64(steps), steps >= 0})
}

// InverseTime is base / (1 + decay·s/every) (Keras' InverseTimeDecay).
func InverseTime(base, decay float64, every int) Schedule {
	return schedule("InverseTime", func(s *graph.Node) *graph.Node {
		return ops.Div(num(base), ops.Add(num(1), ops.Mul(num(decay), ops.Div(s, num(float64(every))))))
	}, atLeastZero("base rate", base), atLeastZero("decay", decay), positive("number of steps", every))
}

// Formula is base times the result of a function of the number of previous steps, a Float64 scalar (LambdaLR). The
// function builds nodes, and is called once for each use.
//
//	optim.SGD(optim.Formula(0.1, func(s *graph.Node) *graph.Node { return ops.Rsqrt(ops.Add(s, graph.Num(1))) }))
func Formula(base float64, factor func(s *graph.Node) *graph.Node) Schedule {
	if factor == nil {
		return Schedule{wrong: "the function of optim.Formula is nil"}
	}
	return schedule("Formula", func(s *graph.Node) *graph.Node {
		v := factor(s)
		switch {
		case v == nil:
			return refuse("Formula", "the function of optim.Formula returned a nil node", s)
		case v.Judged() && (v.Rank() != 0 || !v.DType().IsFloat()):
			return refuse("Formula", fmt.Sprintf(
				"the function of optim.Formula returned %s%s; it must return a floating-point scalar", v.DType(),
				v.Shape()), s)
		}
		return ops.Mul(num(base), ops.Cast(v, graph.Float64))
	}, atLeastZero("base rate", base))
}

// Sequence follows one schedule after another: at each milestone the next one starts with its first rate
// (SequentialLR). There is one milestone fewer than schedules, in ascending order.
//
//	optim.Sequence([]optim.Schedule{optim.Constant(0.1, 0.1, 20), optim.Exponential(0.1, 0.9)}, 20)
func Sequence(schedules []Schedule, milestones ...int) Schedule {
	if len(schedules) == 0 || len(milestones) != len(schedules)-1 {
		return Schedule{
			wrong: fmt.Sprintf(
				"optim.Sequence has %d schedules and %d milestones; there must be one milestone between each two",
				len(schedules), len(milestones))}
	}
	for i, m := range milestones {
		if m < 0 || i > 0 && m < milestones[i-1] {
			return Schedule{
				wrong: fmt.Sprintf("the milestones of optim.Sequence are %v; they must be ascending, from at least 0",
					milestones)}
		}
	}
	if trouble := troubleOf(schedules); trouble != "" {
		return Schedule{wrong: trouble}
	}
	return schedule("Sequence", func(s *graph.Node) *graph.Node {
		var rate *graph.Node
		for i, next := range schedules {
			begin := 0
			if i > 0 {
				begin = milestones[i-1]
			}
			// Before its time a schedule stands at its first step: its formula may be one of steps from 0 on alone.
			of := next.at(func() *graph.Node { return ops.Maximum(ops.Sub(s, num(float64(begin))), num(0)) })
			if rate == nil {
				rate = of
				continue
			}
			rate = ops.Where(ops.Less(s, num(float64(begin))), rate, of)
		}
		return rate
	})
}

// Chained is the product of several schedules (ChainedScheduler of those that multiply the rate). All but one have a
// base of 1.
func Chained(schedules ...Schedule) Schedule {
	if len(schedules) == 0 {
		return Schedule{wrong: "optim.Chained has no schedules"}
	}
	if trouble := troubleOf(schedules); trouble != "" {
		return Schedule{wrong: trouble}
	}
	return schedule("Chained", func(s *graph.Node) *graph.Node {
		rate := s.Graph().Scalar(graph.Float64, 1)
		for _, of := range schedules {
			rate = ops.Mul(rate, of.at(func() *graph.Node { return s }))
		}
		return rate
	})
}

func troubleOf(schedules []Schedule) string {
	for _, s := range schedules {
		if trouble := s.trouble(); trouble != "" {
			return trouble
		}
	}
	return ""
}
