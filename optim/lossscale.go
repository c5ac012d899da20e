package optim

import (
	"cmp"
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// LossScale multiplies a loss by a factor, so that gradients in Float16 do not underflow, and adapts the factor during
// training: torch.amp.GradScaler. A step whose gradients overflow is skipped, and the factor is reduced.
//
//	scale := optim.NewLossScale(g, "scale", optim.LossScaleRule{})
//	grads, finite := scale.Unscale(autodiff.Grad(scale.Apply(loss), params))
//	step := optim.Adam(1e-3, optim.When(finite)).Updates(params, grads)
//	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(step...), exec.Updates(scale.Updates(finite)...))
//
// Clip gradients, with [ClipNorm], and accumulate them, with [Accumulate], after unscaling them.
type LossScale struct {
	LossScaleRule
	scale, tracker *graph.Node
	scaled         []*graph.Node // losses times the factor
	trouble        string
}

// LossScaleRule says how the factor changes. Fields that are 0 default to PyTorch's values, which are given with each
// field.
type LossScaleRule struct {
	Initial float64 // 65536: the initial factor
	Growth  float64 // 2: it is multiplied by this after Steps steps in a row without overflow
	Backoff float64 // 0.5: and by this after each overflow
	Steps   int     // 2000
}

// NewLossScale declares the factor in a scope. State: scale, a Float32 scalar, and growth_tracker, an Int32 scalar: the
// number of steps in a row without overflow.
func NewLossScale(g *graph.Graph, name string, rule LossScaleRule) *LossScale {
	s := &LossScale{LossScaleRule: rule.withDefaults()}
	for _, w := range []want{
		{"first number", "greater than 0 and a Float32", s.Initial, s.Initial > 0 && s.Initial <= math.MaxFloat32},
		{"growth", "a number greater than 1", s.Growth, s.Growth > 1 && !math.IsInf(s.Growth, 1)},
		{"backoff", "greater than 0 and less than 1", s.Backoff, s.Backoff > 0 && s.Backoff < 1},
		{"number of steps", "at least 1", float64(s.Steps), s.Steps >= 1},
	} {
		if !w.holds && s.trouble == "" {
			s.trouble = fmt.Sprintf("the %s of the loss scale is %g; it must be %s", w.what, w.v, w.rule)
		}
	}
	if g == nil { // which each use then reports
		s.scale, s.trouble = refuse("NewLossScale", "the graph is nil", nil), "the graph is nil"
		return s
	}
	g.Scope(name, func() {
		s.scale, s.tracker = g.State("scale", graph.Float32, scaleStart{filled(s.Initial), s}),
			g.State("growth_tracker", graph.Int32, filled(0))
	})
	if s.trouble != "" {
		s.scale = refuse("NewLossScale", s.trouble, s.scale)
	}
	return s
}

func (r LossScaleRule) withDefaults() LossScaleRule {
	r.Initial, r.Growth, r.Backoff, r.Steps = cmp.Or(r.Initial, 65536), cmp.Or(r.Growth, 2), cmp.Or(r.Backoff, 0.5),
		cmp.Or(r.Steps, 2000)
	return r
}

// Scale returns the factor, a Float32 scalar: make it an output to see it.
func (s *LossScale) Scale() *graph.Node { return s.scale }

// Apply returns the loss, a floating-point value, times the factor, in Float32 or Float64: differentiate the result.
// Steps of gradients that are not unscaled are mistakes.
func (s *LossScale) Apply(loss *graph.Node) *graph.Node {
	scaled := ops.Mul(wideEnough(loss), s.scale)
	s.scaled = append(s.scaled, scaled)
	return scaled
}

// wideEnough is a value of 16 bits in Float32, in which neither a scaled loss nor a sum of squares overflows.
func wideEnough(x *graph.Node) *graph.Node {
	if x != nil && x.Judged() && x.DType().IsFloat() && x.DType().Bits() < 32 {
		return ops.Cast(x, graph.Float32)
	}
	return x
}

// Unscale returns the gradients of the scaled loss divided by the factor, in their dtypes, and whether all elements
// of all of them are finite, a Bool scalar: for [When], and for Updates.
func (s *LossScale) Unscale(grads []*graph.Node) (unscaled []*graph.Node, finite *graph.Node) {
	trouble := gradTrouble(grads)
	if len(grads) == 0 {
		trouble = "there are no gradients"
	}
	if trouble != "" {
		return refuseAll("Unscale", trouble, append(grads[:len(grads):len(grads)], s.scale))
	}
	for _, grad := range grads {
		fits := ops.All(ops.IsFinite(grad))
		if finite != nil {
			fits = ops.And(finite, fits)
		}
		finite = fits
		unscaled = append(unscaled, ops.Cast(ops.Div(wideEnough(grad), s.scale), grad.DType()))
	}
	return unscaled, finite
}

// Updates returns the writes that change the factor after a step; finite, a Bool scalar, says whether the step's
// gradients are finite. They belong to the program of the step.
func (s *LossScale) Updates(finite *graph.Node) []*graph.Node {
	switch {
	case s.trouble != "":
		return []*graph.Node{s.scale}
	case finite == nil || finite.Judged() && (finite.Rank() != 0 || finite.DType() != graph.Bool):
		return []*graph.Node{refuse("Updates", "finite must be a Bool scalar", s.scale)}
	}
	one, zero := graph.Num(1), graph.Num(0)
	steps := ops.Where(finite, ops.Add(s.tracker, one), zero)
	grows := ops.GreaterEqual(steps, graph.Num(s.Steps))
	grown := ops.Mul(s.scale, num(s.Growth))
	scale := ops.Where(finite, ops.Where(ops.And(grows, ops.IsFinite(grown)), grown, s.scale),
		ops.Mul(s.scale, num(s.Backoff)))
	return []*graph.Node{ops.CopyInPlace(s.scale, scale), ops.CopyInPlace(s.tracker, ops.Where(grows, zero, steps))}
}
