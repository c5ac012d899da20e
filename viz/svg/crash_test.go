package svg

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Whatever ends the process in which Graphviz runs is an error.
func TestCrashesAreErrors(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program that crashes is a shell script")
	}
	for name, c := range map[string]struct{ script, says string }{
		"crash": {"kill -SEGV $$", "segmentation fault"},
		"panic": {"echo panic: out of memory >&2; exit 2", "out of memory"},
		"hang":  {"while :; do :; done", "deadline"}, // sleep is not in every PATH,
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "broken")
			require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"+c.script+"\n"), 0o755))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := renderIn(ctx, file, []byte("digraph {}"))
			require.ErrorContains(t, err, c.says)
		})
	}
}
