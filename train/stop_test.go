package train

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A measure that no epoch has is reported before the first step.
func TestStopLooksAtWhatThereIs(t *testing.T) {
	m := newModel(t)
	for _, c := range []struct{ measure, returned, want string }{
		{"loss", "", `Stop uses measure "loss": leave the name empty for the mean training loss`},
		{"loss", "loss", `Stop uses measure "loss": leave the name empty for the mean training loss`},
		{"f1", "", `Stop uses measure "f1", but the epoch has ["size"]: return it from Evaluate`},
		{"", "", ""},
		{"size", "", ""},
		{"test loss", "test loss", ""},
	} {
		l := m.loop(1)
		l.Stop = &Stop{Measure: c.measure, Patience: 1}
		if c.returned != "" {
			l.Evaluate = returned(c.returned)
		}
		r, err := l.Run(t.Context())
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
		require.Nil(t, r, "no step was taken")
	}
	l := m.loop(1)
	l.Measures, l.Stop = nil, &Stop{Measure: "f1", Patience: 1}
	_, err := l.Run(t.Context())
	require.ErrorContains(t, err, `but the epoch has no measures: return it`)
	_, err = Plateau(l.Session, m.plateau, "loss")
	require.ErrorContains(t, err, `Plateau uses measure "loss": leave the name empty`)
}
