package optim

import (
	"cmp"
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Plateau lowers a learning rate when a metric, such as the validation loss, no longer improves (ReduceLROnPlateau).
// The rate and the rule's memory are state of the graph, and part of checkpoints.
//
//	plateau := optim.NewPlateau(g, "plateau", 0.1, optim.PlateauRule{Patience: 3})
//	step := optim.SGD(plateau.Rate()).Minimize(loss)
//	lower, err := exec.Compile(g, exec.Updates(plateau.Updates(heldOutLoss)...))
type Plateau struct {
	PlateauRule
	rate, best, bad, cooling *graph.Node
	trouble, scope           string
	measure                  *graph.Node // of Fed
	updates                  []*graph.Node
}

// PlateauRule says when a rate is lowered, and by how much. Fields that are 0 default to PyTorch's values, which are
// given with each field.
type PlateauRule struct {
	Factor    float64 // 0.1: the rate is multiplied by it
	Patience  int     // 10: the number of times without improvement that are tolerated; -1 for none
	Threshold float64 // 1e-4: an improvement must exceed this fraction of the best value
	Cooldown  int     // 0: the number of times to ignore after a change
	Least     float64 // 0: the minimum rate
	Largest   bool    // whether a larger metric is better
	Absolute  bool    // whether Threshold is absolute, not a fraction
}

// NewPlateau declares a rate in a scope. State: rate and best, Float64 scalars, and bad and cooling, Int64 scalars: the
// number of times in a row without improvement, and the number of times still to ignore.
func NewPlateau(g *graph.Graph, name string, rate float64, rule PlateauRule) *Plateau {
	p := &Plateau{PlateauRule: rule.withDefaults()}
	for _, w := range []want{
		atLeastZero("rate", rate), atLeastZero("least rate", p.Least), atLeastZero("threshold", p.Threshold),
		{"factor", "greater than 0 and less than 1", p.Factor, p.Factor > 0 && p.Factor < 1},
		atLeastZero("cooldown", float64(p.Cooldown)),
	} {
		if !w.holds && p.trouble == "" {
			p.trouble = fmt.Sprintf("the %s of the plateau is %g; it must be %s", w.what, w.v, w.rule)
		}
	}
	worst := filled(math.Inf(1))
	if p.Largest {
		worst = filled(math.Inf(-1))
	}
	if g == nil { // which each use then reports
		p.rate, p.trouble = refuse("NewPlateau", "the graph is nil", nil), "the graph is nil"
		return p
	}
	g.Scope(name, func() {
		p.scope = g.ScopePath()
		p.rate, p.best = g.State("rate", graph.Float64, filled(rate)), g.State("best", graph.Float64, worst)
		p.bad, p.cooling = g.State("bad", graph.Int64, filled(0)), g.State("cooling", graph.Int64, filled(0))
	})
	if p.trouble != "" {
		p.rate = refuse("NewPlateau", p.trouble, p.rate)
	}
	return p
}

func (r PlateauRule) withDefaults() PlateauRule {
	r.Factor, r.Threshold, r.Patience = cmp.Or(r.Factor, 0.1), cmp.Or(r.Threshold, 1e-4), max(cmp.Or(r.Patience, 10), 0)
	return r
}

// Rate returns the rate, a Float64 scalar, for an optimiser; make it an output to see it.
func (p *Plateau) Rate() *graph.Node { return p.rate }

// Updates returns the writes that process a metric, a floating-point scalar: a loss of the graph, or an input. They
// belong to a program that runs once per measurement, such as an evaluation program, not to the training step. NaN is
// not an improvement.
func (p *Plateau) Updates(measure *graph.Node) []*graph.Node {
	if p.trouble != "" {
		return []*graph.Node{p.rate}
	}
	if measure == nil || measure.Judged() && (measure.Rank() != 0 || !measure.DType().IsFloat()) {
		trouble := "the measure is a nil node"
		if measure != nil {
			trouble = fmt.Sprintf("the measure %s is %s%s; it must be a floating-point scalar", measure.Called(),
				measure.DType(), measure.Shape())
		}
		return []*graph.Node{refuse("Updates", trouble, p.rate)}
	}
	measure = ops.Cast(measure, graph.Float64)
	margin := p.Threshold
	if !p.Largest {
		margin = -margin
	}
	better, limit := ops.Less, ops.Mul(p.best, num(1+margin))
	if p.Largest {
		better = ops.Greater
	}
	if p.Absolute {
		limit = ops.Add(p.best, num(margin))
	}
	isBetter := better(measure, limit)
	zero := graph.Num(0)
	cooling := ops.Maximum(ops.Sub(p.cooling, graph.Num(1)), zero)
	bad := ops.Where(ops.Or(isBetter, ops.Greater(p.cooling, zero)), zero, ops.Add(p.bad, graph.Num(1)))
	lower := ops.Greater(bad, graph.Num(p.Patience))
	rate := ops.Maximum(ops.Mul(p.rate, num(p.Factor)), num(p.Least))
	// PyTorch leaves out changes that are too small to matter.
	matters := ops.And(lower, ops.Greater(ops.Sub(p.rate, rate), num(1e-8)))
	writes := []*graph.Node{
		ops.CopyInPlace(p.rate, ops.Where(matters, rate, p.rate)),
		ops.CopyInPlace(p.best, ops.Where(isBetter, measure, p.best)),
		ops.CopyInPlace(p.bad, ops.Where(lower, zero, bad)),
		ops.CopyInPlace(p.cooling, ops.Where(lower, graph.Num(p.Cooldown), cooling)),
	}
	for _, w := range writes {
		w.Silence(graph.CodeLeftOut) // the program of the step, which reads the rate, does without them
	}
	return writes
}

// Fed returns the updates for a metric that is fed, and its input, a Float64 scalar. All calls return the same nodes.
// Package train has an observer that feeds metrics of epochs.
func (p *Plateau) Fed() (measure *graph.Node, updates []*graph.Node) {
	if p.measure == nil && p.rate.Graph() != nil {
		g := p.rate.Graph()
		g.InScope(p.scope, func() { p.measure = g.Input("measure", graph.Float64) })
		p.updates = p.Updates(p.measure)
	}
	return p.measure, p.updates
}
