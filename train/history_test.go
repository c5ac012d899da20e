package train

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCurvesOfALog(t *testing.T) {
	var text bytes.Buffer
	both := []Observer{NewLog(&text), &History{}}
	for i := range 5 {
		for _, o := range both {
			require.NoError(
				t, o.Step(Step{Total: i + 1, Loss: 1 / float64(i+1), Measures: map[string]float64{"a": math.NaN()}}))
		}
	}
	for _, o := range both {
		require.NoError(t, o.Step(Step{Total: 4, Loss: 7})) // taken again, after a checkpoint
		require.NoError(t, o.Epoch(Epoch{Total: 4, Loss: 0.5, Measures: map[string]float64{"accuracy": 0.25}}))
	}
	assert.Contains(t, text.String(), `{"kind":"step","epoch":0,"step":1,"values":{"a":null,"loss":1}}`+"\n")
	for _, cut := range []int{0, 5} {
		read, err := ReadLog(strings.NewReader(text.String() + `{"kind":"st`[:2*cut]))
		require.NoError(t, err)
		for _, h := range []*History{both[1].(*History), read} {
			c := h.Curves()
			require.Len(t, c, 4)
			assert.Equal(t, Curve{"loss", false, []Point{{1, 1}, {2, 0.5}, {3, 1.0 / 3}, {4, 7}}}, c[0])
			assert.Equal(t, Curve{"loss", true, []Point{{4, 0.5}}}, c[1])
			assert.Equal(t, "a", c[2].Name)
			assert.True(t, math.IsNaN(c[2].Points[0].Value))
			assert.Equal(t, Curve{"accuracy", true, []Point{{4, 0.25}}}, c[3])
		}
	}
	for want, log := range map[string]string{
		"value 1 of the log: kind": `{"kind":"x"}`, "value 2": "{\"kind\":\"step\"}\n[]", "invalid character": "x"} {
		_, err := ReadLog(strings.NewReader(log))
		assert.ErrorContains(t, err, want)
	}
}

func TestLongCurvesAreOfMeans(t *testing.T) {
	h := &History{}
	const steps = 5*mostPoints + 3
	for i := 1; i <= steps; i++ {
		require.NoError(t, h.Step(Step{Total: i, Loss: float64(i)}))
	}
	points := h.Curves()[0].Points
	assert.LessOrEqual(t, len(points), mostPoints)
	assert.Equal(t, Point{8, 4.5}, points[0], "of the first eight")
	assert.Equal(t, steps, points[len(points)-1].Step)
}
