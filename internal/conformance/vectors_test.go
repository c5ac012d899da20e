package conformance_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/internal/conformance"
)

// runFile runs the cases of one file and tells what came of them: one line with the
// counts, then what is not supported and what failed.
func runFile(t *testing.T, run func(dir string) (*conformance.Report, error)) {
	t.Helper()
	r, err := run(conformance.Folder())
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

func TestBroadcast(t *testing.T) { runFile(t, conformance.Broadcast) }

func TestDTypes(t *testing.T) { runFile(t, conformance.DTypes) }

func TestGrads(t *testing.T) { runFile(t, conformance.Grads) }

func TestSymbolic(t *testing.T) { runFile(t, conformance.Symbolic) }

func TestInPlace(t *testing.T) { runFile(t, conformance.InPlace) }

// TestKinks runs the answers that testdata/kinks/kinks.py recorded: values, gradients and second
// gradients at kinks, at the edges of domains, and at what is not finite.
func TestKinks(t *testing.T) {
	runFile(t, func(string) (*conformance.Report, error) { return conformance.Grads("testdata/kinks") })
}

// TestRefusals runs the results and refusals that testdata/refusals/refusals.py recorded.
func TestRefusals(t *testing.T) {
	runFile(t, func(string) (*conformance.Report, error) { return conformance.DTypes("testdata/refusals") })
}
