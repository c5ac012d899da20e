package metric

import "math"

// Mean is a weighted mean: of losses of batches, for example, weighted by their sizes.
type Mean struct{ sum, weight float64 }

// Add takes a value in.
func (m *Mean) Add(value, weight float64) { m.sum, m.weight = m.sum+value*weight, m.weight+weight }

// Value returns the mean, NaN of nothing.
func (m *Mean) Value() float64 { return m.sum / m.weight }

// Perplexity returns exp of the mean, if the values are mean cross entropies in natural units: e to the power of the
// mean surprise per word.
func (m *Mean) Perplexity() float64 { return math.Exp(m.Value()) }
