package metric

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// ROC collects scores of examples that are positive or not.
type ROC struct {
	scored    []scored
	positives int
}

type scored struct {
	score    float64
	positive bool
}

// AddBinary takes scores in and whether each example is positive: all of them, or on an error none.
func AddBinary[T Float](r *ROC, scores []T, positive []bool) error {
	if len(scores) != len(positive) {
		return fmt.Errorf("metric: there are %d scores of %d examples", len(scores), len(positive))
	}
	for i, s := range scores {
		if s != s {
			return fmt.Errorf("metric: the score of example %d is NaN", i)
		}
	}
	for i, s := range scores {
		r.scored = append(r.scored, scored{float64(s), positive[i]})
		if positive[i] {
			r.positives++
		}
	}
	return nil
}

// AUC returns the area under the curve: how often a positive example has a higher score than a negative one; equal
// scores count half (the statistic of Mann and Whitney). It is NaN without examples of both kinds.
func (r *ROC) AUC() float64 {
	negatives := len(r.scored) - r.positives
	if r.positives == 0 || negatives == 0 {
		return math.NaN()
	}
	slices.SortFunc(r.scored, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	ranks := 0.0 // the sum of those of positive examples; equal scores share the mean of their ranks
	for first := 0; first < len(r.scored); {
		end, positives := first, 0
		for ; end < len(r.scored) && r.scored[end].score == r.scored[first].score; end++ {
			if r.scored[end].positive {
				positives++
			}
		}
		ranks += float64(positives) * float64(first+1+end) / 2
		first = end
	}
	p := float64(r.positives)
	return (ranks - p*(p+1)/2) / (p * float64(negatives))
}
