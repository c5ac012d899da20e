package lbfgs

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/exec"
)

// The names of the state's arrays: n counts the elements of all parameters, and is 0 before the first step;
// k counts the steps that are remembered.
const (
	directionName = "lbfgs.direction" // [n]
	gradientName  = "lbfgs.gradient"  // [n]
	stepsName     = "lbfgs.steps"     // [k, n]
	turnsName     = "lbfgs.turns"     // [k, n]
	numbersName   = "lbfgs.numbers"   // [3]: directions so far, the last length, the scale of the first guess
)

// State returns copies of the method's state between steps, in Float64, under names that begin with "lbfgs.". Saved
// with the parameters, as weights.With does, they let a later minimizer continue exactly where this one stopped.
func (m *Minimizer) State() map[string]exec.Array {
	n := len(m.d)
	return map[string]exec.Array{
		directionName: {Shape: []int{n}, Data: slices.Concat(m.d)},
		gradientName:  {Shape: []int{n}, Data: slices.Concat(m.lastGrad)},
		stepsName:     {Shape: []int{len(m.steps), n}, Data: slices.Concat(m.steps...)},
		turnsName:     {Shape: []int{len(m.turns), n}, Data: slices.Concat(m.turns...)},
		numbersName:   {Shape: []int{3}, Data: []float64{float64(m.directions), m.t, m.scale}},
	}
}

// SetState sets the state to copies of what State returned for the same parameters. A missing array, or one of
// another size, is an error and changes nothing.
func (m *Minimizer) SetState(state map[string]exec.Array) error {
	x, err := m.params()
	if err != nil {
		return err
	}
	n := len(x)
	if d, has := state[directionName]; has && slices.Equal(d.Shape, []int{0}) {
		n = 0
	}
	k := 0
	if steps, has := state[stepsName]; has && len(steps.Shape) == 2 {
		k = steps.Shape[0]
	}
	parts := map[string][]float64{}
	for i, name := range []string{directionName, gradientName, stepsName, turnsName, numbersName} {
		shape := [][]int{{n}, {n}, {k, n}, {k, n}, {3}}[i]
		a, has := state[name]
		if !has {
			return fmt.Errorf("lbfgs: the state has no %s", name)
		}
		data, is := a.Data.([]float64)
		if count := product(shape); !is || !slices.Equal(a.Shape, shape) || len(data) != count {
			return fmt.Errorf("lbfgs: %s is %T of shape %v; it must be []float64 of shape %v", name, a.Data, a.Shape,
				shape)
		}
		parts[name] = slices.Clone(data)
	}
	numbers := parts[numbersName]
	if directions := numbers[0]; !(directions >= 0 && directions <= 1<<53) || (directions == 0) != (n == 0) ||
		n == 0 && k > 0 {
		return fmt.Errorf("lbfgs: %s tells of %g directions, and %s has %d elements and %s %d rows", numbersName,
			directions, directionName, n, stepsName, k)
	}
	m.d, m.lastGrad = parts[directionName], parts[gradientName]
	m.steps, m.turns = rows(parts[stepsName], k, n), rows(parts[turnsName], k, n)
	m.directions, m.t, m.scale = int(numbers[0]), numbers[1], numbers[2]
	return nil
}

func product(shape []int) int {
	count := 1
	for _, size := range shape {
		count *= size
	}
	return count
}

// rows cuts a vector into k rows of n elements.
func rows(v []float64, k, n int) (list [][]float64) {
	for i := range k {
		list = append(list, v[i*n:(i+1)*n:(i+1)*n])
	}
	return list
}
