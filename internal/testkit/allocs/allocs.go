// Package allocs checks that repeated calls allocate nothing.
package allocs

import "testing"

// tries is how often calls are measured: each of the process's workers may allocate in the first call in which it takes
// part, whenever that is.
const tries = 20

// RequireNone fails the test unless calls of f eventually allocate nothing. calls is how many are measured at once.
func RequireNone(t *testing.T, calls int, f func()) {
	t.Helper()
	var n float64
	for range tries {
		if n = testing.AllocsPerRun(calls, f); n == 0 {
			return
		}
	}
	t.Fatalf("a call allocates %v times, after %d calls too", n, tries*calls)
}
