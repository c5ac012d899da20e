package main

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/internal/testkit/settings"
)

// Loss and accuracy are the same to the last bit on every instruction set, with and
// without machine code made at run time, and on any number of threads.
func TestEverySettingGivesTheSameCurve(t *testing.T) {
	settings.Same(t, func() string {
		history, err := learn(t.Context(), config{epochs: 3, batch: 32, hidden: 128, rate: 3e-3, seed: 1},
			newModel(128), io.Discard)
		require.NoError(t, err)
		return fmt.Sprint(history.Curves())
	})
}
