package metric

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The values are those of sklearn.metrics (accuracy_score, f1_score and so on) for the same lists.
func TestConfusion(t *testing.T) {
	c, err := NewConfusion(4)
	require.NoError(t, err)
	assert.True(t, math.IsNaN(c.Accuracy()))
	require.NoError(t, c.Add([]int64{0, 2, 1}, []int64{0, 1, 2}))
	require.NoError(t, c.Add([]int64{0, 0, 1}, []int64{0, 1, 1}))
	assert.InDelta(t, 0.5, c.Accuracy(), 1e-15)               // 3 of 6
	assert.InDelta(t, 2.0/3, c.Precision(0), 1e-15)           // 0 was predicted 3 times, 2 rightly
	assert.InDelta(t, 1.0/3, c.Recall(1), 1e-15)              // of three 1s one was found
	assert.InDelta(t, 0.8, c.F1(0), 1e-15)                    // 2·(2/3)/(2/3+1)
	assert.InDelta(t, 0.4, c.F1(1), 1e-15)                    // 2·1/(2+1+2)
	assert.InDelta(t, 0.4, c.MacroF1(), 1e-15)                // class 3 occurs nowhere
	assert.InDelta(t, (2*0.8+3*0.4)/6, c.WeightedF1(), 1e-15) //
	assert.Equal(t, []float64{0, 0, 0}, []float64{c.F1(3), c.Precision(3), c.Recall(3)})
	assert.Equal(t, 0, c.Count(4, -1)+c.Count(-1, 2))
	assert.Contains(t, c.String(), "true\\predicted 0 1 2 3\n              0 2 0 0 0\n              1 1 1 1 0\n")

	before := c.String()
	require.ErrorContains(t, c.Add([]int64{0, 4}, []int64{0, 0}), "example 1 has class 4 of 4")
	require.ErrorContains(t, c.Add([]int64{0}, nil), "1 predictions and 0 true classes")
	assert.Equal(t, before, c.String(), "a refused batch changes nothing")
	for _, classes := range []int{0, -1, math.MaxInt} {
		_, err := NewConfusion(classes)
		require.Error(t, err)
	}
}

func TestAUC(t *testing.T) {
	for _, c := range []struct {
		scores   []float32
		positive []bool
		want     float64
	}{
		{[]float32{0.1, 0.4, 0.35, 0.8}, []bool{false, false, true, true}, 0.75}, // scikit-learn's example
		{[]float32{1, 1, 1}, []bool{true, false, true}, 0.5},
		{[]float32{3, 2, 2, 1}, []bool{true, true, false, false}, 0.875},
		{[]float32{1, 2}, []bool{true, false}, 0},
		{[]float32{1, 2}, []bool{true, true}, math.NaN()},
		{nil, nil, math.NaN()},
	} {
		var r ROC
		half := len(c.scores) / 2
		require.NoError(t, AddBinary(&r, c.scores[half:], c.positive[half:]))
		require.NoError(t, AddBinary(&r, c.scores[:half], c.positive[:half]))
		if math.IsNaN(c.want) {
			assert.True(t, math.IsNaN(r.AUC()), c.scores)
			continue
		}
		assert.InDelta(t, c.want, r.AUC(), 1e-15, c.scores)
	}
	var r ROC
	require.ErrorContains(t, AddBinary(&r, []float64{1, math.NaN()}, []bool{true, false}), "example 1 is NaN")
	require.Error(t, AddBinary(&r, []float64{1}, nil))
}

func TestTopK(t *testing.T) {
	nan := math.NaN()
	scores := []float64{5, 4, 3, 2, 4, 4, 4, 4, nan, 1, 2, nan}
	for k, want := range map[int]float64{1: 0, 2: 1.0 / 3, 3: 2.0 / 3, 4: 1} {
		m := NewTopK(k)
		require.NoError(t, AddScores(m, scores, []int64{1, 2, 3}))
		assert.InDelta(t, want, m.Value(), 1e-15, k)
	}
	m := NewTopK(0)
	assert.True(t, math.IsNaN(m.Value()))
	require.NoError(t, AddScores(m, []float32(nil), nil))
	require.NoError(t, AddScores(m, []float32{1, 2}, []int64{1}))
	assert.Equal(t, 1.0, m.Value())
	require.ErrorContains(t, AddScores(m, []float32{1, 2}, []int64{2}), "class 2 of 2")
	require.ErrorContains(t, AddScores(m, []float32{1, 2, 3}, []int64{0, 0}), "3 scores")
	require.Error(t, AddScores(m, []float32{1}, nil))
	require.Error(t, AddScores(m, []float32(nil), []int64{0}))
	assert.Equal(t, 1.0, m.Value())
}

func TestMean(t *testing.T) {
	var m Mean
	assert.True(t, math.IsNaN(m.Value()))
	m.Add(math.Log(8), 1)
	m.Add(math.Log(2), 1)
	assert.InDelta(t, 4, m.Perplexity(), 1e-12)
}
