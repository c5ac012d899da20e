package main

import (
	"context"
	"io"
	"time"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/findings"
)

// vetPackage returns the findings of a package for go vet.
func vetPackage(dir string, timeout time.Duration) []findings.Finding {
	found, problems := collect(context.Background(), dir, nil, checkFlags{timeout: timeout}, io.Discard)
	return outcome{dir: dir, found: found, problems: problems}.findings()
}
