package language

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/ops"
)

// As many programs as there are functions call each of them, wherever their numbers begin.
func TestProgramsOfAllFunctions(t *testing.T) {
	called := map[string]bool{}
	for seed := uint64(1000); seed < 1000+uint64(Functions()); seed++ {
		called[Calls(seed)[0]] = true
	}
	for _, f := range ops.Functions() {
		require.True(t, called[f.Name], f.Name)
	}
}

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
