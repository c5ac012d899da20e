package language

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/ops"
)

// TestEveryFunctionRuns runs programs that go through all functions, each of which must run in some.
func TestEveryFunctionRuns(t *testing.T) {
	list := calls()
	require.Len(t, list, len(ops.Functions()), "an example is refused in every dtype")
	ran := map[string]bool{}
	for round := range uint64(6) { // those that are refused in one program are tried in others
		for i, c := range list {
			if ran[c.Name] {
				continue
			}
			seed := round*uint64(len(list)) + uint64(i)
			v := Check(seed)
			require.Empty(t, v.Fault, "program %d: %s\n%s", seed, v.Detail, Text(seed))
			if v.Refused == "" && v.Failed < bindings {
				for _, name := range Calls(seed) {
					ran[name] = true
				}
			}
		}
	}
	for _, c := range list {
		require.True(t, ran[c.Name], "%s is in no program that runs", c.Name)
	}
}
