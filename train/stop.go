package train

import "math"

// Stop ends training when a metric has not improved for some epochs.
type Stop struct {
	Measure  string  // a name in Epoch.Measures; empty for the mean training loss
	Higher   bool    // whether larger is better, as for an accuracy; otherwise smaller is
	Patience int     // epochs without improvement after which training ends; at least 1
	Least    float64 // by how much a value must be better to count
}

// judged is what is remembered of a measure from epoch to epoch.
type judged struct {
	Best  exactFloat `json:"best"`
	Any   bool       `json:"any"`   // whether Best was measured
	Worse int        `json:"worse"` // epochs since the best one
}

// judge takes a new epoch in, and reports whether it is the best so far. NaN is never the best.
func (s *Stop) judge(j *judged, e Epoch) (better bool, err error) {
	v, err := e.measure("Stop", s.Measure)
	if err != nil {
		return false, err
	}
	gain := float64(j.Best) - v
	if s.Higher {
		gain = -gain
	}
	if !math.IsNaN(v) && (!j.Any || gain > s.Least) {
		*j = judged{Best: exactFloat(v), Any: true}
		return true, nil
	}
	j.Worse++
	return false, nil
}
