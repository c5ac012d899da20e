package watch

import "math"

// bins is the number of bars of a histogram.
const bins = 40

// histogram counts elements of a value between its least and its greatest finite one.
type histogram struct {
	Name     string  `json:"name"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Counts   []int   `json:"counts"`
	Elements int     `json:"elements"`
	Strange  int     `json:"strange"` // elements that are NaN or infinite
}

// newHistogram counts a []float32 or []float64; of other slices it counts nothing.
func newHistogram(name string, data any) histogram {
	switch v := data.(type) {
	case []float32:
		return counted(name, v)
	case []float64:
		return counted(name, v)
	}
	return histogram{Name: name, Counts: []int{}}
}

func counted[T float32 | float64](name string, values []T) histogram {
	h := histogram{Name: name, Counts: []int{}, Elements: len(values), Low: math.Inf(1), High: math.Inf(-1)}
	isFinite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	for _, e := range values {
		if v := float64(e); isFinite(v) {
			h.Low, h.High = min(h.Low, v), max(h.High, v)
		} else {
			h.Strange++
		}
	}
	if h.Strange == h.Elements {
		h.Low, h.High = 0, 0
		return h
	}
	h.Counts = make([]int, bins)
	width := h.High/bins - h.Low/bins // the difference itself may overflow
	for _, e := range values {
		if v := float64(e); isFinite(v) {
			place := 0.0
			if width > 0 {
				place = v/width - h.Low/width
			}
			h.Counts[min(max(int(place), 0), bins-1)]++
		}
	}
	return h
}
