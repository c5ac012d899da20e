package optim

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Rate is a learning rate: a number; a floating-point scalar of the graph, such as an input or a state that the program
// sets; or a [Schedule].
type Rate interface {
	float64 | float32 | int | *graph.Node | Schedule
}

// Schedule is a rate that depends on the number of previous steps, s, which is 0 in the first step. An optimiser uses
// its own step count, which is state and part of checkpoints. The formulas are those of torch.optim.lr_scheduler.
type Schedule struct {
	number  float64
	node    *graph.Node
	formula func(s *graph.Node) *graph.Node
	wrong   string
}

// At returns the rate of step s as a Float64 scalar; s is a scalar of the graph, 0 for the first step. Optimisers
// call it themselves. A program can also output the rate, or schedule something else.
func (r Schedule) At(s *graph.Node) *graph.Node {
	if trouble := r.trouble(); trouble != "" {
		return refuse("At", trouble, s)
	}
	return r.at(func() *graph.Node { return ops.Cast(s, graph.Float64) })
}

// at returns the rate; only a formula asks for the step.
func (r Schedule) at(step func() *graph.Node) *graph.Node {
	switch {
	case r.formula != nil:
		return r.formula(step())
	case r.node != nil:
		return ops.Cast(r.node, graph.Float64)
	}
	return graph.Num(r.number)
}

func (r Schedule) fixed() bool { return r.formula == nil && r.node == nil }

// trouble says what is wrong with the rate, or "".
func (r Schedule) trouble() string {
	n := r.node
	switch {
	case r.wrong != "":
		return r.wrong
	case n != nil && n.Judged() && (n.Rank() != 0 || !n.DType().IsFloat()):
		return fmt.Sprintf("the learning rate %s is %s%s; it must be a floating-point scalar", n.Called(), n.DType(),
			n.Shape())
	}
	return ""
}

func (o *Optimizer) setRate(r Schedule) { o.rate = r }

// scheduleOf returns a rate, which may be a number or a schedule, as a schedule.
func scheduleOf[R Rate](rate R) Schedule {
	switch r := any(rate).(type) {
	case Schedule:
		return r
	case *graph.Node:
		if r == nil {
			return Schedule{wrong: "the learning rate is a nil node"}
		}
		return Schedule{node: r}
	case float64:
		return fixedRate(r)
	case float32:
		return fixedRate(float64(r))
	case int:
		return fixedRate(float64(r))
	}
	return Schedule{} // no other type is a Rate
}

func fixedRate(v float64) Schedule {
	r := Schedule{number: v}
	if !(v >= 0) || math.IsInf(v, 1) {
		r.wrong = fmt.Sprintf("the learning rate is %g; it must be a number of at least 0", v)
	}
	return r
}

// schedule makes a schedule of a formula, unless its numbers are wrong.
func schedule(name string, formula func(s *graph.Node) *graph.Node, wants ...want) Schedule {
	for _, w := range wants {
		if !w.holds {
			return Schedule{wrong: fmt.Sprintf("the %s of optim.%s is %g; it must be %s", w.what, name, w.v, w.rule)}
		}
	}
	return Schedule{formula: formula}
}

// want is what a number of a schedule must be.
type want struct {
	what, rule string
	v          float64
	holds      bool
}

func atLeastZero(what string, v float64) want {
	return want{what, "a number of at least 0", v, v >= 0 && !math.IsInf(v, 1)}
}

func positive(what string, v int) want {
	return want{what, "at least 1", float64(v), v >= 1}
}
