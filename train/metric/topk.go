package metric

import (
	"cmp"
	"fmt"
)

// Float is a score.
type Float interface{ float32 | float64 }

// TopK counts how often the true class is among the k highest scores. Of equal scores, those of smaller classes come
// first.
type TopK struct{ k, right, all int }

// NewTopK counts for k of at least 1.
func NewTopK(k int) *TopK { return &TopK{k: max(k, 1)} }

// Value returns the fraction of right ones, NaN of nothing.
func (t *TopK) Value() float64 { return float64(t.right) / float64(t.all) }

// AddScores takes in scores of shape [n, classes] and the true classes [n]. A score that is NaN is below all
// others.
func AddScores[T Float](t *TopK, scores []T, truth []int64) error {
	classes, err := width(len(scores), len(truth))
	if err != nil {
		return err
	}
	for i, class := range truth {
		if class < 0 || class >= int64(classes) {
			return fmt.Errorf("metric: example %d has class %d of %d", i, class, classes)
		}
	}
	for i, class := range truth {
		row := scores[i*classes : (i+1)*classes]
		before := 0
		for k, v := range row {
			if c := cmp.Compare(v, row[class]); c > 0 || c == 0 && int64(k) < class {
				before++
			}
		}
		if before < t.k {
			t.right++
		}
	}
	t.all += len(truth)
	return nil
}

// width returns the number of scores of an example.
func width(scores, examples int) (int, error) {
	if examples == 0 && scores == 0 {
		return 0, nil
	}
	if examples == 0 || scores%examples != 0 || scores == 0 {
		return 0, fmt.Errorf("metric: %d scores do not belong to %d examples", scores, examples)
	}
	return scores / examples, nil
}
