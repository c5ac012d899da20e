package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/internal/testkit/settings"
)

// The curve of the loss is the same to the last bit on every instruction set, with and
// without machine code made at run time, and on any number of threads.
func TestEverySettingGivesTheSameCurve(t *testing.T) {
	settings.Same(t, func() string {
		e, err := loadExamples()
		require.NoError(t, err)
		tr, err := newTrainer(config{epochs: 3, batch: 32, hidden: 128, rate: 3e-3, seed: 1})
		require.NoError(t, err)
		training, test := e.split(1)
		history, err := tr.train(t.Context(), training, test, func() {}, func(epoch) {})
		require.NoError(t, err)
		var text strings.Builder
		for _, e := range history {
			fmt.Fprintf(&text, "epoch %d: loss %x, test loss %x, accuracy %x\n", e.number, e.loss, e.testLoss, e.accuracy)
		}
		return text.String()
	})
}
