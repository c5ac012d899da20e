package metric

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Confusion counts for each true class how often each class was predicted.
type Confusion struct {
	classes int
	counts  []int // [true, predicted]
	all     int
}

// NewConfusion counts classes from 0 to classes-1.
func NewConfusion(classes int) (*Confusion, error) {
	const most = 1 << 14
	if classes < 1 || classes > most {
		return nil, fmt.Errorf("metric: a confusion matrix of %d classes: there are from 1 to %d", classes, most)
	}
	return &Confusion{classes: classes, counts: make([]int, classes*classes)}, nil
}

// Add takes predicted and true classes in, example by example: all of them, or on an error none.
func (c *Confusion) Add(predicted, truth []int64) error {
	if len(predicted) != len(truth) {
		return fmt.Errorf("metric: there are %d predictions and %d true classes", len(predicted), len(truth))
	}
	for i := range truth {
		for _, class := range []int64{predicted[i], truth[i]} {
			if class < 0 || class >= int64(c.classes) {
				return fmt.Errorf("metric: example %d has class %d of %d", i, class, c.classes)
			}
		}
	}
	for i := range truth {
		c.counts[int(truth[i])*c.classes+int(predicted[i])]++
	}
	c.all += len(truth)
	return nil
}

// Count returns how often a class was predicted for examples of a true one. It is 0 for classes that are not in the
// matrix.
func (c *Confusion) Count(truth, predicted int) int {
	if min(truth, predicted) < 0 || max(truth, predicted) >= c.classes {
		return 0
	}
	return c.counts[truth*c.classes+predicted]
}

// sums returns how many examples a class has, and how many were predicted to have it.
func (c *Confusion) sums(class int) (truly, predicted int) {
	for k := range c.classes {
		truly, predicted = truly+c.Count(class, k), predicted+c.Count(k, class)
	}
	return truly, predicted
}

// Accuracy returns the fraction of right predictions, NaN of nothing.
func (c *Confusion) Accuracy() float64 {
	right := 0
	for k := range c.classes {
		right += c.Count(k, k)
	}
	return float64(right) / float64(c.all)
}

// Precision returns which part of the predictions of a class was right; 0 if there were none.
func (c *Confusion) Precision(class int) float64 {
	_, predicted := c.sums(class)
	return ratio(c.Count(class, class), predicted)
}

// Recall returns which part of the examples of a class was found; 0 if there were none.
func (c *Confusion) Recall(class int) float64 {
	truly, _ := c.sums(class)
	return ratio(c.Count(class, class), truly)
}

// F1 returns the harmonic mean of precision and recall, 2·tp/(2·tp + fp + fn); 0 if the class occurs nowhere.
func (c *Confusion) F1(class int) float64 {
	truly, predicted := c.sums(class)
	return ratio(2*c.Count(class, class), truly+predicted)
}

// MacroF1 returns the mean of F1 over the classes that occur, be it as true ones or as predicted ones
// (sklearn.metrics.f1_score with average="macro").
func (c *Confusion) MacroF1() float64 {
	var m Mean
	for k := range c.classes {
		if truly, predicted := c.sums(k); truly+predicted > 0 {
			m.Add(c.F1(k), 1)
		}
	}
	return m.Value()
}

// WeightedF1 returns the mean of F1 over classes, weighted by how many examples each has (average="weighted").
func (c *Confusion) WeightedF1() float64 {
	var m Mean
	for k := range c.classes {
		truly, _ := c.sums(k)
		m.Add(c.F1(k), float64(truly))
	}
	return m.Value()
}

// String is the matrix: a line for each true class, a column for each predicted one.
func (c *Confusion) String() string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 1, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "true\\predicted\t")
	for k := range c.classes {
		fmt.Fprintf(w, "%d\t", k)
	}
	for k := range c.classes {
		fmt.Fprintf(w, "\n%d\t", k)
		for p := range c.classes {
			fmt.Fprintf(w, "%d\t", c.Count(k, p))
		}
	}
	fmt.Fprintln(w)
	w.Flush()
	return text.String()
}

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
