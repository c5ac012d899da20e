package conformance

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

// runFile runs the cases of one file and tells what came of them: one line with the
// counts, then what is not supported and what failed.
func runFile(t *testing.T, run func(dir string) (*Report, error)) {
	t.Helper()
	r, err := run(Folder())
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no expected answers (set BROADLOOM_VECTORS to their folder): %v", err)
	}
	require.NoError(t, err)
	fmt.Println(r)
	t.Log(r)
	for _, note := range r.Notes {
		t.Log(note)
	}
	if missing := r.Missing(); missing != "" {
		t.Logf("not supported:\n%s", missing)
	}
	if _, failed, _ := r.Count(); failed > 0 {
		t.Errorf("failed:\n%s", r.Failures())
	}
	require.NoError(t, r.Short)
}

func TestBroadcast(t *testing.T) { runFile(t, Broadcast) }

func TestDTypes(t *testing.T) { runFile(t, DTypes) }

func TestGrads(t *testing.T) { runFile(t, Grads) }

func TestSymbolic(t *testing.T) { runFile(t, Symbolic) }

func TestInPlace(t *testing.T) { runFile(t, InPlace) }

// TestKinks runs the answers that testdata/kinks/kinks.py recorded: values, gradients and second
// gradients at kinks, at the edges of domains, and at what is not finite.
func TestKinks(t *testing.T) {
	runFile(t, func(string) (*Report, error) { return Grads("testdata/kinks") })
}

// TestRefusals runs the results and refusals that testdata/refusals/refusals.py recorded.
func TestRefusals(t *testing.T) {
	runFile(t, func(string) (*Report, error) { return DTypes("testdata/refusals") })
}
