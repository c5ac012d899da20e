package progress

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/train"
)

// tell reports five steps of four seconds each, and their epoch.
func tell(t *testing.T, p *Progress, now *time.Time) {
	p.timeOf = func() time.Time { return *now }
	for i := range 5 {
		*now = now.Add(4 * time.Second)
		require.NoError(
			t,
			p.Step(train.Step{Epoch: 1, Number: i, Total: 11 + i, Loss: 1 / float64(i+1),
				Measures: map[string]float64{"rate": 0.01}, Took: 4 * time.Second}))
	}
	require.NoError(
		t,
		p.Epoch(train.Epoch{Number: 1, Steps: 5, Total: 15, Loss: 0.45667,
			Measures: map[string]float64{"f1": 0.9, "accuracy": 0.75}}))
}

func TestLines(t *testing.T) {
	now := time.Unix(1e9, 0)
	var text bytes.Buffer
	tell(t, New(&text, 20), &now)
	assert.Equal(t, "step 14 of 20: loss 0.25, rate 0.01, 0.25 steps/s\n"+
		"epoch 2, step 15 of 20: loss 0.4567, accuracy 0.75, f1 0.9, 0.25 steps/s\n", text.String())

	text.Reset()
	p := New(&text, 0)
	require.NoError(t, p.Epoch(train.Epoch{Total: 7, Loss: 2}))
	assert.Equal(t, "epoch 1, step 7: loss 2\n", text.String())
}

func TestBar(t *testing.T) {
	for _, steps := range []int{0, 20} {
		now := time.Unix(1e9, 0)
		var text bytes.Buffer
		p := New(&text, steps)
		p.bar = newBar(&text, steps)
		tell(t, p, &now)
		assert.Contains(t, text.String(), "epoch 2, loss 1 ")
		assert.Contains(t, text.String(), "\repoch 2, step 15")
	}
}

// broken is where nothing can be written.
type broken struct{}

var errBroken = errors.New("the pipe is broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	require.ErrorIs(t, New(broken{}, 1).Epoch(train.Epoch{}), errBroken)
}
