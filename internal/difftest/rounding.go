package difftest

import (
	"math"
	"math/rand/v2"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// rounding tells which numbers of a run may differ from the evaluator's. The program is computed again, many times,
// with each intermediate result moved by up to 64 units in the last place: a difference is rounding if the answers
// spread as far. Then results that reach a number at which functions jump are put on it and on either side: a
// difference is rounding, too, if it lies among these answers.
type rounding struct {
	c      *checker
	got    []exec.Array
	want   *answer
	pairs  []pair
	spread []float64   // how far each number moves
	reach  [][]float64 // how far each element of each value does
	sides  [][]pair    // the numbers where results lie on other sides of a jump
	none   bool        // the program has no value at numbers that are as good
}

const (
	tries     = 24
	sideTries = 96
)

// explains reports whether a number differs by rounding.
func (r *rounding) explains(i int) bool {
	if r.spread == nil {
		r.disturb()
	}
	if r.none || r.pairs[i].close(r.spread[i]) {
		return true
	}
	if r.sides == nil {
		r.settle()
	}
	low, high := r.pairs[i], r.pairs[i]
	for _, moved := range r.sides {
		p := moved[i]
		if p.close(r.spread[i]) {
			return true
		}
		if p.want < low.want {
			low = p
		}
		if p.want > high.want {
			high = p
		}
	}
	return r.none || low.want < low.got && high.got < high.want
}

// computed computes the program with noise and returns the numbers to compare.
func (r *rounding) computed(m *eager.Machine) (a *answer, moved []pair) {
	m.Units = 64
	a, err := r.c.wanted(m)
	if err != nil {
		r.none = true
		return nil, nil
	}
	keep := *r.c.v
	moved, _ = r.c.pairs(r.got, a)
	*r.c.v = keep
	return a, moved
}

// disturb measures how far noise moves numbers and values.
func (r *rounding) disturb() {
	r.spread = make([]float64, len(r.pairs))
	r.reach = make([][]float64, len(r.want.values))
	for k, x := range r.want.values {
		r.reach[k] = make([]float64, len(x.Cells()))
	}
	noise := rand.New(rand.NewPCG(r.c.p.Seed, 99))
	for range tries {
		a, moved := r.computed(&eager.Machine{Noise: noise})
		if r.none {
			return
		}
		for i, p := range moved {
			widen(&r.spread[i], p.want, r.pairs[i].want)
		}
		for k, x := range a.values {
			was := r.want.values[k].Cells()
			for i, c := range x.Cells() {
				widen(&r.reach[k][i], c.V, was[i].V)
			}
		}
	}
}

// widen increases a distance to at least that of two numbers; it is NaN if only one is NaN.
func widen(most *float64, v, was float64) {
	if v == was || math.IsNaN(v) && math.IsNaN(was) {
		return // infinities too
	}
	if d := math.Abs(v - was); d > *most || math.IsNaN(d) {
		*most = d
	}
}

// settle computes the numbers with results on other sides of jumps.
func (r *rounding) settle() {
	noise := rand.New(rand.NewPCG(r.c.p.Seed, 101))
	for range sideTries {
		_, moved := r.computed(&eager.Machine{Noise: noise, Reach: r.reach})
		if r.none {
			return
		}
		r.sides = append(r.sides, moved)
	}
}
