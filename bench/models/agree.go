package main

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/bench/broadloom"
	"github.com/broadloom/broadloom/bench/suite"
)

// The sides' results may differ relatively by this much, as vectors: results, and the change of trained tensors in a
// step. Gradients come from sums of up to 65,536 terms.
const (
	resultTolerance = 1e-5
	changeTolerance = 1e-3
	// resnetTolerance is that for ResNet-18: with AVX2 PyTorch's gradient of the first filters is 0.0038 of its
	// magnitude from the one that it computes in float64, and Broadloom's less than 0.001.
	resnetTolerance = 5e-3
	// jaxResnetTolerance is that for ResNet-18 of JAX: with AVX2 its change of the first filters is 0.0092 from
	// Broadloom's.
	jaxResnetTolerance = 1.2e-2
	// adamTolerance is the tolerance for changes by Adam. It divides a gradient by its magnitude, so a gradient that is
	// only rounding, such as that of a bias of keys, moves its parameter nearly as far as others.
	adamTolerance = 5e-2
	// Of results and changes in mixed precision, whose numbers have 8 bits. A first step of Adam is the sign of each
	// gradient, which rounding may turn.
	loweredResultTolerance = 0.05
	loweredChangeTolerance = 0.5
	loweredAdamTolerance   = 2
	// roundings bounds a change that is only rounding, such as that of a bias of keys, relative to the tensor or to 1.
	roundings = 1e-6
)

// agree compares the results of the latest call of both sides, and the trained tensors.
func (o options) agree(w suite.Workload, ours *broadloom.Program, theirs *remote) error {
	tolerance, ofResults := changeTolerance, resultTolerance
	switch {
	case o.autocast && w.Optimizer == suite.Adam:
		tolerance, ofResults = loweredAdamTolerance, loweredResultTolerance
	case o.autocast:
		tolerance, ofResults = loweredChangeTolerance, loweredResultTolerance
	case w.Optimizer == suite.Adam:
		tolerance = adamTolerance
	case w.Kind == suite.ResNet && theirs.peer.name == "jax":
		tolerance = jaxResnetTolerance
	case w.Kind == suite.ResNet:
		tolerance = resnetTolerance
	}
	got, err := ours.Results()
	if err != nil {
		return err
	}
	trained, err := ours.Trained()
	if err != nil {
		return err
	}
	want, err := theirs.results()
	if err != nil {
		return err
	}
	if len(want) != len(got)+len(trained) {
		return fmt.Errorf("%d results and %d trained tensors, and %d of both in %s", len(got), len(trained), len(want),
			theirs.peer.name)
	}
	for i := range got {
		if d, n := distance(got[i], want[i]), distance(want[i], nil); !(d <= ofResults*n) {
			return fmt.Errorf("result %d is %.2g of its magnitude from %s's", i, d/n, theirs.peer.name)
		}
	}
	for i, after := range trained {
		expected := want[len(got)+i]
		change := distance(expected, theirs.before[i])
		noise := roundings * max(distance(expected, nil), math.Sqrt(float64(len(expected))))
		if d := distance(after, expected); !(d <= tolerance*change+noise) {
			return fmt.Errorf("trained tensor %d is %.2g of its change from %s's", i, d/change, theirs.peer.name)
		}
	}
	return nil
}

// distance is the Euclidean distance of two vectors; from the origin, if the second is nil.
func distance(a, b []float32) float64 {
	if b != nil && len(a) != len(b) {
		return math.Inf(1)
	}
	sum := 0.0
	for i, x := range a {
		d := float64(x)
		if b != nil {
			d -= float64(b[i])
		}
		sum += d * d
	}
	return math.Sqrt(sum)
}
